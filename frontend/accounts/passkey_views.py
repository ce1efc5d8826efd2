"""Passkey pages: signing in, adding, naming and removing passkeys, and reauthenticating with one."""

from typing import Any

from allauth.account.models import Login
from allauth.account.views import BaseReauthenticateView
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.ratelimit import consume
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.webauthn.internal import auth
from allauth.mfa.webauthn.internal.flows import perform_passwordless_login
from allauth.mfa.webauthn.views import (
    AddWebAuthnView,
    EditWebAuthnView,
    ReauthenticateWebAuthnView,
    RemoveWebAuthnView,
)
from django.contrib import messages
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from frontend.accounts.views import TOO_MANY, read_target, show_login
from frontend.web.decorators import form_page
from registry.accounts.models import User
from registry.accounts.signin.passkeys import PasskeySignInForm, describe_passkey_obstacle
from registry.people.sessions import describe_browser

__all__ = ["AddPasskey", "EnterSecondStep", "ProveByPasskey", "RemovePasskey", "RenamePasskey", "sign_in_with_passkey"]


@never_cache
@form_page
def sign_in_with_passkey(request: HttpRequest) -> HttpResponse:
    """A GET by a script returns the passkey challenge as JSON; a POST signs in with the response to it."""
    target = read_target(request)
    if request.user.is_authenticated:
        return redirect(target)
    if request.method != "POST":
        if request.headers.get("Accept") != "application/json":
            return redirect("login")
        return JsonResponse({"request_options": auth.begin_authentication(user=None)})
    if not consume(request, action="login"):
        return show_login(request, target, passkey_problem=str(TOO_MANY), status=429)
    form = PasskeySignInForm(data=request.POST)
    if not form.is_valid():
        problem = gettext("The passkey was not accepted. Try again, or sign in with your password.")
        return show_login(request, target, passkey_problem=problem, status=422)
    authenticator = form.cleaned_data["credential"]
    try:
        answer: HttpResponse = perform_passwordless_login(
            request, authenticator, Login(user=authenticator.user, redirect_url=target)
        )
    except ImmediateHttpResponse as answered:
        answer = answered.response
    return answer


class EnterSecondStep(AuthenticateView):  # type: ignore[misc]  # allauth has no types
    """The second step after the password: a code, or a passkey if the user has one."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add passkey_obstacle to the context: why the browser allows no passkey here, empty if it does."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        has_passkey = self.stage.login.user.has_passkey
        return {
            **context,
            "has_passkey": has_passkey,
            "passkey_obstacle": describe_passkey_obstacle(self.request) if has_passkey else "",
        }


class AddPasskey(AddWebAuthnView):  # type: ignore[misc]  # as above
    """Adds a passkey after reauthentication."""

    def get_initial(self) -> dict[str, Any]:
        """The default name of the passkey."""
        return {"name": describe_browser(self.request.headers.get("User-Agent", ""))}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the challenge for the device to the context, unless the browser would refuse it."""
        context: dict[str, Any] = super(AddWebAuthnView, self).get_context_data(**kwargs)
        obstacle = describe_passkey_obstacle(self.request)
        if obstacle:
            return {**context, "passkey_obstacle": obstacle}
        options = auth.begin_registration(self.request.user, passwordless=True)
        return {**context, "js_data": {"creation_options": options}}

    def form_valid(self, form: Form) -> HttpResponse:
        """Store the passkey and confirm it in a message."""
        answer: HttpResponse = super().form_valid(form)
        messages.success(self.request, gettext("The passkey is added. You can sign in with it from now on."))
        return answer


class RenamePasskey(EditWebAuthnView):  # type: ignore[misc]  # as above
    """Renames a passkey."""

    success_url = reverse_lazy("mfa_index")


class RemovePasskey(RemoveWebAuthnView):  # type: ignore[misc]  # as above
    """Removes a passkey, unless it is the last second factor of a user who needs one."""

    success_url = reverse_lazy("mfa_index")

    def form_valid(self, form: Form) -> HttpResponse:
        """Remove it under a lock, so that two concurrent requests can't remove the last two passkeys."""
        with transaction.atomic():
            User.objects.select_for_update().get(pk=self.request.user.pk)
            if not get_adapter().can_delete_authenticator(self.object):
                form.add_error(None, get_adapter().error_messages["cannot_delete_authenticator"])
                return self.form_invalid(form)  # type: ignore[no-any-return]
            answer: HttpResponse = super().form_valid(form)
        messages.success(self.request, gettext("The passkey is removed."))
        return answer


class ProveByPasskey(ReauthenticateWebAuthnView):  # type: ignore[misc]  # as above
    """Reauthenticates with a passkey before an action; keeps what the user typed."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the challenge for the device to the context."""
        context: dict[str, Any] = super(ReauthenticateWebAuthnView, self).get_context_data(**kwargs)
        options = auth.begin_authentication(self.request.user)
        obstacle = describe_passkey_obstacle(self.request)
        return {**context, "passkey_obstacle": obstacle, "js_data": {"request_options": options}}

    def form_invalid(self, form: Form) -> HttpResponse:
        """Show the page again with the errors."""
        return super(BaseReauthenticateView, self).form_invalid(form)  # type: ignore[no-any-return]
