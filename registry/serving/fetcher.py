"""A fetch, `GET /api/v1/templates/<name>@<ref>`, answered from memory; in the web server it runs ahead of Django.

`Fetcher.answer` is the one callable: `registry.serving.wsgi_fast_path` and the API's own view both use it, so rights,
misses, counts and headers are implemented once. Four caches, of which all but the first follow the journal:

* the bytes of versions, immutable (`VersionCache`);
* what each label serves of each template;
* which keys are valid and what they may fetch (`CallerCache`), and which versions are approved;
* the decision for one caller and one target (`CachedFetch`), reused until an event or a key that is due.

Timing, as decision 004 requires: `registry.serving.journal_follower` has the journal's head of at most 0.4 s ago, and
`registry.serving.credentials` reads a key again before it is a second old. So a moved label or a revoked key takes
effect in every process within 1 s.
"""

import contextlib
import functools
import time
from collections.abc import Callable, Iterable, Iterator

from django.db import DatabaseError

from promptuary.renderer.names import is_pin
from registry.accounts.models import User
from registry.core import lru, metrics, tracing
from registry.core.errors import Busy, NotFound, PromptuaryError
from registry.core.refusal_limiter import Refusals
from registry.journal.event import Cache, find_invalidated_caches
from registry.namespaces.key_attempts import KeyAttempts, key_attempts
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import find_role
from registry.serving import version_rows
from registry.serving.cached_fetches import CachedFetch, CachedFetches
from registry.serving.credentials import Caller, CallerCache
from registry.serving.fetch_refusals import (
    explain_absent,
    explain_missing_verb,
    explain_other_label,
    explain_unapproved,
)
from registry.serving.journal_follower import FollowedEvent, Follower, renew_connection
from registry.serving.responses import Answer, ServedVersion, VersionCache, build_refusal, matches_etag
from registry.serving.rollout_sides import answer_side, gets_candidate, is_candidate
from registry.usage import recorder

__all__ = ["Fetcher", "get_fetcher"]

MAX_NAMES = 200  # read in one query


class Fetcher:
    """Answers fetches for one process. Thread-safe."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, attempts: KeyAttempts | None = None) -> None:
        self._clock = clock
        self._attempts = attempts or KeyAttempts(clock)
        self._versions = VersionCache()
        self._labels: dict[str, dict[str, ServedVersion]] = {}
        self._former_names: dict[str, frozenset[str]] = {}  # by a template's name its former names
        self.callers = CallerCache(clock, self._attempts)
        self._approved: set[int] = set()
        self._fetches = CachedFetches()
        self._refusals = Refusals(clock)
        self.listeners: list[Callable[[FollowedEvent | None], None]] = []  # called for each event; None: drop all
        self.follower = Follower(self._on_event, self._reset, clock)

    def cached(self, authorization: str, target: str, bucket: str | None = None) -> CachedFetch | None:
        """The cached decision for this caller, target and side, or None, in which case `answer` decides."""
        side = None
        if bucket is not None:
            name, _, label = target.rpartition("@")
            label_version = self._labels.get(name, {}).get(label)
            if label_version is None:  # a pin too, as it has no sides
                return None
            side = gets_candidate(label_version, bucket)
        fetch = self._fetches.find((authorization, target, side))
        now = self._clock()
        if fetch is None or now >= self.follower.next_poll:
            return None
        if fetch.generation == self.follower.generation and now < fetch.caller.valid_until:
            return fetch
        return fetch if self._confirm(fetch, authorization, target) else None

    def answer(
        self, authorization: str, target: str, if_none_match: str = "", address: str = "", bucket: str | None = None
    ) -> Answer:
        """Answer for the key in an Authorization header; `target` is `<name>@<ref>`, `address` the network address.

        bucket: the caller's, to choose its side in a rollout of the label.
        """
        name, _, ref = target.rpartition("@")
        has_side = bucket is not None and not is_pin(ref)
        try:
            with tracing.span("fetch", name, ref) as current:
                generation = self.follower.generation
                caller = self.authenticate(authorization, address)
                version = label_version = self._find_limited(caller, target)
                answer, side = version.answer, None
                if bucket is not None and has_side:
                    version, side = self._find_side(label_version, name, bucket)
                    answer = answer_side(label_version, version)
                tracing.record_version(current, version.number, version.digest)
                counter = recorder.process_counts().counter(caller.key, version.version, ref, label_version.former_name)
                counter.step()
                is_lasting = generation == self.follower.generation and not caller.networks  # no address check later
                if is_lasting and not tracing.is_on():
                    fetch = CachedFetch(version, answer, counter.step, caller, label_version, generation)
                    self._fetches.keep((authorization, target, side), fetch)
                if side is None and if_none_match and matches_etag(if_none_match, version.etag):
                    answer = version.unchanged
        except PromptuaryError as error:
            answer = build_refusal(error)
        except DatabaseError:
            answer = build_refusal(Busy("The database does not answer at the moment; try again."))  # no text: for keys
        metrics.count_fetch(answer.status)
        return answer

    def answer_person(self, person: User, target: str, if_none_match: str = "", bucket: str | None = None) -> Answer:
        """Answer a fetch by a signed-in person. Raises PromptuaryError."""
        version = self.find_version_for_person(person, target)
        name, _, ref = target.rpartition("@")
        if bucket is not None and not is_pin(ref):
            return answer_side(version, self._find_side(version, name, bucket)[0])
        return version.unchanged if if_none_match and matches_etag(if_none_match, version.etag) else version.answer

    def find_version_for_person(self, person: User, target: str) -> ServedVersion:
        """The version that the ref resolves to, for a signed-in person. Raises PromptuaryError."""
        self.follower.poll_if_due()
        namespace = Namespace.objects.filter(name=target.partition("/")[0]).first()
        if namespace is None or find_role(person, namespace) is None:
            raise explain_absent(target)
        return self.find_version(Caller("", namespace.name), target)

    def authenticate(self, authorization: str, address: str = "") -> Caller:
        """The caller of an Authorization header. Raises Unauthenticated, AddressNotAllowed, or TooMany after many wrong
        keys.
        """
        self.follower.poll_if_due()
        return self.callers.authenticate(authorization, address)

    def find_version(self, caller: Caller, target: str) -> ServedVersion:
        """The version that the ref resolves to, if the caller may fetch it. Raises PromptuaryError."""
        name, _, ref = target.rpartition("@")
        if name.partition("/")[0] != caller.namespace:
            raise explain_absent(target)
        if not caller.may_fetch:
            raise explain_missing_verb(caller)
        version = self._find_in_memory(name, ref) or self._load(name, ref)
        if caller.approved_only and ref not in caller.protected and not self._is_accepted(caller, name, version):
            raise explain_unapproved(caller, target)
        if caller.labels and ref not in caller.labels and not self._is_on(caller.labels, name, version):
            raise explain_other_label(caller, target)
        return version

    def load_label(self, names: Iterable[str], label: str) -> None:
        """Load what the label serves of these templates, batched, unless it is cached already."""
        generation = self.follower.generation
        missing = [name for name in names if label not in self._labels.get(name, {})]
        for start in range(0, len(missing), MAX_NAMES):
            versions = version_rows.load_label_versions(missing[start : start + MAX_NAMES], label)
            if generation == self.follower.generation:
                for name, version in versions.items():
                    self._labels.setdefault(name, {})[label] = version

    def clear(self) -> None:
        """Drop everything that is cached."""
        self._reset(True)
        self._refusals.forget()
        self._attempts.forget()
        self.follower.restart()

    def _confirm(self, fetch: CachedFetch, authorization: str, target: str) -> bool:
        """Whether the decision would be the same now, according to memory alone; then it stays valid."""
        generation = self.follower.generation  # before looking: a later event must not be passed over
        caller, (name, _, ref) = self.callers.find(authorization), target.rpartition("@")
        if caller is None or caller != fetch.caller or self._find_in_memory(name, ref) is not fetch.resolved:
            return False
        if caller.approved_only and ref not in caller.protected and fetch.resolved.version not in self._approved:
            return False
        if caller.labels and ref not in caller.labels:
            return False
        fetch.caller, fetch.generation = caller, generation
        return True

    def _find_in_memory(self, name: str, ref: str) -> ServedVersion | None:
        """What the ref resolves to, if that is cached."""
        return self._versions.find(f"{name}@{ref}") if is_pin(ref) else self._labels.get(name, {}).get(ref)

    def _find_limited(self, caller: Caller, target: str) -> ServedVersion:
        """`find_version`, with a rate limit on keys that repeatedly request what doesn't exist."""
        self._refusals.check("caller", caller.key)
        try:
            return self.find_version(caller, target)
        except NotFound:
            self._refusals.count("caller", caller.key)
            raise

    def _find_side(self, label_version: ServedVersion, name: str, bucket: str) -> tuple[ServedVersion, bool]:
        """The version that this bucket gets from a label that serves this one, and whether it is the candidate."""
        if label_version.rollout is None or not gets_candidate(label_version, bucket):
            return label_version, False
        digest = label_version.rollout.digest
        return self._versions.find(f"{name}@{digest}") or self._load(name, digest), True

    def _load(self, name: str, ref: str) -> ServedVersion:
        generation = self.follower.generation
        renew_connection()
        version = version_rows.load_version(name, ref) or self._load_by_former_name(name, ref)
        if version is None:
            raise version_rows.explain_missing_version(name, ref)
        # A version read before a move that has been noticed since must not be cached.
        if generation == self.follower.generation:
            if is_pin(ref):
                self._versions.keep(f"{name}@{ref}", version)
            else:
                self._labels.setdefault(name, {})[ref] = version
        return version

    def _load_by_former_name(self, name: str, ref: str) -> ServedVersion | None:
        """What the ref resolves to for the template that had this name, or None. Raises NotFound without such a ref."""
        current = version_rows.find_current_name(name)
        if current is None:
            return None
        version = version_rows.load_version(current, ref, former_name=name)
        if version is None:
            raise version_rows.explain_missing_version(current, ref)
        self._former_names[current] = self._former_names.get(current, frozenset()) | {name}
        return version

    def _is_on(self, labels: Iterable[str], name: str, version: ServedVersion) -> bool:
        """Whether one of the labels serves these bytes, to all callers or to a share of them."""
        served = list(self._list_served(labels, name))
        return any(version.digest == row.digest for row in served) or is_candidate(served, version)

    def _is_accepted(self, caller: Caller, name: str, version: ServedVersion) -> bool:
        """Whether a key for approved versions may fetch these bytes: they are approved, or in a rollout."""
        return self._is_approved(version) or is_candidate(self._list_served(caller.protected, name), version)

    def _list_served(self, labels: Iterable[str], name: str) -> Iterator[ServedVersion]:
        """What the labels serve, for those that are set."""
        for label in labels:
            with contextlib.suppress(PromptuaryError):  # not set, or redacted since
                yield self._labels.get(name, {}).get(label) or self._load(name, label)

    def _is_approved(self, version: ServedVersion) -> bool:
        if version.version in self._approved:
            return True
        generation = self.follower.generation
        renew_connection()
        approved = version_rows.is_version_approved(version.version)
        if approved and generation == self.follower.generation:
            self._approved.add(version.version)
        return approved

    def _on_event(self, event: FollowedEvent) -> None:
        for listener in self.listeners:
            listener(event)
        caches = find_invalidated_caches(event.kind)
        if Cache.VERSIONS in caches:
            self._versions.clear()
            self._clear_all_but_versions()
            return
        if Cache.TEMPLATE_LABELS in caches:
            for name in (event.template, *self._former_names.get(event.template, ())):
                self._labels.pop(name, None)
        if Cache.LABELS in caches:
            self._labels.clear()
        if Cache.KEYS in caches:
            self.callers.clear()
        if Cache.APPROVALS in caches:
            self._approved.clear()

    def _reset(self, is_another_journal: bool) -> None:
        """Drop all but the bytes of versions; those too if the database is another one."""
        for listener in self.listeners:
            listener(None)
        self._clear_all_but_versions()
        if is_another_journal:
            self._versions.clear()
            recorder.process_counts().forget()

    def _clear_all_but_versions(self) -> None:
        self._labels.clear()
        self._former_names.clear()
        self.callers.clear()
        self._approved.clear()
        self._fetches.clear()


@functools.cache
def get_fetcher() -> Fetcher:
    """Return the process's fetcher. A redaction or another journal clears all caches of the process."""
    new_fetcher = Fetcher(attempts=key_attempts())
    new_fetcher.listeners.append(_forget_texts)
    return new_fetcher


def _forget_texts(event: FollowedEvent | None) -> None:
    if event is None or Cache.TEXTS in find_invalidated_caches(event.kind):
        lru.forget_all()
