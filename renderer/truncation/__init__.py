"""Truncation: which parts are removed from a prompt that exceeds its limit."""
