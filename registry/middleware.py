"""Middleware that every request passes before a view."""

import logging
import threading
import time
from collections.abc import Callable

from django.core.exceptions import BadRequest, DisallowedHost, RequestDataTooBig
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.urls import get_resolver, get_urlconf
from django.utils.translation import gettext

from registry.accounts.actor import find_signed_in_person
from registry.accounts.models import Key
from registry.core import tracing
from registry.core.client_address import read_client_address
from registry.core.errors import NotFound
from registry.core.problem_details import CONTENT_TYPE, describe_error
from registry.core.work_quota import work_quota
from registry.observability import health
from registry.people.sessions import note_session_use
from registry.serving.wsgi_fast_path import choose_request_id

__all__ = [
    "LARGEST_BODY",
    "NOTE_SECONDS",
    "RefuseBrokenBodies",
    "answer_probes",
    "count_work",
    "drop_bad_cookies",
    "name_request",
    "note_session",
    "refuse_bad_lengths",
    "refuse_nul",
    "refuse_unknown_hosts",
]

WORDS = ("q", "search")  # search terms, in which a NUL is simply dropped
PROBES = {"/livez": health.livez, "/readyz": health.readyz}
Respond = Callable[[HttpRequest], HttpResponseBase]
LARGEST_BODY = 16 * 1024 * 1024  # bytes, as in nginx.conf; no view accepts more
NOTE_SECONDS = 300.0  # the precision of a session's time of last use
_MAX_NOTED = 20_000  # sessions whose last write a process remembers
_MAX_DIGITS = 15  # of a Content-Length; Python refuses to parse thousands of digits
_READS_NO_BODY = "/api/public/"  # for clients of Langfuse, some of which send chunked traces; all are dropped
REASON = "No page has an address with a NUL in it."
logger = logging.getLogger(__name__)


def name_request(respond: Respond) -> Respond:
    """Assign the request its id, for the response's X-Request-Id and each log line of the request."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        chosen = choose_request_id(request.headers.get(tracing.REQUEST_ID_HEADER))
        before = tracing.current_request_id.set(chosen)
        try:
            response = respond(request)
        finally:
            tracing.current_request_id.reset(before)
        response.headers.setdefault(tracing.REQUEST_ID_HEADER, chosen)
        return response

    return answer


def count_work(respond: Respond) -> Respond:
    """Count the server work of a request for its key, if it has one."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if "HTTP_AUTHORIZATION" not in request.META:  # a key is only accepted in this header
            return respond(request)

        def name_caller() -> str:
            key = getattr(request, "auth", None)  # set where the key was read
            return key.id if isinstance(key, Key) else ""

        with work_quota().measure(name_caller):
            return respond(request)

    return answer


def answer_probes(respond: Respond) -> Respond:
    """Answer /livez and /readyz before everything else: a load balancer requests them by IP address, over plain http
    and without a session, so the Host check, the redirect to https and the sessions' database must not come first.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        probe = PROBES.get(request.path_info)
        return probe(request) if probe else respond(request)

    return answer


def refuse_unknown_hosts(respond: Respond) -> Respond:
    """Answer 400 if the Host isn't in PROMPTUARY_ALLOWED_HOSTS, with one line in the log."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        try:
            request.get_host()
        except DisallowedHost as error:
            logger.warning("refused a request for the host %.100r", request.META.get("HTTP_HOST", ""))
            response = _refuse(request, error)
            response._has_been_logged = True  # type: ignore[attr-defined]  # or Django adds a line without the host
            return response
        return respond(request)

    return answer


def refuse_bad_lengths(respond: Respond) -> Respond:
    """Answer 400 if Content-Length isn't a number, which third-party middleware expects, or if the body is chunked, and
    413 if it is too large.

    Django takes a chunked body for an empty one, so a POST would be done without what it says. It writes uploads of any
    size to the disk, even before it is known who sends them.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdecimal() and len(length) <= _MAX_DIGITS):
            return _refuse(request, BadRequest(gettext("Content-Length is not a number.")))
        if int(length) > LARGEST_BODY:
            return _refuse(request, RequestDataTooBig(f"The body is larger than {LARGEST_BODY} bytes."))
        has_chunks = "HTTP_TRANSFER_ENCODING" in request.META and request.method not in ("GET", "HEAD")
        if has_chunks and not request.path.startswith(_READS_NO_BODY):
            reason = gettext("Send the body with a Content-Length. A chunked one is not read.")
            return _refuse(request, BadRequest(reason))
        return respond(request)

    return answer


def drop_bad_cookies(respond: Respond) -> Respond:
    """Drop cookies that contain control characters: our own never do, and PostgreSQL rejects NUL."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        for name in [name for name, value in request.COOKIES.items() if not (name + value).isprintable()]:
            del request.COOKIES[name]
        return respond(request)

    return answer


class _SessionUses:
    """When this process last wrote the use of each session. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: dict[str, float] = {}

    def is_due(self, session_key: str) -> bool:
        """Whether the session's use should be written now. Not on its first use here, as its sign-in was just
        written.
        """
        now = time.monotonic()
        with self._lock:
            noted = self._noted.get(session_key)
            if noted is not None and now - noted < NOTE_SECONDS:
                return False
            if len(self._noted) >= _MAX_NOTED:
                self._noted.clear()
            self._noted[session_key] = now
        return noted is not None


def note_session(respond: Respond) -> Respond:
    """Record the use of a signed-in person's session, at most once in five minutes.

    A failed write does not fail the page.
    """
    uses = _SessionUses()

    def answer(request: HttpRequest) -> HttpResponseBase:
        session_key = request.session.session_key
        if session_key and find_signed_in_person(request) is not None and uses.is_due(session_key):
            try:
                note_session_use(session_key, read_client_address(request.META))
            except DatabaseError as error:
                logger.warning("the use of a session is not written: %s", error)
        return respond(request)

    return answer


class RefuseBrokenBodies:
    """Answer 400 if the body is incomplete: the client's connection broke, which isn't a server error."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._respond(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Django's hook for an exception of a view."""
        return _refuse(request, error) if isinstance(error, UnreadablePostError) else None


def refuse_nul(respond: Respond) -> Respond:
    """Answer 404 to a URL that contains NUL: nothing has such a name, and PostgreSQL would raise an error."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if "\0" not in request.path and not _contains_nul(request):
            return respond(request)
        if not request.path.startswith("/api/"):
            raise Http404(REASON)
        problem = describe_error(NotFound(REASON))
        return HttpResponse(problem.to_bytes(), status=problem.status, content_type=CONTENT_TYPE)

    return answer


def _refuse(request: HttpRequest, error: Exception) -> HttpResponseBase:
    """The response of the handler for 400, for a page or for the API."""
    handler: Callable[..., HttpResponseBase] = get_resolver(get_urlconf()).resolve_error_handler(400)
    response = handler(request, exception=error)
    return response.render() if isinstance(response, SimpleTemplateResponse) else response


def _contains_nul(request: HttpRequest) -> bool:
    parameters = request.GET.lists() if "%00" in request.META.get("QUERY_STRING", "") else []
    return any("\0" in value for name, values in parameters if name not in WORDS for value in values)
