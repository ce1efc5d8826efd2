"""The home page and the command palette."""
