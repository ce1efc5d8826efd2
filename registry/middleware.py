"""What is settled for every request before any view."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from registry import request_ids
from registry.errors import NotFound
from registry.models import Key
from registry.problems import CONTENT_TYPE, of_error
from registry.work import work_quota

__all__ = ["count_work", "name_request", "refuse_nul"]

WORDS = ("q", "search")  # words to look for, in which a NUL is simply dropped
Respond = Callable[[HttpRequest], HttpResponseBase]
REASON = "Nothing stands at an address with a NUL in it."


def name_request(respond: Respond) -> Respond:
    """Give the request its id: in the answer's X-Request-Id, and in each line that is logged meanwhile."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        chosen = request_ids.choose(request.headers.get(request_ids.HEADER))
        before = request_ids.current.set(chosen)
        try:
            response = respond(request)
        finally:
            request_ids.current.reset(before)
        response.headers.setdefault(request_ids.HEADER, chosen)
        return response

    return answer


def count_work(respond: Respond) -> Respond:
    """Count the server work that a request causes for the key that it came with, if it came with one."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        def name_caller() -> str:
            key = getattr(request, "auth", None)  # set by whoever read the key
            return key.id if isinstance(key, Key) else ""

        with work_quota().measure(name_caller):
            return respond(request)

    return answer


def refuse_nul(respond: Respond) -> Respond:
    """Answer 404 to an address with a NUL in it: nothing has such a name, and PostgreSQL can't even be asked."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if "\0" not in request.path and not _asks_for_nul(request):
            return respond(request)
        if not request.path.startswith("/api/"):
            raise Http404(REASON)
        problem = of_error(NotFound(REASON))
        return HttpResponse(problem.to_bytes(), status=problem.status, content_type=CONTENT_TYPE)

    return answer


def _asks_for_nul(request: HttpRequest) -> bool:
    asked = request.GET.lists() if "%00" in request.META.get("QUERY_STRING", "") else []
    return any("\0" in value for name, values in asked if name not in WORDS for value in values)
