"""Validation of documents: every problem that can be found before use."""
