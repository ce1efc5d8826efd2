"""The help: the documentation as pages, and the keyboard shortcuts."""
