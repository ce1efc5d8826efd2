"""Settings of a namespace (rules, members, keys, models, webhooks, audit log), and the users of the installation."""
