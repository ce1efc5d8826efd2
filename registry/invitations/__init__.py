"""Invitations into a namespace, for people with or without an account."""
