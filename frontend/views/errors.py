"""Pages for what Django itself refuses."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from frontend.htmx import show
from frontend.pages import typed

__all__ = ["bad_request", "csrf_failed", "forbidden", "not_found", "server_error"]


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    del exception  # it names the patterns that were tried, which helps no reader
    return _page(
        request, HTTPStatus.NOT_FOUND, "Nothing stands at this address", "It may never have, or you may not read it."
    )


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    reason = str(exception) if exception and str(exception) else "An admin of the namespace can change that."
    return _page(request, HTTPStatus.FORBIDDEN, "Your role does not reach this far", reason)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    del exception
    return _page(request, HTTPStatus.BAD_REQUEST, "This request cannot be read", "Go back and send it again.")


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is gone, mostly because of a new login in another tab."""
    del reason
    return _page(
        request,
        HTTPStatus.FORBIDDEN,
        "This form is out of date",
        "You signed in again since it was opened, or cookies are off. Go back, copy what you wrote, reload, and send it.",
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Without context processors: whatever broke may be among them."""
    return HttpResponse(render_to_string("frontend/broken.html"), status=HTTPStatus.INTERNAL_SERVER_ERROR)


def _page(request: HttpRequest, status: HTTPStatus, heading: str, reason: str) -> HttpResponse:
    context = {"heading": heading, "reason": reason, "status_code": int(status), "typed": typed(request)}
    return show(request, "refusal.html", context, status=status)
