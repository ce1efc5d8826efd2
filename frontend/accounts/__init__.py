"""Sign-in and a person's own account."""
