"""People: one's own account, the administration of accounts and sessions, and what is lost when rights are taken."""
