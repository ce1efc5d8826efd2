"""People: what each sets for their own account, and what admins of the installation do with accounts."""
