"""Truncation: which parts are removed from a prompt that is over its limit."""
