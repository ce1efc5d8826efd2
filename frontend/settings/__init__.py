"""Settings of a namespace (rules, members, keys, models, webhooks, audit log), and the people of the installation."""
