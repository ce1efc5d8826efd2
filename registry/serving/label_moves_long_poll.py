"""Label moves for clients that want them at once: a long poll over the journal.

A waiting request keeps a thread of its process, so only a few wait at a time (settings.PROMPTUARY_WAITING); whoever comes
beyond that is answered at once and told when to ask again. Asking costs about as much as a fetch, since a process knows
the newest move of each namespace: a thousand clients that ask every second are a thousand fetches a second.
"""

import functools
import json
import threading
import time
from dataclasses import asdict, dataclass
from urllib.parse import parse_qs

from django.conf import settings
from django.db import DatabaseError

from registry.core.errors import Busy, Invalid, NotAllowed, NotFound, PromptuaryError
from registry.core.names import LATEST
from registry.journal.models import Event
from registry.namespaces.permissions import Verb
from registry.serving import responses
from registry.serving.credentials import Caller
from registry.serving.fetcher import Fetcher, fetcher, refuse
from registry.serving.journal_follower import POLL, Happened, renew_connection
from registry.serving.responses import Answer
from registry.templates.events import LabelMoved, VersionSaved

__all__ = ["MOST_MOVES", "MOST_WAIT", "Move", "Moves", "News", "moves"]

MOST_MOVES = 500  # of one answer
MOST_WAIT = 30.0  # seconds
AGAIN = 1.0  # seconds after which to ask again where no thread is free
_KINDS = (LabelMoved.kind, VersionSaved.kind)


@dataclass(frozen=True)
class Move:
    """A label of a template and where it stands since; version and digest are None where it was taken off."""

    name: str
    label: str
    version: int | None
    digest: str | None


@dataclass(frozen=True)
class News:
    """What moved since a cursor. `again`: seconds to wait; `reset`: the cursor says nothing here, take all for moved."""

    moves: list[Move]
    cursor: str
    again: float = 0.0
    reset: bool = False


class Moves:
    """Answers for one process. Safe to share between threads."""

    def __init__(self, fetches: Fetcher) -> None:
        self._fetches, self._follower = fetches, fetches.follower
        self._last: dict[str, int] = {}  # namespace to the number of its newest move
        self._room = threading.BoundedSemaphore(max(settings.PROMPTUARY_WAITING, 1))
        fetches.heard.append(self._hear)

    def answer(self, authorization: str, namespace: str, query: str, address: str = "") -> Answer:
        """Answer for the key in an Authorization header; `query` is the address's query string."""
        try:
            return self.answer_caller(self._fetches.caller(authorization, address), namespace, query)
        except PromptuaryError as error:
            return refuse(error)
        except DatabaseError:
            return refuse(Busy("The database can't be asked at the moment; try again."))

    def answer_caller(self, caller: Caller, namespace: str, query: str) -> Answer:
        """The same for a caller that was found good. Raises PromptuaryError."""
        _require(caller, namespace)
        asked = {name: values[0] for name, values in parse_qs(query).items()}
        news = self.since(namespace, asked.get("after"), _read_wait(asked.get("wait", "0")))
        headers = {"Cache-Control": "no-store", "Vary": "Authorization"}
        return responses.make_answer(200, json.dumps(asdict(news)).encode(), "application/json", headers)

    def since(self, namespace: str, after: str | None, wait: float = 0.0) -> News:
        """The moves after the cursor; where there are none, wait for one up to `wait` seconds if there is room to."""
        self._follower.follow()
        head = self._follower.head[0] if self._follower.head else 0
        if after is None:
            return News([], str(head))
        cursor = _read_cursor(after)
        if cursor > head and not Event.objects.filter(number__gte=cursor).exists():  # others may have looked later
            return News([], str(head), reset=True)
        again = 0.0
        if wait > 0 and self._newest(namespace) <= cursor:
            again = self._wait(namespace, cursor, wait)
        if self._newest(namespace) <= cursor:
            return News([], after, again if wait > 0 else AGAIN)
        return self._read(namespace, cursor)

    def _wait(self, namespace: str, cursor: int, seconds: float) -> float:
        """Wait for a move; what to tell a client that must not wait here, else 0."""
        if settings.PROMPTUARY_WAITING < 1 or not self._room.acquire(blocking=False):
            return AGAIN
        try:
            deadline = time.monotonic() + seconds
            while (left := deadline - time.monotonic()) > 0 and self._newest(namespace) <= cursor:
                with self._follower.waiting:
                    self._follower.waiting.wait(min(POLL, left))
                self._follower.follow()
        finally:
            self._room.release()
        return 0.0

    def _newest(self, namespace: str) -> int:
        newest = self._last.get(namespace)
        if newest is None:
            renew_connection()
            rows = Event.objects.filter(namespace=namespace, kind__in=_KINDS).order_by("-number")
            newest = rows.values_list("number", flat=True).first() or 0
            self._last.setdefault(namespace, newest)  # what was heard in the meantime is newer
        return newest

    def _read(self, namespace: str, cursor: int) -> News:
        renew_connection()
        rows = Event.objects.filter(namespace=namespace, kind__in=_KINDS, number__gt=cursor).order_by("number")
        found = list(rows.values_list("number", "kind", "template", "text")[:MOST_MOVES])
        standing: dict[tuple[str, str], Move] = {}
        for _, kind, template, text in found:
            body = json.loads(text)["body"]
            move = (
                Move(template, LATEST, body["number"], body["digest"])
                if kind == VersionSaved.kind
                else Move(template, body["label"], body["to"], body["digest"])
            )
            standing.pop((move.name, move.label), None)  # the last move of a label is the one that counts
            standing[move.name, move.label] = move
        return News(list(standing.values()), str(found[-1][0]) if found else str(cursor))

    def _hear(self, event: Happened | None) -> None:
        if event is None:
            self._last.clear()
        elif event.kind in _KINDS:
            self._last[event.namespace] = event.number


@functools.cache
def moves() -> Moves:
    """The process's own."""
    return Moves(fetcher())


def _require(caller: Caller, namespace: str) -> None:
    if namespace != caller.namespace:
        raise NotFound(f"There is no namespace {namespace[:100]}, or you may not read it.")
    if not caller.may_fetch:
        raise NotAllowed("This key may not fetch: it was given other verbs.", verb=Verb.FETCH.value)


def _read_cursor(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Invalid(fields={"after": "this is no cursor that an answer before it gave."})
    return int(text)


def _read_wait(text: str) -> float:
    if not (text.isascii() and text.isdigit() and int(text[:9]) <= MOST_WAIT):
        raise Invalid(fields={"wait": f"whole seconds from 0 to {MOST_WAIT:.0f}."})
    return float(text)
