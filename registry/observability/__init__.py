"""Observability: health, metrics and logs."""
