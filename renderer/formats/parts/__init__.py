"""Format parts: Jinja that yields a YAML list of parts."""
