"""Namespaces: members, roles, permissions, rules, and the API keys of services."""
