"""Syntax: YAML with source positions, regular expressions, diffs and merges of texts."""
