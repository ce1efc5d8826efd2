"""The WSGI application in front of Django: it answers fetches with a key, and the long poll of label moves.

It is the first to see a request, so request ids are chosen here.
"""

import itertools
import re
import secrets
from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

from promptuary.renderer.after_fork import run_after_fork
from registry.core import metrics, tracing
from registry.core.client_address import read_client_address
from registry.core.errors import PromptuaryError
from registry.serving.fetcher import get_fetcher
from registry.serving.label_moves_long_poll import label_moves_poll
from registry.serving.responses import Answer, build_refusal, matches_etag
from registry.serving.rollout_sides import BUCKET, read_bucket

__all__ = [
    "HAS_WAITED",
    "MOVES",
    "NAMESPACES",
    "choose_request_id",
    "find_cached_answers",
    "make_request_id",
    "serve_fetches_first",
]

TEMPLATES = "/api/v1/templates/"
NAMESPACES = "/api/v1/namespaces/"
MOVES = "/moves"
HAS_WAITED = "promptuary.has_waited"  # in the environ of a poll for moves: its time to wait is over
_MAX_HOSTS = 256  # cached spellings of the allowed hosts: with a wildcard their number is unlimited
_ALLOWED_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}")
_numbers = itertools.count(1)
_prefix = secrets.token_hex(6)

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
FindCached = Callable[[str, str, str, str | None, str | None, str | None], tuple[Answer, list[tuple[str, str]]] | None]


def make_request_id() -> str:
    """A unique request id: a random prefix per process, then a counter."""
    return f"{_prefix}-{next(_numbers):x}"


def choose_request_id(sent: str | None) -> str:
    """The caller's X-Request-Id if it is valid, else a new id."""
    return sent if sent and _ALLOWED_ID.fullmatch(sent) else make_request_id()


def _renew_prefix() -> None:
    global _prefix  # noqa: PLW0603  # two processes must not count on from one prefix
    _prefix = secrets.token_hex(6)


run_after_fork(_renew_prefix)


def find_cached_answers(hosts: set[str]) -> FindCached:
    """The function that both servers call first. It maps (Authorization, path, query string, Host, If-None-Match,
    X-Request-Id) of a GET to the response and its headers, or None if the response is not cached, the query is refused,
    or the host isn't known to be allowed.

    hosts: those that Django has allowed so far; `serve_fetches_first` fills it.
    """
    cached, start = get_fetcher().cached, len(TEMPLATES)
    count_200, count_304 = metrics.find_counter(200).step, metrics.find_counter(304).step

    def find(
        authorization: str, path: str, query: str, host: str | None, etags: str | None, request_id: str | None
    ) -> tuple[Answer, list[tuple[str, str]]] | None:
        if path[:18] != TEMPLATES or host not in hosts:
            return None
        try:
            bucket = read_bucket(query) if BUCKET in query else None
        except PromptuaryError:
            return None
        fetch = cached(authorization, path[start:], bucket)
        if fetch is None:
            return None
        fetch.count()
        answer = fetch.answer
        if etags and bucket is None and matches_etag(etags, fetch.version.etag):
            answer = fetch.version.unchanged
            count_304()
        else:
            count_200()
        return answer, [
            *answer.headers,
            ("X-Request-Id", choose_request_id(request_id) if request_id else make_request_id()),
        ]

    return find


def serve_fetches_first(application: Application, hosts: set[str] | None = None) -> Application:
    """A WSGI application that answers those itself and passes everything else to `application`.

    Bodies are lists on purpose: granian sends a list in one piece, and anything else chunk by chunk.
    """
    allowed_hosts: set[str] = set() if hosts is None else hosts
    find = find_cached_answers(allowed_hosts)

    def serve(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        authorization = environ.get("HTTP_AUTHORIZATION")
        if authorization is None or environ["REQUEST_METHOD"] != "GET":
            return serve_rest(environ, start_response)
        cached = find(
            authorization,
            environ["PATH_INFO"],
            environ.get("QUERY_STRING", ""),
            environ.get("HTTP_HOST"),
            environ.get("HTTP_IF_NONE_MATCH"),
            environ.get("HTTP_X_REQUEST_ID"),
        )
        if cached is None:
            return serve_rest(environ, start_response)
        start_response(cached[0].line, cached[1])
        return [cached[0].body]

    def serve_rest(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        answer = _answer(environ, allowed_hosts)
        if answer is None:
            return application(environ, start_response)
        start_response(answer.line, [*answer.headers, (tracing.REQUEST_ID_HEADER, tracing.current_request_id.get())])
        return [answer.body] if environ["REQUEST_METHOD"] == "GET" else []

    return serve


def _learn_host(environ: dict[str, Any], hosts: set[str]) -> bool:
    """Whether Django allows the request's host; an allowed one is added to `hosts`."""
    host = environ.get("HTTP_HOST")
    if host is None:
        return False
    request = HttpRequest()
    request.META = environ
    try:
        request.get_host()
    except DisallowedHost:
        return False
    if len(hosts) < _MAX_HOSTS:
        hosts.add(host)
    return True


def _answer(environ: dict[str, Any], hosts: set[str]) -> Answer | None:
    """The response, or None to let Django respond."""
    path: str = environ["PATH_INFO"]
    authorization = environ.get("HTTP_AUTHORIZATION")
    if authorization is None or authorization[:7].lower() != "bearer ":
        return None
    if "\0" in path or not path.isascii():  # no name has such characters; Django decodes them for the refusal
        return None
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
        return None
    if environ.get("HTTP_HOST") not in hosts and not _learn_host(environ, hosts):
        return None
    address = read_client_address(environ)
    if path.startswith(TEMPLATES) and "@" in path:
        tracing.current_request_id.set(choose_request_id(environ.get("HTTP_X_REQUEST_ID")))
        etags, query, bucket = environ.get("HTTP_IF_NONE_MATCH", ""), environ.get("QUERY_STRING", ""), None
        try:
            bucket = read_bucket(query) if BUCKET in query else None
        except PromptuaryError as error:
            return build_refusal(error)
        return get_fetcher().answer(authorization, path[len(TEMPLATES) :], etags, address, bucket)
    if path.startswith(NAMESPACES) and path.endswith(MOVES):
        tracing.current_request_id.set(choose_request_id(environ.get("HTTP_X_REQUEST_ID")))
        namespace = path[len(NAMESPACES) : -len(MOVES)]
        query, has_waited = environ.get("QUERY_STRING", ""), environ.get(HAS_WAITED, False)
        return label_moves_poll().answer(authorization, namespace, query, address, has_waited=has_waited)
    return None
