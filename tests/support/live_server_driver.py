"""An RSGI application for the server's tests: it echoes requests, and fails at some addresses."""

import asyncio
import json
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
django.setup()

from registry.live.event_streams import Event, answer_json, stream_events
from registry.live.requests import run_in_thread
from registry.live.routes import Route
from registry.live.server import LiveServer

STATES: list[str] = []


def answer_wsgi(environ, start_response):
    """Answer with the environ as JSON; `/broken` raises, `/pieces` is sent in pieces, `/half` is cut off."""
    path = environ["PATH_INFO"]
    if path == "/broken":
        raise ValueError("a secret of the server")
    if path in ("/pieces", "/endless", "/half"):
        start_response("200 OK", [("Content-Length", "100")] if path == "/half" else [("Content-Type", "text/plain")])
        return _write_pieces(path)
    if path == "/states":
        body = json.dumps(STATES).encode()
    else:
        text = {name: value for name, value in environ.items() if isinstance(value, str)}
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = json.dumps({**text, "body": environ["wsgi.input"].read(length).decode("latin-1")}).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


def _write_pieces(path):
    try:
        yield b"first "
        while path == "/endless":
            yield b"x" * 65536
        if path == "/half":
            raise ValueError("a secret of the server")
        yield b"second"
    finally:
        STATES.append(f"closed {path}")


async def count(request, protocol):
    """Send events endlessly, ten a second."""

    async def write_numbers():
        try:
            for number in range(1_000_000):
                yield Event("number", {"text": f"line {number}\nand more"}, str(number))
                await asyncio.sleep(0.1)
        finally:
            STATES.append("closed numbers")

    await stream_events(protocol, write_numbers())


async def describe(request, protocol):
    """Describe the handler's arguments."""
    thread = await run_in_thread(lambda: "in a thread")
    answer_json(
        protocol,
        200,
        {
            "arguments": request.arguments,
            "query": request.query.dict(),
            "thread": thread,
            "user": request.user is not None,
        },
    )


ROUTES = (Route("/live/count", count), Route("/live/describe/<int:number>", describe, ("GET", "POST")))
application = LiveServer(lambda *_: None, answer_wsgi, threads=4, routes=ROUTES)
