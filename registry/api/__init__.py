"""The HTTP API under /api/v1/: its addresses, its errors and its OpenAPI schema. The views are in the domains."""
