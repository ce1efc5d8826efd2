"""Prompts of other systems as documents, and documents as theirs. What another form cannot hold is refused by name."""
