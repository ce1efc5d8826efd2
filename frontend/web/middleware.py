"""Domain errors of pages that are not ours, such as allauth's, come out as pages too."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from frontend.web.pages import refuse
from registry.core.errors import PromptuaryError

__all__ = ["RefusalMiddleware"]


class RefusalMiddleware:
    """Answers a PromptuaryError that a view let through with the page that says what was refused and why."""

    def __init__(self, respond: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._respond(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for a domain error; anything else goes on to Django."""
        return refuse(request, error) if isinstance(error, PromptuaryError) else None
