"""Declared inputs: their schemas, the data checked against them, and how values are printed."""
