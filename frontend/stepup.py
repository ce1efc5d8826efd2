"""Asking once more who somebody is, before a step that others would have to undo."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from frontend.pages import person_of

__all__ = ["fault", "wants_password"]

# Who signs in elsewhere has no password here; a sign-in this fresh counts as one.
FRESH = timedelta(minutes=10)


def wants_password(request: HttpRequest) -> bool:
    """Whether the person proves it with a password; else with having signed in just now."""
    person = person_of(request)
    return person is not None and person.has_usable_password()


def fault(request: HttpRequest) -> str:
    """Why this request does not prove that it is the person, in a sentence; nothing where it does."""
    person = person_of(request)
    if person is None:
        return "Sign in first."
    if person.has_usable_password():
        return "" if person.check_password(request.POST.get("password", "")) else "This is not your password."
    fresh = person.last_login is not None and timezone.now() - person.last_login < FRESH
    return "" if fresh else "You signed in more than ten minutes ago. Sign out, sign in again, and come back here."
