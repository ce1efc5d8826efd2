"""Reauthentication in pages: asks for the password before a step that the user can't undo alone."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from registry.accounts.actor import Actor, find_signed_in_person
from registry.namespaces import permissions

__all__ = ["asks_for_password", "explain_missing_proof"]

# For users without a password, a sign-in this recent counts as reauthentication.
FRESH = timedelta(minutes=10)


def asks_for_password(request: HttpRequest) -> bool:
    """Whether the page itself asks for the password, because reauthentication is switched off for the instance."""
    person = find_signed_in_person(request)
    return settings.PROMPTUARY_STEP_UP == "off" and person is not None and person.has_usable_password()


def explain_missing_proof(request: HttpRequest, actor: Actor) -> str:
    """Return in a sentence why this request doesn't prove the user's identity, or an empty string if it does.

    Raises ProofRequired if the instance requires a proof that the session doesn't have.
    """
    permissions.require_proof(actor)
    if asks_for_password(request):
        return (
            ""
            if actor.person.check_password(request.POST.get("password", ""))
            else gettext("This is not your password.")
        )
    is_recent = actor.person.last_login is not None and timezone.now() - actor.person.last_login < FRESH
    if settings.PROMPTUARY_STEP_UP != "off" or is_recent:
        return ""
    return gettext("You signed in more than ten minutes ago. Sign out, sign in again, and come back here.")
