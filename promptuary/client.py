"""The clients of a service: fetch a template by name and ref, and render it.

from promptuary import Promptuary

registry = Promptuary("https://prompts.example.org", key)
prompt = registry.get("support/refunds/reply").render({"question": "..."})
"""

import asyncio
import importlib
import os
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, cast

import renderer
from promptuary.address import Address
from promptuary.cache import DiskCache, Flights, MemoryCache
from promptuary.errors import ConfigurationError, NotFound, Unavailable
from promptuary.fetching import Fallback, Fetched, Shelf, fetch, glance, stand_in
from promptuary.names import check_name, check_ref
from promptuary.wire import AsyncTransport, Transport, drive, drive_async

__all__ = ["AsyncPromptuary", "Promptuary"]

ENTRIES = 2000  # templates kept in memory
TTL = 60.0  # seconds a label is served before the registry is asked again
TIMEOUT = 2.0  # seconds a failing call takes at most, in all
Folder = str | os.PathLike[str]
OnStale = Callable[[Fetched], object]


class _Client:
    """What both clients are made of."""

    def __init__(
        self,
        url: str | None,
        key: str | None,
        *,
        ttl: float,
        timeout: float,
        cache_dir: Folder | None,
        on_stale: OnStale | None,
    ) -> None:
        self._address = Address.read(url, key)
        if ttl < 0 or timeout <= 0:
            raise ConfigurationError("ttl is 0 seconds or more, timeout more than 0")
        self._shelf = Shelf(
            memory=MemoryCache(ENTRIES),
            disk=DiskCache(cache_dir, self._address.url) if cache_dir is not None else None,
            ttl=ttl,
            timeout=timeout,
            clock=time.monotonic,
            on_stale=on_stale,
        )

    @property
    def url(self) -> str:
        """The registry's address."""
        return self._address.url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def _make_transport(self, kind: str) -> Any:
        # Loaded here and not with the package: see promptuary.http.
        transport = getattr(importlib.import_module("promptuary.http"), kind)
        return transport(self._address.url, self._address.headers("promptuary-python"))


class Promptuary(_Client):
    """Fetch and render templates; blocking, and safe to share between threads and over forks.

    `url` and `key` default to the environment's PROMPTUARY_URL and PROMPTUARY_KEY. `ttl` is how many seconds a label is
    served before the registry is asked again (pins are kept for ever); `timeout` bounds a failing call as a whole, in
    seconds; `cache_dir` keeps copies for a cold start without a network; `on_stale` is called with each `Fetched` that
    the registry could not confirm; `transport` is for tests.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        ttl: float = TTL,
        timeout: float = TIMEOUT,
        cache_dir: Folder | None = None,
        on_stale: OnStale | None = None,
        transport: Transport | None = None,
    ) -> None:
        super().__init__(url, key, ttl=ttl, timeout=timeout, cache_dir=cache_dir, on_stale=on_stale)
        self._flights = Flights()
        self._transport = transport or cast(Transport, self._make_transport("HttpTransport"))

    def get(self, name: str, ref: str | int = "production", *, fallback: Fallback | None = None) -> renderer.Template:
        """The template at a number, label or digest, its digest recomputed.

        `fallback` (a template, a document's text, or a callable giving either) is used when the registry cannot be
        reached or has no such template, never for a digest that does not match or a key that is refused.
        Raises `PromptuaryError`.
        """
        kept = _kept(self._shelf, name, ref)
        return self.fetch(name, ref, fallback=fallback).template if kept is None else kept

    def fetch(self, name: str, ref: str | int = "production", *, fallback: Fallback | None = None) -> Fetched:
        """The same, with where it came from and whether it is stale."""
        name, ref = check_name(name), check_ref(ref)
        found = glance(self._shelf, name, ref)
        if found is not None:
            return found
        try:
            return self._flights.join(
                (name, ref), lambda: drive(fetch(self._shelf, name, ref), self._transport), self._shelf.timeout
            )
        except (Unavailable, NotFound) as error:
            if fallback is None:
                raise
            return stand_in(name, ref, fallback, error)

    def render(
        self, name: str, data: Mapping[str, Any], ref: str | int = "production", **options: Any
    ) -> renderer.Prompt:
        """Fetch and render in one call; `options` are those of `renderer.Template.render`."""
        return self.get(name, ref).render(data, **options)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncPromptuary(_Client):
    """Fetch and render templates on an event loop; the options are those of `Promptuary`."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        ttl: float = TTL,
        timeout: float = TIMEOUT,
        cache_dir: Folder | None = None,
        on_stale: OnStale | None = None,
        transport: AsyncTransport | None = None,
    ) -> None:
        super().__init__(url, key, ttl=ttl, timeout=timeout, cache_dir=cache_dir, on_stale=on_stale)
        self._flights: dict[tuple[str, str], asyncio.Task[Fetched]] = {}
        self._transport = transport or cast(AsyncTransport, self._make_transport("AsyncHttpTransport"))

    async def get(
        self, name: str, ref: str | int = "production", *, fallback: Fallback | None = None
    ) -> renderer.Template:
        """As `Promptuary.get`."""
        kept = _kept(self._shelf, name, ref)
        return (await self.fetch(name, ref, fallback=fallback)).template if kept is None else kept

    async def fetch(self, name: str, ref: str | int = "production", *, fallback: Fallback | None = None) -> Fetched:
        """As `Promptuary.fetch`."""
        name, ref = check_name(name), check_ref(ref)
        found = glance(self._shelf, name, ref)
        if found is not None:
            return found
        try:
            return await asyncio.shield(self._flight(name, ref))
        except (Unavailable, NotFound) as error:
            if fallback is None:
                raise
            return stand_in(name, ref, fallback, error)

    async def render(
        self, name: str, data: Mapping[str, Any], ref: str | int = "production", **options: Any
    ) -> renderer.Prompt:
        """As `Promptuary.render`."""
        return (await self.get(name, ref)).render(data, **options)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _flight(self, name: str, ref: str) -> "asyncio.Task[Fetched]":
        # A burst shares one task; who gives up waiting does not take it from the others.
        task = self._flights.get((name, ref))
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(drive_async(fetch(self._shelf, name, ref), self._transport))
            self._flights[name, ref] = task
            task.add_done_callback(lambda done: self._land(name, ref, done))
        return task

    def _land(self, name: str, ref: str, task: "asyncio.Task[Fetched]") -> None:
        if self._flights.get((name, ref)) is task:
            del self._flights[name, ref]
        if not task.cancelled():
            task.exception()  # fetched, so that asyncio does not complain when nobody waits any more

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _kept(shelf: Shelf, name: str, ref: str | int) -> renderer.Template | None:
    """The short way: what memory holds and may serve without a word to anyone."""
    entry = shelf.memory.find(name, str(ref))
    if entry is None or entry.error is not None or shelf.clock() >= entry.fresh_until:
        return None
    return entry.bundle.template
