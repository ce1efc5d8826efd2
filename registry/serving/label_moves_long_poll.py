"""Long poll for label moves: a request waits until the journal has new ones.

In `manage.py serve` it waits in the event loop (`registry.live.label_move_waits`), then it is answered here. In other
servers a waiting request occupies a thread of its process, so only a few wait at a time (settings.PROMPTUARY_WAITING).
Further ones are answered immediately with the time to retry: soon while there are few such clients, later the more
there are (`registry.serving.retry_pace`). A request costs about as much as a fetch, since a process caches the newest
move of each namespace, and what it answered last.
"""

import functools
import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.db import DatabaseError
from django.utils.translation import gettext

from registry.core.errors import Busy, Invalid, NotAllowed, NotFound, PromptuaryError
from registry.core.input_checks import parse_number
from registry.core.lru import Recent
from registry.core.names import LATEST
from registry.journal.models import Event
from registry.namespaces.verbs import Verb
from registry.rollouts.events import RolloutStarted, RolloutStepped, RolloutStopped
from registry.serving.credentials import Caller
from registry.serving.fetcher import Fetcher, get_fetcher
from registry.serving.journal_follower import HEAD_MAX_AGE, FollowedEvent, renew_connection
from registry.serving.responses import Answer, build_refusal, make_answer
from registry.serving.retry_pace import RetryPace
from registry.templates.events import VersionSaved
from registry.templates.former_names import map_all_names
from registry.templates.label_events import LabelMoved

__all__ = ["MAX_MOVES", "MAX_WAIT", "LabelMovesPoll", "Move", "MovesAnswer", "label_moves_poll"]

MAX_MOVES = 500  # in one response
MAX_WAIT = 30.0  # seconds
RETRY_AFTER = 1.0  # seconds to retry after for clients that didn't ask to wait
_ROLLOUTS = (RolloutStarted.kind, RolloutStepped.kind, RolloutStopped.kind)
_KINDS = (LabelMoved.kind, VersionSaved.kind, *_ROLLOUTS)


@dataclass(frozen=True)
class Move:
    """A label of a template and what it serves now; version and digest are None if it was removed.

    rollout: the rollout that changed on this label, if it didn't move; version and digest are of its stable version.
    """

    name: str
    label: str
    version: int | None
    digest: str | None
    rollout: int | None = None


@dataclass(frozen=True)
class MovesAnswer:
    """What moved since a cursor; the fields are those of the response's JSON.

    again: seconds to wait before the next request. reset: the cursor is unknown here, so every label may have moved.
    """

    moves: list[Move]
    cursor: str
    again: float = 0.0
    reset: bool = False


class LabelMovesPoll:
    """The long polls of one process. Thread-safe.

    `listeners` are called from any thread after a move, with its namespace; with None if any label may have moved.
    """

    def __init__(self, fetches: Fetcher) -> None:
        self.listeners: list[Callable[[str | None], None]] = []
        self._fetches, self._follower = fetches, fetches.follower
        self._recent: Recent[tuple[str, int, int, int], MovesAnswer] = Recent(limit=16)
        self._last: dict[str, int] = {}  # namespace to the number of its newest move
        self._waiting_slots = threading.BoundedSemaphore(max(settings.PROMPTUARY_WAITING, 1))
        self._pace = RetryPace(time.monotonic)
        fetches.listeners.append(self._on_event)

    def answer(
        self, authorization: str, namespace: str, query: str, address: str = "", *, has_waited: bool = False
    ) -> Answer:
        """Answer for the key in an Authorization header; `query` is the query string. has_waited: elsewhere."""
        try:
            caller = self._fetches.authenticate(authorization, address)
            return self.answer_caller(caller, namespace, query, has_waited=has_waited)
        except PromptuaryError as error:
            return build_refusal(error)
        except DatabaseError:
            return build_refusal(Busy(gettext("The database does not answer at the moment; try again.")))

    def find_seconds_to_wait(self, authorization: str, namespace: str, query: str, address: str = "") -> float:
        """How long the request may wait for a move; 0 if `answer` answers it at once, also with a refusal."""
        try:
            _require(self._fetches.authenticate(authorization, address), namespace)
            after, wait = _read_parameters(query)
            if after is None or settings.PROMPTUARY_WAITING < 1:
                return 0.0
            self._follower.poll_if_due()
            cursor = _read_cursor(after)
            return wait if not self._is_unknown(cursor) and self._find_newest(namespace) <= cursor else 0.0
        except (PromptuaryError, DatabaseError):
            return 0.0

    def answer_caller(self, caller: Caller, namespace: str, query: str, *, has_waited: bool = False) -> Answer:
        """Answer for a caller whose key was accepted. Raises PromptuaryError."""
        _require(caller, namespace)
        moves = self.read_moves_since(namespace, *_read_parameters(query), has_waited=has_waited)
        headers = {"Cache-Control": "no-store", "Vary": "Authorization"}
        return make_answer(200, json.dumps(_to_fields(moves)).encode(), "application/json", headers)

    def read_moves_since(
        self, namespace: str, after: str | None, wait: float = 0.0, *, has_waited: bool = False
    ) -> MovesAnswer:
        """The moves after the cursor; without any, wait for one up to `wait` seconds if there is a free place.

        has_waited: it has already waited elsewhere.
        """
        self._follower.poll_if_due()
        if after is None:
            return MovesAnswer([], str(self._read_head()))
        cursor = _read_cursor(after)
        if self._is_unknown(cursor):
            return MovesAnswer([], str(self._read_head()), reset=True)
        again = 0.0
        if wait > 0 and not has_waited and self._find_newest(namespace) <= cursor:
            again = self._wait(namespace, cursor, wait)
        if self._find_newest(namespace) <= cursor:
            return MovesAnswer([], after, again if wait > 0 else RETRY_AFTER)
        # After a move, all waiting clients ask with the same cursor.
        key = (namespace, cursor, self._find_newest(namespace), self._follower.generation)
        return self._recent.get(key, lambda: self._read(namespace, cursor))

    def _read_head(self) -> int:
        return self._follower.head[0] if self._follower.head else 0

    def _is_unknown(self, cursor: int) -> bool:
        """Whether the cursor is of another journal; another process may have read further than this one."""
        return cursor > self._read_head() and not Event.objects.filter(number__gte=cursor).exists()

    def _wait(self, namespace: str, cursor: int, seconds: float) -> float:
        """Wait for a move. Return the retry time for a client that can't wait here, else 0."""
        if settings.PROMPTUARY_WAITING < 1 or not self._waiting_slots.acquire(blocking=False):
            return self._pace.next_pause()
        try:
            deadline = time.monotonic() + seconds
            while (remaining := deadline - time.monotonic()) > 0 and self._find_newest(namespace) <= cursor:
                with self._follower.changed:
                    self._follower.changed.wait(min(HEAD_MAX_AGE, remaining))
                self._follower.poll_if_due()
        finally:
            self._waiting_slots.release()
        return 0.0

    def _find_newest(self, namespace: str) -> int:
        newest = self._last.get(namespace)
        if newest is None:
            renew_connection()
            rows = Event.objects.filter(namespace=namespace, kind__in=_KINDS).order_by("-number")
            newest = rows.values_list("number", flat=True).first() or 0
            self._last.setdefault(namespace, newest)  # a value stored meanwhile is newer
        return newest

    def _read(self, namespace: str, cursor: int) -> MovesAnswer:
        renew_connection()
        rows = Event.objects.filter(namespace=namespace, kind__in=_KINDS, number__gt=cursor).order_by("number")
        events = list(rows.values_list("number", "kind", "template", "text")[:MAX_MOVES])
        # Clients that use a former name are notified too.
        names = map_all_names({template for _, _, template, _ in events})
        moves: dict[tuple[str, str], Move] = {}
        named_moves = [(name, kind, text) for _, kind, at, text in events for name in names.get(at, (at,))]
        for template, kind, text in named_moves:
            body = json.loads(text)["body"]
            if kind == VersionSaved.kind:
                move = Move(template, LATEST, body["number"], body["digest"])
            elif kind in _ROLLOUTS:
                move = Move(template, body["label"], body["stable"], body["stable_digest"], body["rollout"])
            else:
                move = Move(template, body["label"], body["to"], body["digest"])
            moves.pop((move.name, move.label), None)  # only the last move of a label counts
            moves[move.name, move.label] = move
        return MovesAnswer(list(moves.values()), str(events[-1][0]) if events else str(cursor))

    def _on_event(self, event: FollowedEvent | None) -> None:
        if event is None:
            self._last.clear()
        elif event.kind in _KINDS:
            self._last[event.namespace] = event.number
        else:
            return
        for listener in self.listeners:
            listener(event.namespace if event else None)


@functools.cache
def label_moves_poll() -> LabelMovesPoll:
    """The process's long poll."""
    return LabelMovesPoll(get_fetcher())


def _to_fields(moves: MovesAnswer) -> dict[str, Any]:
    """The JSON of a response; a move without a rollout has no field for it."""
    fields = asdict(moves)
    for move in fields["moves"]:
        if move["rollout"] is None:
            del move["rollout"]
    return fields


def _require(caller: Caller, namespace: str) -> None:
    if namespace != caller.namespace:
        raise NotFound(
            gettext("There is no namespace {name}, or you don't have access to it.").format(name=namespace[:100])
        )
    if not caller.may_fetch:
        raise NotAllowed(gettext("This key may not fetch: it was given other verbs."), verb=Verb.FETCH.value)


def _read_parameters(query: str) -> tuple[str | None, float]:
    """The cursor as written, None without one, and the seconds to wait."""
    parameters = {name: values[0] for name, values in parse_qs(query).items()}
    return parameters.get("after"), _read_wait(parameters.get("wait", "0"))


def _read_cursor(text: str) -> int:
    cursor = parse_number(text, digits=18)
    if cursor is None:
        raise Invalid(fields={"after": gettext("this is not a cursor of an earlier answer.")})
    return cursor


def _read_wait(text: str) -> float:
    seconds = parse_number(text)
    if seconds is None or seconds > MAX_WAIT:
        raise Invalid(fields={"wait": gettext("whole seconds from 0 to {most}.").format(most=f"{MAX_WAIT:.0f}")})
    return float(seconds)
