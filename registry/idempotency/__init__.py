"""Idempotency keys: a POST that is repeated under one key is done once and answered alike."""
