"""Redaction: permanently removing a version's text wherever the registry stores it."""
