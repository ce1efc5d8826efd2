"""Datasets and runs of evaluations."""
