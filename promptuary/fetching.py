"""How a template is found: memory, disk, registry, and what to do when one of them fails. No input or output here."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import renderer
from promptuary import bundles
from promptuary.cache import DiskCache, Entry, MemoryCache
from promptuary.errors import BadAnswer, NotAllowed, NotFound, PromptuaryError, Unavailable, refusal
from promptuary.names import is_pin
from promptuary.wire import Answer, Flow, Request

__all__ = ["Fallback", "Fetched", "Shelf", "fetch", "glance", "refuse", "stand_in"]

Source = Literal["registry", "memory", "disk", "fallback"]
Fallback = renderer.Template | str | Callable[[], renderer.Template | str]

FOREVER = float("inf")
PAUSE = 5.0  # seconds a stale label is served before the registry is tried again
_log = logging.getLogger("promptuary")


@dataclass(frozen=True)
class Fetched:
    """A template and how it was come by. `stale`: the registry could not confirm it, `error` says why.

    `age` is the seconds since the registry last confirmed it; None for what it never confirmed in this process.
    """

    template: renderer.Template
    name: str
    ref: str
    version: int | None
    digest: str
    source: Source
    stale: bool = False
    age: float | None = None
    error: PromptuaryError | None = None


@dataclass(frozen=True)
class Shelf:
    """A client's caches and times, in seconds."""

    memory: MemoryCache
    disk: DiskCache | None
    ttl: float
    timeout: float
    clock: Callable[[], float]
    on_stale: Callable[[Fetched], object] | None


def glance(shelf: Shelf, name: str, ref: str) -> Fetched | None:
    """What memory may serve without asking anyone, or None."""
    entry = shelf.memory.find(name, ref)
    if entry is None or shelf.clock() >= entry.fresh_until:
        return None
    return _hand_over(shelf, ref, entry, "memory")


def fetch(shelf: Shelf, name: str, ref: str) -> Flow[Fetched]:
    """Find one template, asking the registry when it must be asked."""
    found = glance(shelf, name, ref)
    if found is not None:
        return found
    entry = shelf.memory.find(name, ref) or _from_disk(shelf, name, ref)
    if entry is not None and is_pin(ref):
        return _hand_over(shelf, ref, entry, "disk")
    try:
        answer = yield from _ask(shelf, name, ref, entry)
    except Unavailable as error:
        if entry is None:
            raise
        return _serve_stale(shelf, name, ref, entry, error)
    if answer.status == 304 and entry is not None:
        return _confirm(shelf, name, ref, entry)
    return _take(shelf, name, ref, answer)


def stand_in(name: str, ref: str, fallback: Fallback, error: PromptuaryError) -> Fetched:
    """The caller's own template in place of one that could not be fetched."""
    given = fallback() if callable(fallback) else fallback
    template = renderer.load(given) if isinstance(given, str) else given
    return Fetched(template, name, ref, None, template.digest, "fallback", stale=True, error=error)


def refuse(answer: Answer) -> PromptuaryError:
    """The error for an answer that is not a success."""
    problem = _problem(answer)
    if answer.status >= 500 or answer.status == 429:
        return Unavailable(f"the registry answered {answer.status}: {problem.get('detail') or 'no reason given'}")
    if answer.status >= 400:
        return refusal(answer.status, problem)
    return BadAnswer(f"the registry answered {answer.status}, which this package did not ask for")


def _ask(shelf: Shelf, name: str, ref: str, entry: Entry | None) -> Flow[Answer]:
    headers = {"Accept": "application/json"}
    if entry is not None and entry.etag:
        headers["If-None-Match"] = entry.etag
    path = f"/api/v1/templates/{name}@{ref}"
    answer = yield Request("GET", path, shelf.timeout, headers)
    if answer.status in (200, 304):
        return answer
    error = refuse(answer)
    if isinstance(error, NotAllowed | NotFound):
        # A revoked key or a removed label holds here too: what was kept under it is not served again.
        shelf.memory.drop(name, ref)
        if shelf.disk is not None:
            shelf.disk.drop(name, ref)
    raise error


def _take(shelf: Shelf, name: str, ref: str, answer: Answer) -> Fetched:
    etag = answer.headers.get("etag", "")
    bundle = bundles.read(answer.body, name, ref, where="the registry")
    entry = _fresh(shelf, ref, Entry(bundle, etag, 0.0, 0.0))
    shelf.memory.keep(name, ref, entry)
    if shelf.disk is not None:
        shelf.disk.keep(name, ref, answer.body, etag)
    return _hand_over(shelf, ref, entry, "registry")


def _confirm(shelf: Shelf, name: str, ref: str, entry: Entry) -> Fetched:
    entry.bundle.verify()
    fresh = _fresh(shelf, ref, entry)
    shelf.memory.keep(name, ref, fresh)
    return _hand_over(shelf, ref, fresh, "registry")


def _serve_stale(shelf: Shelf, name: str, ref: str, entry: Entry, error: Unavailable) -> Fetched:
    pause = min(PAUSE, shelf.ttl) if shelf.ttl > 0 else 0.0
    stale = replace(entry, fresh_until=shelf.clock() + pause, error=error)
    shelf.memory.keep(name, ref, stale)
    _log.warning("%s@%s is served stale: %s", name, ref, error)
    return _hand_over(shelf, ref, stale, "memory")


def _from_disk(shelf: Shelf, name: str, ref: str) -> Entry | None:
    kept = shelf.disk.find(name, ref) if shelf.disk is not None else None
    if kept is None:
        return None
    bundle, etag = kept
    if not is_pin(ref):
        return Entry(bundle, etag, -FOREVER, 0.0)
    entry = Entry(bundle, etag, -FOREVER, FOREVER)
    shelf.memory.keep(name, ref, entry)
    return entry


def _fresh(shelf: Shelf, ref: str, entry: Entry) -> Entry:
    now = shelf.clock()
    return replace(entry, confirmed=now, fresh_until=FOREVER if is_pin(ref) else now + shelf.ttl, error=None)


def _hand_over(shelf: Shelf, ref: str, entry: Entry, source: Source) -> Fetched:
    bundle = entry.bundle
    age = shelf.clock() - entry.confirmed
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
    )
    if fetched.stale and shelf.on_stale is not None:
        shelf.on_stale(fetched)
    return fetched


def _problem(answer: Answer) -> dict[str, Any]:
    try:
        problem = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {"title": f"HTTP {answer.status}"}
    return problem if isinstance(problem, dict) else {"title": f"HTTP {answer.status}"}
