"""Declared inputs: their schemas, the validation of data, and how values are printed."""
