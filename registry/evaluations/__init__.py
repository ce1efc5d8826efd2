"""Evaluations: datasets, runs, model calls and the thresholds that changes have to reach."""
