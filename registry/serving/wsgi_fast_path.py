"""The WSGI application in front of Django: it answers fetches with a key, and the long poll of label moves."""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

from registry.core import metrics, tracing
from registry.core.client_address import client_address
from registry.core.errors import PromptuaryError
from registry.serving.fetcher import fetcher
from registry.serving.label_moves_long_poll import label_moves_poll
from registry.serving.responses import Answer, matches_etag, refuse
from registry.serving.rollout_sides import BUCKET, read_bucket

__all__ = ["find_cached_answers", "serve_fetches_first"]

TEMPLATES = "/api/v1/templates/"
NAMESPACES = "/api/v1/namespaces/"
MOVES = "/moves"
_MOST_HOSTS = 256  # cached spellings of the allowed hosts: with a wildcard their number is unlimited

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
FindCached = Callable[[str, str, str, str | None, str | None, str | None], tuple[Answer, list[tuple[str, str]]] | None]


def find_cached_answers(hosts: set[str]) -> FindCached:
    """The function that both servers call first. It maps (Authorization, path, query string, Host, If-None-Match,
    X-Request-Id) of a GET to the response and its headers, or None if the response is not cached, the query is refused,
    or the host isn't known to be allowed.

    hosts: those that Django has allowed so far; `serve_fetches_first` fills it.
    """
    cached, start = fetcher().cached, len(TEMPLATES)
    count_200, count_304 = metrics.counter(200).step, metrics.counter(304).step
    choose_id, fresh_id = tracing.choose_request_id, tracing.make_request_id

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
        return answer, [*answer.headers, ("X-Request-Id", choose_id(request_id) if request_id else fresh_id())]

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
    if len(hosts) < _MOST_HOSTS:
        hosts.add(host)
    return True


def _answer(environ: dict[str, Any], hosts: set[str]) -> Answer | None:
    """The response, or None to let Django respond."""
    path: str = environ["PATH_INFO"]
    authorization = environ.get("HTTP_AUTHORIZATION")
    if authorization is None or authorization[:7].lower() != "bearer " or "\0" in path:
        return None
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
        return None
    if environ.get("HTTP_HOST") not in hosts and not _learn_host(environ, hosts):
        return None
    address = client_address(environ)
    if path.startswith(TEMPLATES) and "@" in path:
        tracing.current_request_id.set(tracing.choose_request_id(environ.get("HTTP_X_REQUEST_ID")))
        etags, query, bucket = environ.get("HTTP_IF_NONE_MATCH", ""), environ.get("QUERY_STRING", ""), None
        try:
            bucket = read_bucket(query) if BUCKET in query else None
        except PromptuaryError as error:
            return refuse(error)
        return fetcher().answer(authorization, path[len(TEMPLATES) :], etags, address, bucket)
    if path.startswith(NAMESPACES) and path.endswith(MOVES):
        tracing.current_request_id.set(tracing.choose_request_id(environ.get("HTTP_X_REQUEST_ID")))
        namespace = path[len(NAMESPACES) : -len(MOVES)]
        return label_moves_poll().answer(authorization, namespace, environ.get("QUERY_STRING", ""), address)
    return None
