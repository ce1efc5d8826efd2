"""Comparison of two versions: source, rendered prompt, samples."""
