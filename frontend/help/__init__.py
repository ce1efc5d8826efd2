"""The help: the documentation's own pages, and the keys of every page."""
