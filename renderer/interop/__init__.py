"""Import from and export to other prompt formats. What the other format cannot hold is refused by name."""
