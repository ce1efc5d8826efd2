"""Requests that wait for label moves in the event loop, so that a waiting client takes no thread."""

# no texts here: scripts read it

import asyncio
import contextlib
import io
from collections.abc import Callable
from typing import Protocol

from registry.core.client_address import read_client_address
from registry.live.event_streams import hold_stream
from registry.live.requests import run_in_thread
from registry.live.wsgi_environ import Scope, build_environ
from registry.serving.wsgi_fast_path import MOVES, NAMESPACES

__all__ = ["MAX_WAITING", "LabelMoveWaits", "asks_for_moves"]

MAX_WAITING = 1500  # requests of one process; further ones wait in a thread, or are told when to ask again


def asks_for_moves(scope: Scope) -> bool:
    """Whether the request is a poll for label moves that may have to wait."""
    return (
        scope.path.startswith(NAMESPACES)
        and scope.path.endswith(MOVES)
        and scope.method == "GET"
        and "wait=" in scope.query_string
    )


class Poll(Protocol):
    """What is asked of `registry.serving.label_moves_long_poll.LabelMovesPoll`."""

    listeners: list[Callable[[str | None], None]]

    def find_seconds_to_wait(self, authorization: str, namespace: str, query: str, address: str = "") -> float: ...


class LabelMoveWaits:
    """The waiting requests of one process. Call its methods in the event loop, except `_on_move`."""

    def __init__(self, poll: Poll) -> None:
        self._poll = poll
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._count = 0
        poll.listeners.append(self._on_move)

    async def wait(self, scope: Scope, authorization: str) -> bool:
        """Return when the request can be answered: after a move, after its time, at the process's end, or at once.

        Returns whether it has waited.
        """
        if self._count >= MAX_WAITING:
            return False
        self._loop = asyncio.get_running_loop()
        namespace = scope.path[len(NAMESPACES) : -len(MOVES)]
        moved = asyncio.Event()
        # The request is listed before the journal is read, so that no move between the two is missed.
        self._waiting.setdefault(namespace, set()).add(moved)
        self._count += 1
        try:
            address = read_client_address(build_environ(scope, io.BytesIO()))
            seconds = await run_in_thread(
                self._poll.find_seconds_to_wait, authorization, namespace, scope.query_string, address
            )
            if seconds:
                await hold_stream(_wait_for(moved, seconds))
        finally:
            self._count -= 1
            self._waiting[namespace].discard(moved)
            if not self._waiting[namespace]:
                del self._waiting[namespace]
        return bool(seconds)

    def _on_move(self, namespace: str | None) -> None:
        """Called from any thread after a move in the namespace; None: after any change, or in any namespace."""
        if self._loop is not None and self._count:
            with contextlib.suppress(RuntimeError):  # the loop is closed at shutdown
                self._loop.call_soon_threadsafe(self._wake, namespace)

    def _wake(self, namespace: str | None) -> None:
        groups = self._waiting.values() if namespace is None else [self._waiting.get(namespace, set())]
        for group in groups:
            for moved in group:
                moved.set()


async def _wait_for(moved: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(moved.wait(), seconds)
