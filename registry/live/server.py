"""The RSGI application of a web process: serves cached fetches directly, /live/ in asyncio, the rest through WSGI.

Granian schedules each request's coroutine through `loop.call_soon_threadsafe` from the thread that read the request.
Waking the loop costs more than a cached fetch, so `LiveServer` runs the coroutine's first step in that thread: a cached
fetch is answered there, and anything else continues in the loop at `_to_loop`. Without this the responses are the same
and slower (`benchmarks/fetch.py`).
"""

# no texts here: scripts read it

import asyncio
import logging
import signal
from collections.abc import Callable, Generator
from types import CoroutineType
from typing import Any

from registry.core.errors import NotFound, PromptuaryError
from registry.live.event_streams import answer_problem, end_streams
from registry.live.label_move_waits import LabelMoveWaits, asks_for_moves
from registry.live.requests import read_request
from registry.live.routes import PREFIX, ROUTES, Route, find_route
from registry.live.wsgi_environ import HTTPProtocol, Scope
from registry.live.wsgi_pool import Application, WsgiPool
from registry.serving.wsgi_fast_path import HAS_WAITED, FindCached

__all__ = ["LiveServer"]

logger = logging.getLogger(__name__)


class LiveServer:
    """The application of one process. `find` looks up cached fetches, `application` is the WSGI application.

    moves: where polls for label moves wait; without it, the application decides.
    """

    def __init__(
        self,
        find: FindCached,
        application: Application,
        *,
        threads: int,
        routes: tuple[Route, ...] = ROUTES,
        moves: LabelMoveWaits | None = None,
    ) -> None:
        self._find, self._routes, self._moves = find, routes, moves
        self._pool = WsgiPool(application, threads)

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Granian's hook before the first request."""
        _step_in_caller(loop)
        _end_streams_at_signals(loop)

    async def __rsgi__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        """Granian's hook for a request."""
        headers = scope.headers
        authorization = headers.get("authorization")
        if scope.method == "GET" and authorization:
            cached = self._find(
                authorization,
                scope.path,
                scope.query_string,
                headers.get("host"),
                headers.get("if-none-match"),
                headers.get("x-request-id"),
            )
            if cached is not None:
                answer, answer_headers = cached
                protocol.response_bytes(answer.status, answer_headers, answer.body)
                return
        await _to_loop
        if scope.path.startswith(PREFIX):
            await self._answer_live(scope, protocol)
        elif self._moves is not None and authorization and asks_for_moves(scope):
            await self._pool.answer(scope, protocol, {HAS_WAITED: await self._moves.wait(scope, authorization)})
        else:
            await self._pool.answer(scope, protocol)

    async def _answer_live(self, scope: Scope, protocol: HTTPProtocol) -> None:
        try:
            match = find_route(scope.path, self._routes)
            if match is None:
                raise NotFound("Nothing is at this address.")
            route, arguments = match
            if scope.method not in route.methods:
                protocol.response_bytes(405, [("Allow", ", ".join(route.methods))], b"")
                return
            await route.handler(await read_request(scope, protocol, arguments), protocol)
        except PromptuaryError as error:
            answer_problem(protocol, error)
        except Exception:
            logger.exception("%s %s failed", scope.method, scope.path)
            answer_problem(protocol, PromptuaryError("Something went wrong on the server, and it was logged."))


class _ToLoop:
    """Awaiting it yields once, so that the runner of the coroutine resumes it later; a task resumes immediately."""

    def __await__(self) -> Generator[None, None, None]:
        yield


_to_loop = _ToLoop()


def _step_in_caller(loop: asyncio.AbstractEventLoop) -> None:
    """Run the first step of a coroutine that another thread schedules in the loop in that thread."""
    call_in_loop = loop.call_soon_threadsafe

    def call(callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        if args and type(args[0]) is CoroutineType:
            try:
                args[0].send(None)
            except StopIteration:
                return None  # it has already finished
        return call_in_loop(callback, *args, context=context)

    loop.call_soon_threadsafe = call  # type: ignore[method-assign,assignment]  # the loop of this process alone


def _end_streams_at_signals(loop: asyncio.AbstractEventLoop) -> None:
    """End the streams when granian is told to stop, since it would wait for them. Granian's handler in the loop still
    runs: asyncio is notified of signals through a file descriptor, not through the handler that is replaced here.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(end_streams))
        signal.siginterrupt(number, False)
