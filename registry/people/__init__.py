"""People: the user's own account, the administration of accounts and sessions, and the effects of removing rights."""
