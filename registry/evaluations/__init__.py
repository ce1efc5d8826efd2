"""Evaluations: datasets, runs, model calls and the thresholds for change requests."""
