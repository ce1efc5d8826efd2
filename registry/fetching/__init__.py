"""Fetching: a version by name and ref, answered from memory ahead of Django, and the moves of labels."""
