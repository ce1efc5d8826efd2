"""A proof of identity in the session of a test client, as signing in or confirming the password leaves it."""

import time

from django.test import Client

from registry.accounts.models import User

__all__ = ["prove_identity"]


def prove_identity(client: Client, person: User, *, method: str = "password", age: float = 0) -> None:
    """Record in the client's session that the person proved who they are, `age` seconds ago."""
    session = client.session
    session["account_authentication_methods"] = [{"method": method, "at": time.time() - age}]
    session["account_authentication_methods_user"] = str(person.pk)
    session.save()
