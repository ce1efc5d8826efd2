"""Accounts: people, the rows of API keys, the actor of a request, and signing in."""
