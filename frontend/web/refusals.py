"""Error pages: domain errors, and Django's own errors; below /api the latter are problem documents.

A request may get here before any middleware has seen it: without a user, a session, messages or a nonce.
"""

import sys
from collections.abc import Iterable
from http import HTTPStatus

from django.core.exceptions import BadRequest, DisallowedHost, RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from frontend.web.findings import translate_finding
from frontend.web.near_names import find_near_name
from frontend.web.page import render_page
from frontend.web.ways_back import find_way_back
from registry.core import errors as core_errors
from registry.core import problem_details
from registry.core.database_errors import describe_busy, is_unavailable
from registry.core.problem_details import CONTENT_TYPE, Problem, find_status

__all__ = [
    "bad_request",
    "csrf_failed",
    "forbidden",
    "list_typed_fields",
    "method_not_allowed",
    "not_found",
    "server_error",
    "show_refusal",
]

# The heading of the page for each domain error; other classes use that of their nearest base class.
HEADINGS: dict[type, str | Promise] = {
    core_errors.PromptuaryError: gettext_lazy("This is not possible"),
    core_errors.NotFound: gettext_lazy("Not found"),
    core_errors.Gone: gettext_lazy("Redacted: this text was removed"),
    core_errors.NotAllowed: gettext_lazy("Not allowed"),
    core_errors.ApprovalRequired: gettext_lazy("Approval required"),
    core_errors.AddressNotAllowed: gettext_lazy("Not allowed from this address"),
    core_errors.TwoStepRequired: gettext_lazy("Two-step sign-in required"),
    core_errors.ProofRequired: gettext_lazy("Confirm that it is you"),
    core_errors.Conflict: gettext_lazy("This is not possible now"),
    core_errors.Stale: gettext_lazy("Conflict: a newer version was saved"),
    core_errors.PreconditionRequired: gettext_lazy("The base version is missing"),
    core_errors.Invalid: gettext_lazy("Not valid"),
    core_errors.TooLarge: gettext_lazy("Too large"),
    core_errors.TooMany: gettext_lazy("Too many requests"),
    core_errors.Busy: gettext_lazy("Busy, try again"),
    core_errors.Halted: gettext_lazy("Writing is stopped"),
}

# Fields with user-written text, by their names in forms.
WRITTEN = (
    "document",
    "samples",
    "title",
    "why",
    "message",
    "text",
    "reason",
    "owners",
    *(f"comment-{n}" for n in range(5)),
)
API = "/api/"
UNKNOWN_HOST = gettext_lazy(
    "This server does not answer to the host name that was asked for. PROMPTUARY_ALLOWED_HOSTS lists its names."
)


def show_refusal(request: HttpRequest, error: core_errors.PromptuaryError) -> HttpResponse:
    """The page for a domain error: what was refused, why, and where to go from here."""
    status = find_status(error)
    context = {
        "heading": next(HEADINGS[cls] for cls in type(error).__mro__ if cls in HEADINGS),
        "reason": translate_finding(str(error)),
        "status_code": status,
        "error": error,
        "typed": list_typed_fields(request),
        "sets_up_two_step": isinstance(error, core_errors.TwoStepRequired),
        "near_name": find_near_name(request) if isinstance(error, core_errors.NotFound) else None,
        "way_back": find_way_back(request, is_missing=isinstance(error, core_errors.NotFound)),
    }
    return render_page(request, "web/refusal.html", context, status=status)


def list_typed_fields(request: HttpRequest) -> list[tuple[str, str]]:
    """The texts of a refused form by field name, to be shown again so that nothing is lost."""
    try:
        form = request.POST
    except (BadRequest, SuspiciousOperation, MultiPartParserError, OSError):  # malformed, too large, or truncated
        return []
    return [(name, form[name]) for name in WRITTEN if form.get(name)]


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: Django's handler for a URL that no pattern matches."""
    del exception  # it lists the patterns that were tried, which doesn't help readers
    reason = gettext("It doesn't exist, or you don't have access.")
    return _refuse(request, HTTPStatus.NOT_FOUND, "not-found", gettext("Page not found"), reason)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: Django's handler for PermissionDenied."""
    reason = str(exception) if exception and str(exception) else gettext("An admin of the namespace can change that.")
    return _refuse(request, HTTPStatus.FORBIDDEN, "not-allowed", gettext("Not allowed"), reason)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400 for malformed requests, 413 for too large ones."""
    if isinstance(exception, RequestDataTooBig):
        reason = gettext("Nothing was stored. A document has at most 256 KiB, its samples 1 MiB.")
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return _refuse(request, status, "too-large", gettext("Too large"), reason, has_form=False)
    is_host = isinstance(exception, DisallowedHost)
    reason = str(UNKNOWN_HOST) if is_host else gettext("Go back and send it again.")
    if isinstance(exception, BadRequest):
        reason = str(exception)
    heading = gettext("This request can't be read")
    return _refuse(request, HTTPStatus.BAD_REQUEST, "bad-request", heading, reason, has_form=False)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form whose CSRF token expired, usually because of a new login in another tab."""
    del reason  # it names the failed check, which doesn't help readers
    sentence = gettext(
        "You signed in again since it was opened, or cookies are off. "
        "Go back, copy what you wrote, reload, and send it."
    )
    return _refuse(request, HTTPStatus.FORBIDDEN, "not-allowed", gettext("This form is out of date"), sentence)


def method_not_allowed(request: HttpRequest, allowed: Iterable[str]) -> HttpResponse:
    """405 for a method that the page doesn't allow; `allowed` lists those it does."""
    reason = gettext("It takes {methods}.").format(methods=", ".join(allowed))
    answer = _refuse(
        request,
        HTTPStatus.METHOD_NOT_ALLOWED,
        "method-not-allowed",
        gettext("Method not allowed"),
        reason,
        has_form=False,
    )
    answer["Allow"] = ", ".join(allowed)
    return answer


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 while the database is unavailable or the disk full. Without context processors, because one of them
    may be the cause.
    """
    if is_unavailable(sys.exception()):
        return _render_database_unavailable(request)
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    if request.path.startswith(API):
        reason = gettext("Something went wrong on the server; its log says what.")
        return _render_problem(status, "internal", gettext("Internal error"), reason)
    return HttpResponse(render_to_string("frontend/web/error_page.html"), status=status)


def _render_database_unavailable(request: HttpRequest) -> HttpResponse:
    error = describe_busy(sys.exception(), request.method or "")
    problem = problem_details.describe_error(error)
    if request.path.startswith(API):
        headers = {"Content-Type": CONTENT_TYPE, **problem.headers}
        return HttpResponse(problem.to_bytes(), status=problem.status, headers=headers)
    context = {"reason": error.message, "typed": list_typed_fields(request), "path": request.get_full_path()}
    page = render_to_string("frontend/web/database_unavailable.html", context)
    return HttpResponse(page, status=problem.status, headers=problem.headers)


def _refuse(
    request: HttpRequest, status: HTTPStatus, kind: str, heading: str, reason: str, *, has_form: bool = True
) -> HttpResponse:
    """The page, or below /api the problem document. has_form: whether the user's input can be read and shown again."""
    if request.path.startswith(API):
        return _render_problem(status, kind, heading, reason)
    context = {
        "heading": heading,
        "reason": reason,
        "status_code": int(status),
        "typed": list_typed_fields(request) if has_form else [],
        "way_back": find_way_back(request, is_missing=status == HTTPStatus.NOT_FOUND),
    }
    return render_page(request, "web/refusal.html", context, status=status)


def _render_problem(status: HTTPStatus, kind: str, title: str, reason: str) -> HttpResponse:
    problem = Problem(int(status), kind, title, reason)
    return HttpResponse(problem.to_bytes(), status=status, content_type=CONTENT_TYPE)
