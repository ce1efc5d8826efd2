"""Syntax: YAML with the place of every character, regular expressions, diffs and merges of texts."""
