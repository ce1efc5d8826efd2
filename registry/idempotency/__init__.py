"""Idempotency keys: a POST that is sent twice under one key is done once, and answered twice."""
