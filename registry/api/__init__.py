"""The HTTP interface under /api/v1/: each view translates to one call of a service or query and back."""
