"""What the frame around every page shows of its own, under one name that no view may use."""

from functools import cached_property
from typing import Any

from django.http import HttpRequest

from frontend.web.htmx import FRAME
from frontend.web.pages import person_of
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import gate
from registry.changes import queries as change_queries

__all__ = ["Frame", "frame", "frame_of"]

_STORED = "promptuary_frame"  # the attribute of the request that keeps its frame


class Frame:
    """The counts of the top bar; each is asked for once, and only where it is drawn."""

    def __init__(self, person: User | None) -> None:
        self._person = person

    @cached_property
    def open_changes(self) -> int:
        """How many changes that the person may read wait for somebody."""
        return change_queries.pending_count(Actor(self._person)) if self._person else 0

    @cached_property
    def waiting(self) -> int:
        """How many of them wait on the person."""
        return gate.waiting_count(Actor(self._person)) if self._person else 0

    def set_counts(self, *, open_changes: int, waiting: int) -> None:
        """Take the counts from a page that has them already."""
        self.open_changes, self.waiting = open_changes, waiting


def frame_of(request: HttpRequest) -> Frame:
    """The frame of this request's page."""
    found: Frame = request.__dict__.setdefault(_STORED, Frame(person_of(request)))
    return found


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context processor."""
    return {FRAME: frame_of(request)}
