"""Tokenizers and the vocabularies they need."""
