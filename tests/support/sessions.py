"""Sessions of people that no test client opened."""

from allauth.usersessions.models import UserSession
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from registry.accounts.models import User

__all__ = ["FIREFOX", "open_session"]

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def open_session(person: User, user_agent: str = FIREFOX) -> UserSession:
    """A sign-in of the person in another browser, as signing in leaves it in the database."""
    store = SessionStore()
    store[SESSION_KEY] = str(person.pk)
    store[BACKEND_SESSION_KEY] = "allauth.account.auth_backends.AuthenticationBackend"
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.create()
    return UserSession.objects.create(user=person, session_key=store.session_key, ip="192.0.2.7", user_agent=user_agent)
