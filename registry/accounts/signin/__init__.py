"""Sign-in: allauth's adapters, an OpenID provider, password hashing and reauthentication."""
