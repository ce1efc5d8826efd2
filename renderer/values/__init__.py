"""Plain JSON values: validating them, and their text when printed."""
