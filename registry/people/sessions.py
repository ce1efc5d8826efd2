"""Sessions of people: where somebody is signed in, with which browser, and ending that.

allauth keeps a row for each sign-in. Access is granted by Django's own session, so ending a session removes both.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import NotAllowed, NotFound

__all__ = [
    "SessionSummary",
    "count_sessions",
    "describe_browser",
    "end_all_sessions",
    "end_other_sessions",
    "end_session",
    "list_sessions",
    "note_session_use",
]

# The first match wins: Edge and Opera also contain Chrome, and Chrome contains Safari.
_BROWSERS = (
    ("Edge", r"\bEdgA?(?:iOS)?/"),
    ("Opera", r"\bOPR/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/"),
    ("Chrome", r"\b(?:Headless)?(?:Chrome|CriOS)/"),
    ("Safari", r"\bSafari/"),
)
_SYSTEMS = (
    ("iPhone", r"\biPhone\b"),
    ("iPad", r"\biPad\b"),
    ("Android", r"\bAndroid\b"),
    ("Windows", r"\bWindows\b"),
    ("macOS", r"\bMac(?:intosh| OS X)\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("Linux", r"\bLinux\b"),
)


@dataclass(frozen=True)
class SessionSummary:
    """An active sign-in. browser: `Firefox on Linux`; address: the network address it was last used from."""

    id: int
    browser: str
    address: str
    signed_in_at: datetime
    last_used_at: datetime
    is_current: bool


def list_sessions(actor: Actor, current_key: str | None) -> list[SessionSummary]:
    """List the actor's sign-ins: this session first, then by last use; not by key.

    current_key: Django's key of the current session.
    """
    if actor.key is not None:
        raise NotAllowed(gettext("A key has no sessions: sign in as a person."), key=actor.key.id)
    rows = UserSession.objects.purge_and_list(actor.person)
    summaries = [
        SessionSummary(
            row.pk,
            describe_browser(row.user_agent),
            row.ip or "",
            row.created_at,
            row.last_seen_at,
            row.session_key == current_key,
        )
        for row in rows
    ]
    return sorted(summaries, key=lambda row: (not row.is_current, -row.last_used_at.timestamp()))


def count_sessions(person: User) -> int:
    """Count the active sessions of the person."""
    return len(UserSession.objects.purge_and_list(person))


def end_session(*, actor: Actor, session_id: int) -> None:
    """End one of the actor's own sessions. Raises NotFound if it isn't one of theirs, or has ended. Never by key."""
    _require_session(actor)
    row = UserSession.objects.filter(user=actor.person, pk=session_id).first()
    if row is None:
        raise NotFound(gettext("You have no such session: it may be over already."))
    row.end()


def end_other_sessions(*, actor: Actor, current_key: str | None) -> int:
    """End all of the actor's sessions except this one; returns how many ended. Never by key."""
    _require_session(actor)
    return _end_sessions(actor.person, keep=current_key)


def end_all_sessions(person: User) -> int:
    """End every session of the person; returns how many ended. For services."""
    return _end_sessions(person, keep=None)


def describe_browser(user_agent: str) -> str:
    """The browser and system of a User-Agent header: `Firefox on Linux`."""
    browser = next((name for name, pattern in _BROWSERS if re.search(pattern, user_agent)), "")
    system = next((name for name, pattern in _SYSTEMS if re.search(pattern, user_agent)), "")
    if browser and system:
        return gettext("{browser} on {system}").format(browser=browser, system=system)
    return browser or system or gettext("An unknown browser")


def _require_session(actor: Actor) -> None:
    if actor.key is not None or actor.is_operator:
        raise NotAllowed(gettext("Sessions are ended by their person, who signed in."))


def _end_sessions(person: User, keep: str | None) -> int:
    """Remove Django's sessions of the person, including those unknown to allauth, and allauth's rows."""
    keys = [
        session.session_key
        for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator()
        if session.session_key != keep and session.get_decoded().get(SESSION_KEY) == str(person.pk)
    ]
    Session.objects.filter(session_key__in=keys).delete()
    UserSession.objects.filter(user=person).exclude(session_key=keep or "").delete()
    return len(keys)


def note_session_use(session_key: str, address: str) -> None:
    """Store the time and network address of a session's latest page view."""
    UserSession.objects.filter(session_key=session_key).update(last_seen_at=timezone.now(), ip=address)
