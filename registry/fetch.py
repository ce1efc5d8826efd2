"""A fetch, `GET /api/v1/templates/<name>@<ref>`, answered from memory; in the web server it runs ahead of Django.

`Fetcher.answer` is the one callable: the WSGI wrapper `ahead_of` and the API's own view both use it, so rights, misses
and headers exist once. What is kept: the bytes of versions (immutable, bounded), where labels stand, and which keys
are good. The last two follow the journal: each process looks at its head at most every 0.4 s, and a key is read anew
every second, so a moved label or a revoked key holds everywhere within 1 s.
"""

import functools
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, close_old_connections, connection

from registry import served, usage
from registry.access import Verb, role_of, verbs_of
from registry.errors import Busy, NotAllowed, NotFound, PromptuaryError
from registry.journal import Kind
from registry.models import Event, Key, Namespace, User
from registry.problems import CONTENT_TYPE, Problem, of_error, unauthenticated
from registry.queries import keys, versions
from registry.served import Answer, Memory, Served

__all__ = ["Caller", "Fetcher", "ahead_of", "fetcher"]

PREFIX = "/api/v1/templates/"
POLL = 0.4  # seconds between two looks at the journal
GRACE = 0.5  # seconds more that other threads go on with what is known while one looks
KEY_AGE = 1.0  # seconds a key is believed
MOST_CALLERS = 10_000

_UNAFFECTED = {Kind.NAMESPACE_CREATED, Kind.KEY_ISSUED, Kind.SAMPLES_SAVED}
_OF_CALLERS = {Kind.KEY_REVOKED, Kind.KEY_ROTATED, Kind.MEMBER_SET, Kind.NAMESPACE_RULED}
_OF_LABELS = {Kind.VERSION_SAVED, Kind.LABEL_MOVED}
_OF_APPROVALS = {Kind.CHANGE_PROPOSED, Kind.CHANGE_HEADED, Kind.CHANGE_DECIDED, Kind.CHANGE_WITHDRAWN}

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who may fetch what: everything below one namespace, perhaps only what was approved or a protected label holds, or
    only what some labels serve.
    """

    key: str  # its id; empty for a person
    namespace: str
    approved_only: bool = False
    protected: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()  # none: all
    may_fetch: bool = True
    good_until: float = 0.0


class Fetcher:
    """Answers fetches for one process. Safe to share between threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._versions = Memory()
        self._labels: dict[str, dict[str, Served]] = {}
        self._callers: dict[str, Caller] = {}
        self._approved: set[int] = set()
        self._head: tuple[int, str] | None = None
        self._generation = 0
        self._due = 0.0
        self._polling = threading.Lock()

    def answer(self, authorization: str, target: str, if_none_match: str = "") -> Answer:
        """Answer for the key in an Authorization header; `target` is `<name>@<ref>`."""
        try:
            self._follow()
            caller = self._callers.get(authorization)
            if caller is None or self._clock() >= caller.good_until:
                caller = self._read_caller(authorization)
                if caller is None:
                    return _problem(unauthenticated("This key is unknown, expired or revoked."))
            found = self._serve(caller, target)
            usage.note(caller.key, found.version, target[target.rindex("@") + 1 :])
            return found.unchanged if if_none_match and _matches(if_none_match, found.etag) else found.answer
        except PromptuaryError as error:
            return _problem(of_error(error))
        except DatabaseError:
            return _problem(of_error(Busy("The database can't be asked at the moment; try again.")))

    def answer_person(self, person: User, target: str, if_none_match: str = "") -> Answer:
        """The same for a person who signed in. Raises PromptuaryError."""
        self._follow()
        namespace = Namespace.objects.filter(name=target.partition("/")[0]).first()
        if namespace is None or role_of(person, namespace) is None:
            raise _absent(target)
        found = self._serve(Caller("", namespace.name), target)
        return found.unchanged if if_none_match and _matches(if_none_match, found.etag) else found.answer

    def forget(self) -> None:
        """Drop everything that was kept."""
        self._versions.clear()
        self._forget_all_but_versions()
        self._head = None
        self._due = 0.0

    def hurry(self) -> None:
        """Look at the journal with the next fetch."""
        self._due = 0.0

    def _serve(self, caller: Caller, target: str) -> Served:
        name, _, ref = target.rpartition("@")
        if name.partition("/")[0] != caller.namespace:
            raise _absent(target)
        pinned = served.is_pin(ref)
        if not caller.may_fetch:
            raise NotAllowed("This key may not fetch: it was given other verbs.", verb=Verb.FETCH.value)
        found = self._versions.find(target) if pinned else self._labels.get(name, {}).get(ref)
        if found is None:
            found = self._load(name, ref, pinned)
        if caller.approved_only and ref not in caller.protected and not self._is_approved(found):
            raise NotAllowed(
                f"{target} is not approved, and this key is limited to approved versions. Ask for "
                f"{' or '.join(sorted(caller.protected)) or 'an approved version'}, or have it approved.",
                approved_only=True,
            )
        if caller.labels and ref not in caller.labels and not self._is_on(caller.labels, name, found):
            raise NotAllowed(
                f"{target} is not what {' or '.join(sorted(caller.labels))} serves now, and this key is limited to that.",
                labels=sorted(caller.labels),
            )
        return found

    def _load(self, name: str, ref: str, pinned: bool) -> Served:
        generation = self._generation
        _renew_connection()
        found = served.load(name, ref)
        if found is None:
            raise served.explain(name, ref)
        # What was read before a move that is known by now must not be kept for longer than this answer.
        if generation == self._generation:
            if pinned:
                self._versions.keep(f"{name}@{ref}", found)
            else:
                self._labels.setdefault(name, {})[ref] = found
        return found

    def _is_on(self, labels: Iterable[str], name: str, found: Served) -> bool:
        """Whether one of the labels stands on these very bytes."""
        for label in labels:
            try:
                standing = self._labels.get(name, {}).get(label) or self._load(name, label, False)
            except NotFound:
                continue
            if standing.digest == found.digest:
                return True
        return False

    def _is_approved(self, found: Served) -> bool:
        if found.version in self._approved:
            return True
        generation = self._generation
        _renew_connection()
        approved = served.is_approved(found.version)
        if approved and generation == self._generation:
            self._approved.add(found.version)
        return approved

    def _read_caller(self, authorization: str) -> Caller | None:
        now = self._clock()
        _renew_connection()
        actor = keys.authenticate(authorization[len("Bearer ") :].strip())
        if actor is None or actor.key is None:
            self._callers.pop(authorization, None)
            return None
        if len(self._callers) >= MOST_CALLERS:
            self._callers.clear()
        caller = _caller_of(actor.key, now + KEY_AGE)
        self._callers[authorization] = caller
        return caller

    def _follow(self) -> None:
        """Take over what the journal says since the last look."""
        late = self._clock() - self._due
        if late < 0 or not self._polling.acquire(blocking=late > GRACE):
            return
        try:
            if self._clock() >= self._due:
                _renew_connection()
                due = self._clock() + POLL
                self._poll()
                self._due = due
        finally:
            self._polling.release()

    def _poll(self) -> None:
        newest = Event.objects.order_by("-number").values_list("number", "hash").first()
        if newest == self._head:
            return
        known = self._head
        if known is None or newest is None or newest[0] <= known[0]:
            self._forget_all_but_versions()
            if known is not None:
                usage.counts().forget()
                self._versions.clear()  # another journal than the one followed so far: a restored database
        else:
            self._take_over(known)
        self._head = newest
        self._generation += 1

    def _take_over(self, known: tuple[int, str]) -> None:
        events = list(
            Event.objects.filter(number__gte=known[0])
            .order_by("number")
            .values_list("number", "hash", "kind", "template")[: MOST_CALLERS + 1]
        )
        if not events or events[0][:2] != known or len(events) > MOST_CALLERS:
            if not events or events[0][:2] != known:
                usage.counts().forget()
            self._versions.clear()
            self._forget_all_but_versions()
            return
        for _, _, kind, template in events[1:]:
            self._heed(kind, template)

    def _heed(self, kind: str, template: str) -> None:
        if kind in _UNAFFECTED:
            return
        if kind in _OF_LABELS:
            self._labels.pop(template, None)
        elif kind in _OF_CALLERS:
            self._callers.clear()
            self._approved.clear()
        elif kind in _OF_APPROVALS:
            self._approved.clear()
        else:
            self._versions.clear()
            self._forget_all_but_versions()

    def _forget_all_but_versions(self) -> None:
        self._labels.clear()
        self._callers.clear()
        self._approved.clear()
        self._generation += 1


@functools.cache
def fetcher() -> Fetcher:
    """The process's own."""
    return Fetcher()


def ahead_of(application: Application) -> Application:
    """A WSGI application that answers fetches with a key itself and hands on everything else."""
    answer = fetcher().answer
    start = len(PREFIX)

    def serve(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ["PATH_INFO"]
        authorization = environ.get("HTTP_AUTHORIZATION")
        if "@" not in path or authorization is None or not path.startswith(PREFIX) or "\0" in path:
            return application(environ, start_response)
        method = environ["REQUEST_METHOD"]
        if method not in ("GET", "HEAD") or authorization[:7].lower() != "bearer ":
            return application(environ, start_response)
        found = answer(authorization, path[start:], environ.get("HTTP_IF_NONE_MATCH", ""))
        start_response(found.line, list(found.headers))
        return (found.body,) if method == "GET" else ()

    return serve


def _renew_connection() -> None:
    # Ahead of Django nobody else drops a connection that the database has closed or that is past its age.
    if not connection.in_atomic_block:
        close_old_connections()


def _caller_of(key: Key, good_until: float) -> Caller:
    # Without a role in the namespace any more the key finds nothing: no template lies below a namespace without a name.
    namespace = key.namespace.name if role_of(key.person, key.namespace) else ""
    return Caller(
        key.id,
        namespace,
        versions.is_limited(key),
        frozenset(key.namespace.protected_labels),
        frozenset(key.labels),
        Verb.FETCH in verbs_of(key),
        good_until,
    )


def _matches(if_none_match: str, etag: str) -> bool:
    """Weak comparison, as RFC 9110 asks of If-None-Match."""
    if if_none_match == etag:
        return True
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return etag in tags or "*" in tags


def _absent(target: str) -> NotFound:
    return NotFound(f"There is no {target[:600]}, or you may not read it.")


def _problem(problem: Problem) -> Answer:
    headers = {**problem.headers, "Cache-Control": "no-store", "Vary": "Authorization"}
    return served.make_answer(problem.status, problem.to_bytes(), CONTENT_TYPE, headers)
