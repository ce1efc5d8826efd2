"""Metrics of an evaluation. `catalogue` lists them by name."""
