"""What all pages share: a signed-in person in front, and refusals that come out as pages."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from allauth.account.internal.flows.reauthentication import get_reauthentication_flows, suspend_request
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from frontend.web.htmx import show
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.accounts.signin import reauthentication as signin_reauthentication
from registry.core import errors as core_errors

__all__ = ["form_page", "person_of", "refuse", "signed_in", "status_of", "typed"]

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)

# A page with a form: shown, asked for its headers, and sent.
form_page = require_http_methods(["GET", "HEAD", "POST"])

# Status, and the sentence that heads the page.
REFUSALS: tuple[tuple[type[core_errors.PromptuaryError], int, str], ...] = (
    (core_errors.NotFound, 404, "Nothing stands at this address"),
    (core_errors.Gone, 410, "This text was taken away"),
    (core_errors.ApprovalRequired, 403, "This label moves by approval"),
    (core_errors.NotAllowed, 403, "Your role does not reach this far"),
    (core_errors.PreconditionRequired, 428, "The page did not say what it started from"),
    (core_errors.Stale, 412, "Somebody was here in the meantime"),
    (core_errors.Conflict, 409, "This no longer fits what is stored"),
    (core_errors.TooLarge, 413, "This is too large to keep"),
    (core_errors.TooMany, 429, "Too many of these in a short time"),
    (core_errors.Busy, 503, "All hands are busy"),
    (core_errors.Halted, 503, "Nothing is written at the moment"),
    (core_errors.Invalid, 422, "This cannot be taken as it is"),
)

# Fields that people write into, by the names they have in the forms.
WRITTEN = ("document", "samples", "message", "text", "reason", "owners")
_NO_METHOD = "Your account has neither a password nor a second step: sign out, sign in again, and come back here."


def person_of(request: HttpRequest) -> User | None:
    """The signed-in person, or None."""
    user = getattr(request, "user", None)  # none yet where a middleware before the sign-in refused the request
    return user if isinstance(user, User) and user.is_authenticated else None


def signed_in(
    view: Callable[Concatenate[HttpRequest, Actor, P], R],
) -> Callable[Concatenate[HttpRequest, P], R | HttpResponse]:
    """A page for signed-in people: the view gets an Actor; strangers go to the login and come back after it."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R | HttpResponse:
        person = person_of(request)
        if person is None:
            return _to_login(request)
        try:
            actor = Actor(person, missing_proof=signin_reauthentication.missing_proof(request))
            return view(request, actor, *args, **kwargs)
        except core_errors.ProofRequired as error:
            return _to_proof(request, person, error)
        except core_errors.PromptuaryError as error:
            return refuse(request, error)

    return answer


def refuse(request: HttpRequest, error: core_errors.PromptuaryError) -> HttpResponse:
    """The page for a domain error: what was refused, why, and where to go from here."""
    status, heading = _told(error)
    context = {
        "heading": heading,
        "reason": str(error),
        "status_code": status,
        "error": error,
        "typed": typed(request),
    }
    return show(request, "web/refusal.html", context, status=status)


def status_of(error: core_errors.PromptuaryError) -> int:
    """The HTTP status of a domain error, for a page that shows it in its own place."""
    return _told(error)[0]


def typed(request: HttpRequest) -> list[tuple[str, str]]:
    """What the person wrote into the form that could not be taken, to be shown again so that nothing is lost."""
    try:
        form = request.POST
    except (BadRequest, SuspiciousOperation, MultiPartParserError, OSError):  # broken, too large, or cut off
        return []
    return [(name, form[name]) for name in WRITTEN if form.get(name)]


def _to_proof(request: HttpRequest, person: User, error: core_errors.ProofRequired) -> HttpResponse:
    """Where the proof is given; what was posted is kept and goes on from there."""
    by_code = error.facts.get("proof") == "totp"
    if by_code and not is_mfa_enabled(person, [Authenticator.Type.TOTP]):
        sentence = "This takes a code of your second step: switch it on first."
        if typed(request):
            return refuse(request, core_errors.NotAllowed(f"{sentence} It is under Account and security."))
        messages.warning(request, sentence)
        return redirect("mfa_activate_totp")
    if not get_reauthentication_flows(person):
        return refuse(request, core_errors.NotAllowed(f"{error.message} {_NO_METHOD}"))
    page = reverse("mfa_reauthenticate" if by_code else "account_reauthenticate")
    suspend_request(request, page)
    # The kept request has its query with it, and allauth goes on with it only where `next` is its path alone.
    return redirect(f"{page}?{urlencode({REDIRECT_FIELD_NAME: request.path})}")


def _told(error: core_errors.PromptuaryError) -> tuple[int, str]:
    for kind, status, heading in REFUSALS:
        if isinstance(error, kind):
            return status, heading
    return 400, "This cannot be done"


def _to_login(request: HttpRequest) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        answer = HttpResponse(status=401)
        answer["HX-Refresh"] = "true"
        return answer
    if request.method not in ("GET", "HEAD"):
        context = {
            "heading": "You are signed out",
            "reason": "Nothing was stored. Sign in, open the page again, and put your words back.",
            "status_code": 401,
            "typed": typed(request),
        }
        return show(request, "web/refusal.html", context, status=401)
    return redirect_to_login(request.get_full_path())
