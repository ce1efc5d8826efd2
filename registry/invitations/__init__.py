"""Invitations: how people without an account, or without a role, come to a namespace."""
