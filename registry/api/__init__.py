"""The HTTP API under /api/v1/: its URLs, errors and OpenAPI schema. The views are in the domains."""
