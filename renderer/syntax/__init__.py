"""Text, YAML and regular expressions, read with the place of every character."""
