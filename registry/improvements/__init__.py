"""Improvements: a model proposes a better text for a template from its failed rows, and a run measures it."""
