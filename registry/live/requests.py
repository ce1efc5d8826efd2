"""Requests to live handlers, authenticated and checked by Django's own rules.

Code that reads the session or the database runs in a small thread pool (`run_in_thread`), never in the event loop.
"""

# no texts here: scripts read it

import asyncio
import contextvars
import functools
import io
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.contrib.auth import get_user
from django.core.exceptions import DisallowedHost
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware.csrf import CsrfViewMiddleware

from registry.accounts.actor import find_language
from registry.accounts.models import User
from registry.core.errors import Invalid, NotAllowed, TooLarge
from registry.live.wsgi_environ import HTTPProtocol, Scope, build_environ
from registry.serving.credentials import Unauthenticated
from registry.serving.journal_follower import renew_connection

__all__ = ["LiveRequest", "read_request", "read_user", "require_user", "run_in_thread"]

THREADS = 2  # reading a session takes a millisecond
_executor = ThreadPoolExecutor(THREADS, thread_name_prefix="live")
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class LiveRequest:
    """A request to a live handler. `headers` have lower-case names, `query` is Django's, `language` is a code such as
    `de`.

    arguments: the captures of the route's pattern. session_key: for reading the user again with `read_user`.
    """

    method: str
    path: str
    query: QueryDict
    headers: Mapping[str, str]
    user: User | None
    session_key: str
    arguments: Mapping[str, Any]
    language: str
    body: bytes = b""


async def run_in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a function that may use the database in a thread, with a usable database connection."""

    def run() -> R:
        renew_connection()
        return function(*args, **kwargs)

    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_executor, functools.partial(context.run, run))


async def read_request(scope: Scope, protocol: HTTPProtocol, arguments: Mapping[str, Any]) -> LiveRequest:
    """Read the request with its body and user. Raises PromptuaryError if Django refuses the host or the CSRF token."""
    body = b"" if scope.method in ("GET", "HEAD") else await _read_body(protocol)
    request = WSGIRequest({**build_environ(scope, io.BytesIO(body)), "CONTENT_LENGTH": str(len(body))})
    user, session_key = await run_in_thread(_check, request)
    return LiveRequest(
        scope.method,
        scope.path,
        request.GET,
        dict(scope.headers.items()),
        user,
        session_key,
        arguments,
        find_language(request, user),
        body,
    )


def read_user(session_key: str) -> User | None:
    """The current user of the session; None if it ended or the account was deactivated. Reads rows."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(request)
    return user if isinstance(user, User) else None


def require_user(request: LiveRequest) -> User:
    """The signed-in person. Raises Unauthenticated."""
    if request.user is None:
        raise Unauthenticated("Sign in first.")
    return request.user


def _check(request: HttpRequest) -> tuple[User | None, str]:
    """The user and the key of the session. Raises PromptuaryError."""
    try:
        request.get_host()
    except DisallowedHost:
        raise Invalid("This host is none of PROMPTUARY_ALLOWED_HOSTS.") from None
    csrf = CsrfViewMiddleware(lambda _request: HttpResponse())
    csrf.process_request(request)
    if csrf.process_view(request, _refuse_view, (), {}) is not None:
        raise NotAllowed("The form's CSRF token is missing or wrong. Load the page again and send it once more.")
    session_key = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    if not session_key.isalnum():
        return None, ""
    return read_user(session_key), session_key


def _refuse_view(_request: HttpRequest) -> HttpResponse:
    """A view for Django's check of CSRF exemption."""
    return HttpResponse()


async def _read_body(protocol: HTTPProtocol) -> bytes:
    chunks, size = [], 0
    async for chunk in protocol:
        size += len(chunk)
        if size > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            raise TooLarge(f"The request is larger than {limit} bytes.", limit=limit)
        chunks.append(bytes(chunk))
    return b"".join(chunks)
