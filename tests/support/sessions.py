"""Sessions from other browsers, and accounts for an admin of the installation to manage."""

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from registry.accounts.models import User

__all__ = ["FIREFOX", "manage_accounts", "open_session"]

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def open_session(person: User, user_agent: str = FIREFOX) -> UserSession:
    """Store a session of the person in another browser, as signing in does."""
    store = SessionStore()
    store[SESSION_KEY] = str(person.pk)
    store[BACKEND_SESSION_KEY] = "allauth.account.auth_backends.AuthenticationBackend"
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.create()
    return UserSession.objects.create(user=person, session_key=store.session_key, ip="192.0.2.7", user_agent=user_agent)


def manage_accounts(admin: User) -> None:
    """Make the person an admin of the installation, and add `asleep`, who is deactivated and has two-step sign-in."""
    admin.is_superuser = True
    admin.save(update_fields=["is_superuser"])
    asleep, _ = User.objects.get_or_create(username="asleep", defaults={"is_active": False})
    Authenticator.objects.get_or_create(user=asleep, type=Authenticator.Type.TOTP, defaults={"data": {}})
