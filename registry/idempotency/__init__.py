"""Idempotency keys: a POST that is repeated with the same key runs once and gets the same response."""
