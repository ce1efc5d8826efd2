"""What the frame around every page shows of its own."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from frontend.pages import person_of
from registry.access import Actor
from registry.queries import changes, gates

__all__ = ["frame"]


def frame(request: HttpRequest) -> dict[str, Any]:
    """`pending` changes are open, `waiting` of them wait on the person; asked for only where the top bar is drawn."""
    person = person_of(request)
    return {
        "pending": SimpleLazyObject(lambda: changes.pending_count(Actor(person)) if person else 0),
        "waiting": SimpleLazyObject(lambda: gates.waiting_count(Actor(person)) if person else 0),
    }
