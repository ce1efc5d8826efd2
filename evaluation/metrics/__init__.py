"""Metrics: what each one takes and measures. `catalogue` knows them by name."""
