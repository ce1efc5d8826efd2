"""A namespace's settings: rules, members, services, webhooks, audit log."""
