"""Tools that every domain shares: names, errors, limits, safe HTTP. Knows no table."""
