"""Import from and export to other prompt formats. Anything that the other format cannot hold is refused by name."""
