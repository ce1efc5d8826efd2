"""Answers to what Django itself refuses: pages, and problem documents below /api.

A request may come here before any middleware saw it: without a user, a session, messages or a nonce.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from http import HTTPStatus

from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from frontend.web.htmx import show
from frontend.web.pages import typed
from registry.core import problem_details
from registry.core.problem_details import Problem

__all__ = [
    "bad_request",
    "csrf_failed",
    "explain_methods",
    "forbidden",
    "method_not_allowed",
    "not_found",
    "server_error",
]

API = "/api/"
UNKNOWN_HOST = (
    "This server does not answer to the host name that was asked for. PROMPTUARY_ALLOWED_HOSTS lists its names."
)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    del exception  # it names the patterns that were tried, which helps no reader
    reason = "It may never have, or you may not read it."
    return _refuse(request, HTTPStatus.NOT_FOUND, "not-found", "Nothing stands at this address", reason)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    reason = str(exception) if exception and str(exception) else "An admin of the namespace can change that."
    return _refuse(request, HTTPStatus.FORBIDDEN, "not-allowed", "Your role does not reach this far", reason)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400 for what can't be read, 413 for what is too large."""
    if isinstance(exception, RequestDataTooBig):
        reason = "Nothing was stored. A document has at most 256 KiB, its samples 1 MiB."
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return _refuse(request, status, "too-large", "This is too large to keep", reason, has_form=False)
    is_host = isinstance(exception, DisallowedHost)
    reason = UNKNOWN_HOST if is_host else "Go back and send it again."
    return _refuse(
        request, HTTPStatus.BAD_REQUEST, "bad-request", "This request cannot be read", reason, has_form=False
    )


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is gone, mostly because of a new login in another tab."""
    del reason
    words = "You signed in again since it was opened, or cookies are off. Go back, copy what you wrote, reload, and send it."
    return _refuse(request, HTTPStatus.FORBIDDEN, "not-allowed", "This form is out of date", words)


def method_not_allowed(request: HttpRequest, allowed: Iterable[str]) -> HttpResponse:
    """405 for a page that was asked in a way it does not take; `allowed` are the methods it takes."""
    reason = f"It takes {', '.join(allowed)}."
    answer = _refuse(
        request,
        HTTPStatus.METHOD_NOT_ALLOWED,
        "method-not-allowed",
        "This address does not take that method",
        reason,
        has_form=False,
    )
    answer["Allow"] = ", ".join(allowed)
    return answer


def server_error(request: HttpRequest) -> HttpResponse:
    """Without context processors: whatever broke may be among them."""
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    if request.path.startswith(API):
        return _problem(status, "internal", "Internal error", "Something went wrong on the server; its log says what.")
    return HttpResponse(render_to_string("frontend/web/error_page.html"), status=status)


def explain_methods(respond: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: an empty 405 of Django's decorators becomes a page."""

    @wraps(respond)
    def answer(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.streaming or response.content:
            return response
        page = method_not_allowed(request, response.get("Allow", "").split(", "))
        return page.render() if hasattr(page, "render") else page

    return answer


def _refuse(
    request: HttpRequest, status: HTTPStatus, kind: str, heading: str, reason: str, *, has_form: bool = True
) -> HttpResponse:
    """The page, or below /api the problem document. has_form: whether what was typed can be read and is shown again."""
    if request.path.startswith(API):
        return _problem(status, kind, heading, reason)
    words = typed(request) if has_form else []
    context = {"heading": heading, "reason": reason, "status_code": int(status), "typed": words}
    return show(request, "web/refusal.html", context, status=status)


def _problem(status: HTTPStatus, kind: str, title: str, reason: str) -> HttpResponse:
    problem = Problem(int(status), kind, title, reason)
    return HttpResponse(problem.to_bytes(), status=status, content_type=problem_details.CONTENT_TYPE)
