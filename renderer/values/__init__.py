"""Plain JSON values: the check that a value is one, and the text it prints as."""
