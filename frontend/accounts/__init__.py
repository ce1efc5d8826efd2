"""Sign-in and the user's own account."""
