"""The page that an invitation link opens: accept the role with an existing account or a new one."""

from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from frontend.web.decorators import form_page
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from frontend.web.refusals import show_refusal
from registry.accounts.actor import Actor, find_signed_in_person
from registry.accounts.models import User
from registry.changes import gate
from registry.core.errors import Busy, Conflict, Invalid, NotFound, TooMany
from registry.core.problem_details import find_status
from registry.invitations import queries, services
from registry.invitations.models import Invitation
from registry.releases import gate as release_gate

__all__ = ["accept_invitation"]

_PAUSE = 60  # seconds until a client may try again


class AccountForm(forms.Form):
    """A new account."""

    username = forms.CharField(max_length=64)
    full_name = forms.CharField(max_length=150, required=False)
    password = forms.CharField(max_length=4096, strip=False)

    def __init__(self, *args: object, with_password: bool, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]  # passed on unchanged
        if not with_password:
            del self.fields["password"]


@never_cache
@sensitive_post_parameters("password")
@form_page
def accept_invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """The role that the invitation grants, and who sent it; a POST accepts it."""
    if request.method == "POST" and not consume(request, action="accept_invitation"):
        return show_refusal(
            request, TooMany(gettext("Too many tries. Wait a minute, then try again."), retry_after=_PAUSE)
        )
    try:
        invitation = queries.find_by_secret(secret)
        person = find_signed_in_person(request)
        if person is not None:
            return _accept_as(request, person, invitation, secret)
        return _accept_as_new(request, invitation, secret)
    except (NotFound, Conflict) as error:
        context = {"heading": gettext("This invitation can't be accepted"), "reason": error.message}
        return render_page(request, "web/not_signed_in.html", context, status=find_status(error))


def _accept_as(request: HttpRequest, person: User, invitation: Invitation, secret: str) -> HttpResponse:
    if request.method == "POST":
        services.accept_invitation(actor=Actor(person), secret=secret)
        return _sign_in_and_redirect(request, person, invitation)
    return render_page(request, "accounts/invitation.html", {**_build_context(request, invitation), "person": person})


@sensitive_variables("password")
def _accept_as_new(request: HttpRequest, invitation: Invitation, secret: str) -> HttpResponse:
    has_password = not settings.OIDC_ISSUER
    form, status = AccountForm(request.POST or None, with_password=has_password), 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                password = form.cleaned_data["password"] if has_password else None
                person = services.accept_as_new_person(
                    secret=secret,
                    username=form.cleaned_data["username"],
                    full_name=form.cleaned_data["full_name"],
                    password=password,
                )
            except (Invalid, Conflict, Busy) as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                if not has_password:
                    return redirect(f"{reverse('openid_connect_login', args=['oidc'])}?{urlencode({'next': '/'})}")
                return _sign_in(request, person, invitation)
    context = {**_build_context(request, invitation), "form": form, "has_password": has_password}
    return render_page(request, "accounts/invitation.html", context, status=status)


def _sign_in(request: HttpRequest, person: User, invitation: Invitation) -> HttpResponse:
    target = _sign_in_and_redirect(request, person, invitation).url
    try:
        answer: HttpResponse = perform_password_login(
            request, {"username": person.username}, Login(user=person, redirect_url=target)
        )
    except ImmediateHttpResponse as answered:
        answer = answered.response
    return answer


def _build_context(request: HttpRequest, invitation: Invitation) -> dict[str, object]:
    return {
        "invitation": invitation,
        "next": request.path,
        "provider": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
    }


def _sign_in_and_redirect(request: HttpRequest, person: User, invitation: Invitation) -> HttpResponseRedirect:
    space = invitation.namespace.name
    messages.success(
        request, gettext("Welcome to {space}: you are {role} there.").format(space=space, role=invitation.role)
    )
    if release_gate.count_waiting(gate.evaluate_pending(Actor(person)), person.username):
        return HttpResponseRedirect(reverse("home"))  # lists what needs their attention
    return HttpResponseRedirect(reverse("folder", args=[space]))
