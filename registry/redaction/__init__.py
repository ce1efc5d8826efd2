"""Redaction: taking a version's text away for good, wherever the registry holds it."""
