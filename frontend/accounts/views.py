"""Sign-in and sign-out pages, and the choice of light or dark theme."""

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import RateLimited, consume
from django import forms
from django.conf import settings
from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from frontend.web.decorators import form_page, signed_in
from frontend.web.page import render_page
from frontend.web.refusals import show_refusal
from registry.accounts import people
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.accounts.signin.passkeys import describe_passkey_obstacle
from registry.core.errors import Busy, NotAllowed

__all__ = ["TOO_MANY", "log_in", "log_out", "read_target", "set_theme", "show_login", "show_no_password"]

YEAR = 365 * 24 * 3600
WRONG = gettext_lazy("The account or password is wrong.")
TOO_MANY = gettext_lazy("Too many failed tries. Wait five minutes, then try again.")


class LoginForm(forms.Form):
    """Username and password. The error is the same for an unknown account, a wrong password and a disabled account."""

    username = forms.CharField(max_length=150)
    password = forms.CharField(max_length=4096, strip=False)

    def __init__(self, request: HttpRequest, data: QueryDict | None) -> None:
        super().__init__(data)
        self._request = request
        self.person: User | None = None

    @sensitive_variables()
    def clean(self) -> None:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if self.errors or not name or not password:
            return
        try:
            person = get_adapter(self._request).authenticate(self._request, username=name, password=password)
        except (RateLimited, ValidationError) as error:
            raise forms.ValidationError(TOO_MANY, code="too_many") from error
        except Busy as error:
            raise forms.ValidationError(error.message, code="busy") from error
        if person is None or not person.is_active:
            raise forms.ValidationError(WRONG, code="wrong")
        self.person = person


@never_cache
@sensitive_post_parameters("password")
@form_page
def log_in(request: HttpRequest) -> HttpResponse:
    """Sign in and redirect to the page requested, after the second step if the account has one."""
    target = read_target(request)
    if request.user.is_authenticated:
        return redirect(target)
    form = LoginForm(request, request.POST if request.method == "POST" else None)
    if request.method == "POST" and not consume(request, action="login"):
        form.add_error(None, TOO_MANY)
    elif request.method == "POST" and form.is_valid() and form.person is not None:
        try:
            answer: HttpResponse = perform_password_login(
                request, {"username": form.person.username}, Login(user=form.person, redirect_url=target)
            )
        except ImmediateHttpResponse as answered:
            answer = answered.response
        return answer
    refusal_statuses = {"too_many": 429, "busy": 503}
    statuses = [status for code, status in refusal_statuses.items() if form.has_error("__all__", code)]
    return show_login(request, target, form, status=statuses[0] if statuses else 422 if form.errors else 200)


def show_login(
    request: HttpRequest, target: str, form: LoginForm | None = None, *, passkey_problem: str = "", status: int = 200
) -> HttpResponse:
    """The page with all ways to sign in. target: the page after sign-in; passkey_problem: why a passkey was refused."""
    context = {
        "form": form or LoginForm(request, None),
        "next": target,
        "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
        "has_passkeys": not describe_passkey_obstacle(request),
        "passkey_problem": passkey_problem,
        "has_people": people.has_people(),
    }
    return render_page(request, "accounts/login.html", context, status=status)


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("login")


@require_safe
@signed_in
def show_no_password(request: HttpRequest, _actor: Actor) -> HttpResponse:
    """The password page for users of an OpenID provider, who have no password here."""
    sentence = gettext("You sign in through {provider}; your account has no password of its own.").format(
        provider=settings.OIDC_NAME
    )
    return show_refusal(request, NotAllowed(sentence))


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store light or dark in a cookie, so that the server renders it before the first paint."""
    answer = redirect(_keep_inside(request, request.POST.get("next", "/")))
    theme = request.POST.get("theme", "system")
    if theme in ("light", "dark"):
        answer.set_cookie("theme", theme, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    else:
        answer.delete_cookie("theme")
    return answer


def read_target(request: HttpRequest) -> str:
    """The page to open after sign-in: the local page that was requested, else the home page."""
    return _keep_inside(request, request.POST.get("next") or request.GET.get("next") or "/")


def _keep_inside(request: HttpRequest, target: str) -> str:
    """The target if it is on this server, else the home page."""
    inside = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if inside and target.startswith("/") else "/"  # `redirect` would resolve a bare word as a URL name
