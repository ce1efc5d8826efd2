"""Benchmarks against comparable tools, one command each, printed as ratios."""
