"""Usage: which services fetch which versions, and what they report of their renderings."""
