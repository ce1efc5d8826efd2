"""Usage: which services fetch which versions, and their reports on renderings."""
