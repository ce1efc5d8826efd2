"""Redaction: removing a version's text for good, wherever the registry stores it."""
