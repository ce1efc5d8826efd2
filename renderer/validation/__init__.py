"""Validation of documents: every problem that can be found before one is used."""
