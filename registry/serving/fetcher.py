"""A fetch, `GET /api/v1/templates/<name>@<ref>`, answered from memory; in the web server it runs ahead of Django.

`Fetcher.answer` is the one callable: `registry.serving.wsgi_fast_path` and the API's own view both use it, so rights, misses,
counts and headers exist once. What is kept: the bytes of versions (immutable, bounded), where labels stand, and which
keys are good. The last two follow the journal: each process knows its head of at most 0.4 s ago, and a key is read anew
before it is a second old, so a moved label or a revoked key holds everywhere within 1 s.
"""

import functools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db import DatabaseError

from registry.accounts.models import User
from registry.core import lru, metrics, tracing
from registry.core.errors import Busy, NotAllowed, NotFound, PromptuaryError
from registry.core.problem_details import CONTENT_TYPE, Problem, of_error, unauthenticated
from registry.core.refusal_limiter import Refusals
from registry.journal.event import Cache, caches_of
from registry.namespaces.key_attempts import KeyAttempts, key_attempts
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Verb, granters, role_of
from registry.serving import responses
from registry.serving.credentials import Caller, caller_of_key
from registry.serving.journal_follower import Follower, Happened, renew_connection
from registry.serving.responses import Answer, Memory, Served
from registry.usage import recorder

__all__ = ["Fetcher", "Ready", "Unauthenticated", "fetcher", "matches", "refuse"]

KEY_AGE = 0.7  # seconds a key is believed
KEY_GRACE = 0.3  # seconds more while one thread reads it anew, so that others need not
MOST_CALLERS = 10_000
MOST_NAMES = 200  # asked for in one query
READY_BUDGET = 32 * 1024 * 1024  # bytes of answers that are ready for a caller


@dataclass(slots=True)
class Ready:
    """What one caller gets for one target, decided already; to be given only while both of the bounds hold."""

    found: Served
    count: Callable[[], int]
    until: float
    generation: int


class Fetcher:
    """Answers fetches for one process. Safe to share between threads."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, attempts: KeyAttempts | None = None) -> None:
        self._clock = clock
        self._attempts = attempts or KeyAttempts(clock)
        self._versions = Memory()
        self._labels: dict[str, dict[str, Served]] = {}
        self._callers: dict[str, Caller] = {}
        self._reading: dict[str, None] = {}  # the keys that a thread reads at the moment
        self._approved: set[int] = set()
        self._ready: dict[tuple[str, str], Ready] = {}
        self._ready_size = 0
        self._refusals = Refusals(clock)
        self.heard: list[Callable[[Happened | None], None]] = []  # others who heed each event; None: forget all
        self.follower = Follower(self._heed, self._forget, clock)

    def quick(self, authorization: str, target: str) -> Ready | None:
        """What was decided for this very question a moment ago, or None: then `answer` decides."""
        ready = self._ready.get((authorization, target))
        if ready is None or ready.generation != self.follower.generation:
            return None
        now = self._clock()
        return ready if now < ready.until and now < self.follower.due else None

    def answer(self, authorization: str, target: str, if_none_match: str = "", address: str = "") -> Answer:
        """Answer for the key in an Authorization header; `target` is `<name>@<ref>`, `address` the network's."""
        name, _, ref = target.rpartition("@")
        try:
            with tracing.span("fetch", name, ref) as current:
                generation = self.follower.generation
                caller = self.caller(authorization, address)
                found = self._find(caller, target)
                tracing.describe(current, found.number, found.digest)
                counter = recorder.counts().counter(caller.key, found.version, ref)
                counter.step()
                if generation == self.follower.generation and not tracing.is_on():
                    ready = Ready(found, counter.step, caller.good_until, generation)
                    self._keep_ready((authorization, target), ready)
                answer = found.unchanged if if_none_match and matches(if_none_match, found.etag) else found.answer
        except PromptuaryError as error:
            answer = refuse(error)
        except DatabaseError:
            answer = refuse(Busy("The database can't be asked at the moment; try again."))
        metrics.count(answer.status)
        return answer

    def answer_person(self, person: User, target: str, if_none_match: str = "") -> Answer:
        """The same for a person who signed in. Raises PromptuaryError."""
        found = self.find_for_person(person, target)
        return found.unchanged if if_none_match and matches(if_none_match, found.etag) else found.answer

    def find_for_person(self, person: User, target: str) -> Served:
        """The version that the ref means, for a person who signed in. Raises PromptuaryError."""
        self.follower.follow()
        namespace = Namespace.objects.filter(name=target.partition("/")[0]).first()
        if namespace is None or role_of(person, namespace) is None:
            raise _absent(target)
        return self.find(Caller("", namespace.name), target)

    def caller(self, authorization: str, address: str = "") -> Caller:
        """Who stands behind an Authorization header. Raises Unauthenticated, or TooMany after many wrong keys."""
        self.follower.follow()
        caller, now = self._callers.get(authorization), self._clock()
        if caller is not None:
            left = caller.good_until - now
            if left > 0 or (left > -KEY_GRACE and authorization in self._reading):
                return caller
        self._reading[authorization] = None
        try:
            renew_connection()
            actor = self._attempts.authenticate(authorization[len("Bearer ") :].strip(), address)
            caller = caller_of_key(actor.key, now + KEY_AGE) if actor and actor.key else None
        finally:
            self._reading.pop(authorization, None)
        if caller is None:
            self._callers.pop(authorization, None)
            raise Unauthenticated("This key is unknown, expired or revoked.")
        if len(self._callers) >= MOST_CALLERS:
            self._callers.clear()
        self._callers[authorization] = caller
        return caller

    def find(self, caller: Caller, target: str) -> Served:
        """The version that the ref means, where the caller may have it. Raises PromptuaryError."""
        name, _, ref = target.rpartition("@")
        if name.partition("/")[0] != caller.namespace:
            raise _absent(target)
        if not caller.may_fetch:
            sentence = f"This key may not fetch: that takes one with the verb fetch. {_granted(caller)}"
            raise NotAllowed(sentence, verb=Verb.FETCH.value)
        pinned = responses.is_pin(ref)
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
            labels = sorted(caller.labels)
            raise NotAllowed(
                f"{target} is not what {' or '.join(labels)} serves now, and this key is limited to that. "
                f"{_granted(caller)}",
                labels=labels,
            )
        return found

    def warm(self, names: Iterable[str], label: str) -> None:
        """Read what the label means for these templates in one query, where it is not known yet."""
        generation = self.follower.generation
        missing = [name for name in names if label not in self._labels.get(name, {})]
        for start in range(0, len(missing), MOST_NAMES):
            found = responses.load_label(missing[start : start + MOST_NAMES], label)
            if generation == self.follower.generation:
                for name, one in found.items():
                    self._labels.setdefault(name, {})[label] = one

    def forget(self) -> None:
        """Drop everything that was kept."""
        self._forget(True)
        self._refusals.forget()
        self._attempts.forget()
        self.follower.restart()

    def hurry(self) -> None:
        """Look at the journal with the next fetch."""
        self.follower.hurry()

    def _find(self, caller: Caller, target: str) -> Served:
        """`find`, for a key that asks for nothing again and again no more often than it may ask the API."""
        self._refusals.check("caller", caller.key)
        try:
            return self.find(caller, target)
        except NotFound:
            self._refusals.count("caller", caller.key)
            raise

    def _load(self, name: str, ref: str, pinned: bool) -> Served:
        generation = self.follower.generation
        renew_connection()
        found = responses.load(name, ref)
        if found is None:
            raise responses.explain(name, ref)
        # What was read before a move that is known by now must not be kept for longer than this answer.
        if generation == self.follower.generation:
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
            except PromptuaryError:  # not set, or redacted since
                continue
            if standing.digest == found.digest:
                return True
        return False

    def _is_approved(self, found: Served) -> bool:
        if found.version in self._approved:
            return True
        generation = self.follower.generation
        renew_connection()
        approved = responses.is_approved(found.version)
        if approved and generation == self.follower.generation:
            self._approved.add(found.version)
        return approved

    def _keep_ready(self, question: tuple[str, str], ready: Ready) -> None:
        if question not in self._ready:
            self._ready_size += len(ready.found.answer.body) + 1000
            if self._ready_size > READY_BUDGET:
                self._ready, self._ready_size = {}, 0
        self._ready[question] = ready

    def _heed(self, event: Happened) -> None:
        for hear in self.heard:
            hear(event)
        caches = caches_of(event.kind)
        if Cache.VERSIONS in caches:
            self._versions.clear()
            self._forget_all_but_versions()
            return
        if Cache.TEMPLATE_LABELS in caches:
            self._labels.pop(event.template, None)
        if Cache.LABELS in caches:
            self._labels.clear()
        if Cache.KEYS in caches:
            self._callers.clear()
        if Cache.APPROVALS in caches:
            self._approved.clear()

    def _forget(self, is_another_journal: bool) -> None:
        """Drop all but the bytes of versions; those too where the database is not the one that was followed so far."""
        for hear in self.heard:
            hear(None)
        self._forget_all_but_versions()
        if is_another_journal:
            self._versions.clear()
            recorder.counts().forget()

    def _forget_all_but_versions(self) -> None:
        self._labels.clear()
        self._callers.clear()
        self._approved.clear()
        self._ready, self._ready_size = {}, 0


class Unauthenticated(PromptuaryError):
    """The key opens nothing."""


@functools.cache
def fetcher() -> Fetcher:
    """The process's own. With a redaction, or another journal, all memories of the process are emptied."""
    own = Fetcher(attempts=key_attempts())
    own.heard.append(_forget_texts)
    return own


def _forget_texts(happened: Happened | None) -> None:
    if happened is None or Cache.TEXTS in caches_of(happened.kind):
        lru.forget_all()


def refuse(error: PromptuaryError) -> Answer:
    """The answer to a domain error."""
    problem: Problem = unauthenticated(error.message) if isinstance(error, Unauthenticated) else of_error(error)
    headers = {**problem.headers, "Cache-Control": "no-store", "Vary": "Authorization"}
    return responses.make_answer(problem.status, problem.to_bytes(), CONTENT_TYPE, headers)


def matches(if_none_match: str, etag: str) -> bool:
    """Weak comparison, as RFC 9110 asks of If-None-Match."""
    if if_none_match == etag:
        return True
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return etag in tags or "*" in tags


def _granted(caller: Caller) -> str:
    """Who gives a key that may more; asked for by refusals only."""
    renew_connection()
    return granters(Namespace.objects.get(name=caller.namespace))


def _absent(target: str) -> NotFound:
    return NotFound(f"There is no {target[:600]}, or you may not read it.")
