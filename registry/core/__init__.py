"""Tools that every domain shares: names, errors, limits, safe HTTP. Independent of all tables."""
