"""Sign-in through the OpenID provider: the redirect and the callback."""

import secrets

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from frontend.web.page import render_page
from registry.accounts.signin.oidc import PROVIDER, Adapter

__all__ = ["complete_sign_in", "redirect_to_provider", "show_cancelled", "start_sign_in"]


@never_cache
@require_safe
def start_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Redirect to the provider, with a state, a nonce and a PKCE challenge that belong to this session."""
    target = request.GET.get("next", "/")
    inside = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return redirect_to_provider(request, provider_id, target if inside else "/")


def redirect_to_provider(
    request: HttpRequest, provider_id: str, target: str, *, is_trial: bool = False
) -> HttpResponse:
    """Redirect to the provider. target: the page after sign-in; is_trial: sign nobody in, see `oidc_trial`."""
    adapter = _find_adapter(request, provider_id)
    nonce = secrets.token_urlsafe(24)
    try:
        provider = adapter.get_provider()
        provider.get_oauth2_adapter = lambda _request: adapter  # this adapter checks the issuer
        answer: HttpResponse = provider.redirect(
            request,
            process="login",
            next_url=target,
            auth_params={"nonce": nonce},
            nonce=nonce,
            is_trial=is_trial,
        )
    except (RequestException, OAuth2Error, AttributeError, KeyError, TypeError, ValueError):
        return _render_refusal(
            request, gettext("The provider does not answer as it should. Try again, or sign in with a password."), 503
        )
    return answer


def complete_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """The callback: exchange the code, and validate the provider's response in full before signing anyone in."""
    adapter = _find_adapter(request, provider_id)
    try:
        answer: HttpResponse = OAuth2CallbackView.adapter_view(adapter)(request)
    except ImmediateHttpResponse as answered:
        answer = answered.response
    return answer


@require_safe
def show_cancelled(request: HttpRequest) -> HttpResponse:
    """The page for a sign-in that the user cancelled at the provider."""
    return _render_refusal(request, gettext("You cancelled the sign-in. Nothing was stored."), 200)


def _find_adapter(request: HttpRequest, provider_id: str) -> Adapter:
    adapter = Adapter(request)
    try:
        if provider_id == PROVIDER and adapter.get_provider():
            return adapter
    except SocialApp.DoesNotExist:
        pass
    raise Http404


def _render_refusal(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    context = {"heading": gettext("You are not signed in"), "reason": sentence}
    return render_page(request, "web/not_signed_in.html", context, status=status)
