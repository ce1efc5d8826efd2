"""Metrics: what each takes and measures. `catalogue` knows them by name."""
