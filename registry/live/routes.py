"""The route table of the live side: the handlers for addresses below /live/.

A handler is `async def handler(request: LiveRequest, protocol: HTTPProtocol) -> None`. It runs in the event loop of a
web process, so database access and computation have to use `registry.live.requests.run_in_thread`. It responds once,
through `registry.live.event_streams`:

    async def watch_column(request, protocol):
        user = require_user(request)
        column = await run_in_thread(load_column, user, request.arguments["column"])
        await stream_events(protocol, follow_column(column))     # an async generator of Event

A PromptuaryError raised before the response becomes a problem document. Handlers are modules of this package and call
the domains below it. To add one, add a line to ROUTES; the pattern uses Django's path syntax
(`/live/things/<int:thing>`), and its captures are in `request.arguments`. A POST has passed the CSRF check by then, and
its body is in `request.body`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from django.urls.resolvers import RoutePattern

from registry.live.draft_stream import watch_draft
from registry.live.journal_stream import watch_journal
from registry.live.playground_stream import stream_reply
from registry.live.presence_stream import answer_presence
from registry.live.requests import LiveRequest
from registry.live.wsgi_environ import HTTPProtocol

__all__ = ["PREFIX", "ROUTES", "Handler", "Route", "find_route"]

PREFIX = "/live/"
Handler = Callable[[LiveRequest, HTTPProtocol], Awaitable[None]]


@dataclass(frozen=True)
class Route:
    """A path pattern, its allowed methods, and the handler."""

    pattern: str
    handler: Handler
    methods: tuple[str, ...] = ("GET",)


ROUTES: tuple[Route, ...] = (
    Route("/live/events", watch_journal),
    Route("/live/drafts/<path:name>/<str:token>", watch_draft),
    Route("/live/playground/<int:column>", stream_reply),
    Route("/live/presence", answer_presence, ("GET", "POST")),
)


def find_route(path: str, routes: tuple[Route, ...] = ROUTES) -> tuple[Route, dict[str, Any]] | None:
    """The route of this path and the captures of its pattern, or None."""
    for route in routes:
        match = RoutePattern(route.pattern.removeprefix("/"), is_endpoint=True).match(path.removeprefix("/"))
        if match:
            return route, match[2]
    return None
