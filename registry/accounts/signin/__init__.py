"""Sign-in: what Promptuary asks of allauth, an OpenID provider, password hashing and reauthentication."""
