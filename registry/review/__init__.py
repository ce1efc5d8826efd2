"""Pure thinking about reviews: no database, no HTTP."""
