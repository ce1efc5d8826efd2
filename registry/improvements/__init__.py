"""Improvements: a model proposes a better text for a template from rows that it failed on, and the text is measured."""
