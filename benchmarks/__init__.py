"""Side-by-side measurements with peers, one command each, printed as ratios."""
