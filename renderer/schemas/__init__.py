"""JSON Schema as this project checks data with it."""
