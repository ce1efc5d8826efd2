"""Coverage-guided fuzzing of what reads text from outside: documents, Jinja, shaped calls, diffs and JSON."""
