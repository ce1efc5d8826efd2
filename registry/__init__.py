"""The registry: permissions on templates, the journal of all lasting decisions, and serving."""
