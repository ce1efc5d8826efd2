"""Decorators and middleware of every page: sign-in, time zone, language, styles, and domain errors as pages."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial, wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from allauth.account.internal.flows.reauthentication import get_reauthentication_flows, suspend_request
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.db import DataError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from frontend.web.page import is_for_region, is_htmx, render_page
from frontend.web.refusals import list_typed_fields, method_not_allowed, show_refusal
from frontend.web.stylesheets import find_bundle
from registry.accounts.actor import Actor, find_language, find_signed_in_person
from registry.accounts.models import User
from registry.accounts.signin import reauthentication as signin_reauthentication
from registry.core import errors as core_errors
from registry.namespaces.permissions import remember_roles

__all__ = [
    "RefusalMiddleware",
    "by_method",
    "explain_methods",
    "form_page",
    "redirect_from_panel",
    "serve_stylesheets",
    "signed_in",
    "use_language",
    "use_time_zone",
]

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)

# A page with a form: GET, HEAD and POST.
form_page = require_http_methods(["GET", "HEAD", "POST"])

_NO_METHOD = gettext_lazy(
    "Your account has neither a password nor two-step sign-in: sign out, sign in again, and come back here."
)


def by_method(*, get: Callable[..., HttpResponse], post: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """One URL with two views: `get` handles GET and HEAD, `post` POST. Other methods are refused."""

    @form_page
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        return (post if request.method == "POST" else get)(request, *args, **kwargs)

    return answer


def signed_in(
    view: Callable[Concatenate[HttpRequest, Actor, P], R],
) -> Callable[Concatenate[HttpRequest, P], R | HttpResponse]:
    """A page for signed-in users: the view gets an Actor; others are redirected to the login page and back."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R | HttpResponse:
        person = find_signed_in_person(request)
        if person is None:
            return _to_login(request)
        try:
            asks_for_proof = settings.PROMPTUARY_STEP_UP != "off"
            missing_proof = signin_reauthentication.find_missing_proof(request) if asks_for_proof else ""
            find_for_emergency = partial(signin_reauthentication.find_missing_emergency_proof, request)
            actor = Actor(person, missing_proof=missing_proof, find_missing_emergency_proof=find_for_emergency)
            with remember_roles() if request.method in ("GET", "HEAD") else nullcontext():
                return view(request, actor, *args, **kwargs)
        except core_errors.ProofRequired as error:
            return _to_proof(request, person, error)
        except core_errors.PromptuaryError as error:
            return show_refusal(request, error)

    return answer


class RefusalMiddleware:
    """Converts a PromptuaryError raised by a view to a page that says what was refused and why."""

    def __init__(self, respond: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._respond(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for a domain error, or for a value that PostgreSQL rejects; Django handles anything else."""
        if isinstance(error, core_errors.PromptuaryError):
            return show_refusal(request, error)
        if isinstance(error, DataError) and (names := _find_fields_with_nul(request)):
            sentence = gettext("has a NUL character, which no text may.")
            return show_refusal(request, core_errors.Invalid(fields=dict.fromkeys(names, sentence)))
        return None


def _find_fields_with_nul(request: HttpRequest) -> list[str]:
    """The names of query and form fields whose value contains a NUL character."""
    return [
        name for fields in (request.GET, request.POST) for name, values in fields.lists() if "\0" in "".join(values)
    ]


def redirect_from_panel(
    respond: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: converts the redirect after a form in a panel over a page to one of the whole page.

    The panel's script posts the form, to show a refusal where the user is. If it followed the redirect itself, it would
    consume the status line of the page it leads to.
    """

    @wraps(respond)
    def answer(request: HttpRequest) -> HttpResponseBase:
        response = respond(request)
        if request.method == "POST" and "Location" in response.headers and is_for_region(request, "panel"):
            response["HX-Redirect"] = response["Location"]
            del response["Location"]
            response.status_code = HTTPStatus.NO_CONTENT
        return response

    return answer


def explain_methods(respond: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: converts an empty 405 of Django's decorators to a page."""

    @wraps(respond)
    def answer(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.streaming or response.content:
            return response
        page = method_not_allowed(request, response.get("Allow", "").split(", "))
        return page.render() if hasattr(page, "render") else page

    return answer


def _to_proof(request: HttpRequest, person: User, error: core_errors.ProofRequired) -> HttpResponse:
    """Redirect to reauthentication; the posted form is stored and resumed from there."""
    by_code = error.facts.get("proof") == "totp"
    if by_code and not person.has_two_step:
        sentence = gettext("This needs two-step sign-in. Turn it on first.")
        if list_typed_fields(request):
            return show_refusal(request, core_errors.NotAllowed(f"{sentence} {gettext('It is on your account page.')}"))
        messages.warning(request, sentence)
        return redirect("mfa_activate_totp")
    if not get_reauthentication_flows(person):
        return show_refusal(request, core_errors.NotAllowed(f"{error.message} {_NO_METHOD}"))
    page = reverse(_name_proof_page(person) if by_code else "account_reauthenticate")
    suspend_request(request, page)
    # The stored request includes its query, and allauth resumes it only if `next` is the path alone.
    return redirect(f"{page}?{urlencode({REDIRECT_FIELD_NAME: request.path})}")


def _name_proof_page(person: User) -> str:
    """The URL name of the page for the user's second factor: a TOTP code or a passkey."""
    has_app = is_mfa_enabled(person, [Authenticator.Type.TOTP])
    return "mfa_reauthenticate" if has_app else "mfa_reauthenticate_webauthn"


def _to_login(request: HttpRequest) -> HttpResponse:
    """Redirect to the login page; 401 for htmx requests and posted forms, which a redirect would lose."""
    if is_htmx(request):
        answer = HttpResponseClientRefresh()
        answer.status_code = HTTPStatus.UNAUTHORIZED
        return answer
    if request.method not in ("GET", "HEAD"):
        context = {
            "heading": gettext("You are signed out"),
            "reason": gettext("Nothing was stored. Sign in, open the page again, and put your words back."),
            "status_code": 401,
            "typed": list_typed_fields(request),
        }
        return render_page(request, "web/refusal.html", context, status=401)
    return redirect_to_login(request.get_full_path())


def use_time_zone(respond: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: pages show times in the time zone that the user chose, else in UTC."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith("/api/"):  # its times are always in UTC
            return respond(request)
        person = find_signed_in_person(request)
        if person is None or not person.time_zone:
            return respond(request)
        try:
            zone = ZoneInfo(person.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):  # a zone missing from this system's time zone database
            return respond(request)
        with timezone.override(zone):
            return respond(request)

    return answer


def use_language(respond: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: the language that the user chose, else the one that the browser requests.

    API requests with a key are always answered in English.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith("/api/") and settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return respond(request)
        person = find_signed_in_person(request)
        with translation.override(find_language(request, person)):
            response = respond(request)
        if not (person and person.language):
            patch_vary_headers(response, ["Accept-Language"])
        return response

    return answer


def serve_stylesheets(respond: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: bundles of stylesheets, answered without a session and without the database."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        bundle = find_bundle(request) if request.path_info.startswith("/styles/") else None
        return bundle or respond(request)

    return answer
