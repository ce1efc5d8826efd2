"""Import from and export to other prompt formats. Anything that the target can't represent is refused by name."""
