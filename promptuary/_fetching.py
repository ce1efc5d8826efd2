"""Fetching templates from memory, disk, the vendored file or the registry, and handling failures. Does no I/O."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from promptuary import bundles, renderer
from promptuary._row_sender import RowSender
from promptuary._transport import Answer, Flow, Request
from promptuary._usage import Usage
from promptuary.bundles import Bundle, Rollout
from promptuary.cache import DiskCache, Entry, MemoryCache
from promptuary.errors import BadAnswer, NotAllowed, NotFound, PromptuaryError, Unavailable, build_refusal
from promptuary.renderer.names import is_pin
from promptuary.renderer.tokens.vocabulary_catalogue import VocabularySource
from promptuary.template import Template
from promptuary.vendored import Vendored

__all__ = [
    "ClientState",
    "Fallback",
    "Fetched",
    "fetch_template",
    "from_local",
    "from_memory",
    "make_answer_error",
    "mark_stale",
    "refresh_template",
    "remember_confirmed",
    "use_fallback_template",
]

Source = Literal["registry", "memory", "disk", "vendored", "fallback"]
Fallback = renderer.Template | str | Callable[[], renderer.Template | str]

FOREVER = float("inf")
PAUSE = 5.0  # seconds a stale label is served before the registry is retried
IDLE = 3600.0  # seconds a label is kept fresh after its last use
_log = logging.getLogger("promptuary")


@dataclass(frozen=True)
class Fetched:
    """A template and where it came from. `stale`: the registry could not confirm it; `error` says why.

    `age` is the seconds since the registry last confirmed it, None if it hasn't in this process. `rollout` is the
    label's current rollout, if any.
    """

    template: Template
    name: str
    ref: str
    version: int | None
    digest: str
    source: Source
    stale: bool = False
    age: float | None = None
    error: Exception | None = None
    rollout: Rollout | None = None


@dataclass(frozen=True)
class ClientState:
    """A client's caches and settings; times are in seconds.

    `wake` wakes the background refresher; None if callers refresh labels themselves. `rows` adds rows to a dataset for
    the templates.
    """

    memory: MemoryCache
    disk: DiskCache | None
    vendored: Vendored | None
    vendored_first: bool
    ttl: float
    timeout: float
    clock: Callable[[], float]
    on_stale: Callable[[Fetched], object] | None
    usage: Usage | None
    wake: Callable[[], object] | None = None
    vocabularies: VocabularySource | None = None
    rows: RowSender | None = None


def from_memory(state: ClientState, name: str, ref: str) -> Fetched | None:
    """Return what memory may serve without a request, or None."""
    entry = state.memory.get((name, ref))
    if entry is None:
        return None
    now = state.clock()
    if now >= entry.fresh_until:
        if state.wake is None or state.ttl == 0 or now - entry.used > IDLE:
            return None
        state.wake()
    entry.used = now
    return _make_fetched(state, ref, entry, "memory")


def fetch_template(state: ClientState, name: str, ref: str) -> Flow[Fetched]:
    """Find one template, with a request to the registry if necessary."""
    entry = state.memory.get((name, ref))
    local_copy = from_local(state, name, ref) if entry is None else from_memory(state, name, ref)
    if local_copy is not None:
        return local_copy
    entry = entry or _read_from_disk(state, name, ref)
    if entry is not None:
        entry.used = state.clock()
    try:
        return (yield from refresh_template(state, name, ref, entry))
    except Unavailable as error:
        return serve_stale_or_raise(state, name, ref, entry, error)


def serve_stale_or_raise(state: ClientState, name: str, ref: str, entry: Entry | None, error: Unavailable) -> Fetched:
    """Return the cached or vendored bundle, marked as stale; raise the error if there isn't one."""
    entry = entry or _read_from_disk(state, name, ref) or _read_vendored(state, name, ref)
    if entry is None:
        raise error
    return _make_fetched(state, ref, mark_stale(state, name, ref, entry, error), "memory")


def from_local(state: ClientState, name: str, ref: str) -> Fetched | None:
    """Return what disk or the vendored file may serve without a request: pins, or anything if the file comes first."""
    if is_pin(ref) or state.vendored_first:
        entry = _read_vendored(state, name, ref)
        if entry is not None:
            state.memory.keep(name, ref, entry)
            if state.wake is not None and not is_pin(ref):
                state.wake()
            return _make_fetched(state, ref, entry, "vendored")
    entry = _read_from_disk(state, name, ref) if is_pin(ref) else None
    if entry is None:
        return None
    state.memory.keep(name, ref, entry)
    return _make_fetched(state, ref, entry, "disk")


def refresh_template(state: ClientState, name: str, ref: str, entry: Entry | None) -> Flow[Fetched]:
    """Fetch with the cached bundle's ETag. Raises PromptuaryError; a refused template is dropped from the caches."""
    answer = yield from _ask(state, name, ref, entry)
    etag = answer.headers.get("etag", "")
    if answer.status == 304 and entry is not None:
        return remember_confirmed(state, ref, entry.bundle, entry.etag, used_at=entry.used)
    bundle = bundles.parse_bundle(answer.body, name, ref, where="the registry")
    if state.disk is not None:
        state.disk.keep(name, ref, answer.body, etag)
    return remember_confirmed(state, ref, bundle, etag, used_at=entry.used if entry is not None else state.clock())


def remember_confirmed(state: ClientState, ref: str, bundle: Bundle, etag: str, *, used_at: float) -> Fetched:
    """Store in memory what the registry has just confirmed."""
    now = state.clock()
    _attach_client(state, bundle.template)
    bundle.template.stale = False
    entry = Entry(bundle, etag, now, FOREVER if is_pin(ref) else now + state.ttl, None, used_at)
    state.memory.keep(bundle.name, ref, entry)
    return _make_fetched(state, ref, entry, "registry")


def mark_stale(state: ClientState, name: str, ref: str, entry: Entry, error: Exception) -> Entry:
    """Keep serving the cached entry, log that it is stale, and pause before the next request."""
    pause = min(PAUSE, state.ttl) if state.ttl > 0 else 0.0
    stale = replace(entry, fresh_until=state.clock() + pause, error=error)
    _attach_client(state, stale.bundle.template)
    stale.bundle.template.stale = True
    state.memory.keep(name, ref, stale)
    _log.warning("%s@%s is served stale: %s", name, ref, error)
    return stale


def use_fallback_template(
    state: ClientState, name: str, ref: str, fallback: Fallback, error: PromptuaryError
) -> Fetched:
    """Use the caller's own template in place of one that could not be fetched."""
    source = fallback() if callable(fallback) else fallback
    loaded = renderer.load(source) if isinstance(source, str) else source
    template = loaded if isinstance(loaded, Template) else Template.adopt(loaded)
    template.stale = True
    template.vocabularies = template.vocabularies or state.vocabularies
    return Fetched(template, name, ref, None, template.digest, "fallback", stale=True, error=error)


def make_answer_error(answer: Answer) -> PromptuaryError:
    """The error for an unsuccessful answer."""
    problem = _read_problem(answer)
    if answer.status >= 500 or answer.status == 429:
        return Unavailable(f"the registry answered {answer.status}: {problem.get('detail') or 'no reason given'}")
    if answer.status >= 400:
        return build_refusal(answer.status, problem)
    return BadAnswer(f"the registry answered {answer.status}, which this package did not ask for")


def _ask(state: ClientState, name: str, ref: str, entry: Entry | None) -> Flow[Answer]:
    headers = {"Accept": "application/json"}
    if entry is not None and entry.etag:
        headers["If-None-Match"] = entry.etag
    answer = yield Request("GET", f"/api/v1/templates/{name}@{ref}", state.timeout, headers)
    if answer.status in (200, 304):
        return answer
    error = make_answer_error(answer)
    if isinstance(error, NotAllowed | NotFound):
        # The key was revoked or the label removed, so the cached copy must not be served either.
        state.memory.drop(name, ref)
        if state.disk is not None:
            state.disk.drop(name, ref)
    raise error


def _read_from_disk(state: ClientState, name: str, ref: str) -> Entry | None:
    entry = state.disk.find(name, ref) if state.disk is not None else None
    return None if entry is None else _make_unconfirmed_entry(state, ref, *entry)


def _read_vendored(state: ClientState, name: str, ref: str) -> Entry | None:
    entry = state.vendored.find(name, ref) if state.vendored is not None else None
    return None if entry is None else _make_unconfirmed_entry(state, ref, entry, "")


def _make_unconfirmed_entry(state: ClientState, ref: str, bundle: Bundle, etag: str) -> Entry:
    _attach_client(state, bundle.template)
    return Entry(bundle, etag, -FOREVER, FOREVER if is_pin(ref) else 0.0, None, state.clock())


def _attach_client(state: ClientState, template: Template) -> None:
    """Give a template its client's usage counts and vocabularies."""
    template.usage = state.usage
    template.vocabularies = state.vocabularies
    template.rows = state.rows


def _make_fetched(state: ClientState, ref: str, entry: Entry, source: Source) -> Fetched:
    bundle = entry.bundle
    age = state.clock() - entry.confirmed
    fetched = Fetched(
        template=bundle.template,
        name=bundle.name,
        ref=ref,
        version=bundle.version,
        digest=bundle.digest,
        source=source,
        stale=entry.error is not None,
        age=None if age == FOREVER else age,
        error=entry.error,
        rollout=bundle.rollout,
    )
    if fetched.stale and state.on_stale is not None:
        state.on_stale(fetched)
    return fetched


def _read_problem(answer: Answer) -> dict[str, Any]:
    try:
        problem = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {"title": f"HTTP {answer.status}"}
    return problem if isinstance(problem, dict) else {"title": f"HTTP {answer.status}"}
