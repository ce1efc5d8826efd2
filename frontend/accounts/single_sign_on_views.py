"""Single sign-on pages for admins of the installation: the settings, the provider's response, and a test sign-in."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from frontend.accounts import oidc_views
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.accounts.signin import oidc_checks, oidc_trial
from registry.accounts.signin.oidc import PROVIDER
from registry.core.errors import Conflict
from registry.people import permissions

__all__ = ["complete_sign_in", "show_single_sign_on", "try_sign_in"]


@dataclass(frozen=True)
class Setting:
    """An environment variable, its value (masked for a secret), and what it sets."""

    name: str
    value: str
    meaning: str


@form_page
@signed_in
def show_single_sign_on(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The single sign-on settings, and the URLs to register at the provider; a POST fetches the provider's metadata and
    keys.
    """
    permissions.require_installation_admin(actor)
    if request.method == "POST":
        _require_provider()
    address = f"{settings.BASE_URL}{reverse('openid_connect_callback', args=[PROVIDER])}"
    here = request.build_absolute_uri(reverse("openid_connect_callback", args=[PROVIDER]))
    context = {
        "section": "settings",
        "is_set": bool(settings.OIDC_ISSUER),
        "settings": _list_settings(),
        "callback": address,
        "other_callback": "" if here == address else here,
        "checks": oidc_checks.check_provider(request) if request.method == "POST" else [],
    }
    return render_page(request, "accounts/single_sign_on.html", context)


@never_cache
@require_safe
@signed_in
def try_sign_in(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Redirect to the provider for a test sign-in, which returns to the same callback as a real one."""
    permissions.require_installation_admin(actor)
    _require_provider()
    return oidc_views.redirect_to_provider(request, PROVIDER, reverse("single-sign-on"), is_trial=True)


@never_cache
@require_safe
def complete_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """The callback: show the result of a test sign-in, or complete a real one."""
    if oidc_trial.is_trial(request):
        return _show_trial(request)
    return oidc_views.complete_sign_in(request, provider_id)


@signed_in
def _show_trial(request: HttpRequest, actor: Actor) -> HttpResponse:
    permissions.require_installation_admin(actor)
    trial = oidc_trial.finish_trial(request)
    context: dict[str, Any] = {"section": "settings", "trial": trial}
    if trial.person is not None:
        context["roles"] = trial.person.memberships.select_related("namespace").order_by("namespace__name")
        context["asks_second_step"] = trial.is_let_in and trial.person.has_two_step
    return render_page(request, "accounts/single_sign_on_trial.html", context)


def _require_provider() -> None:
    if not settings.OIDC_ISSUER:
        raise Conflict(gettext("No OpenID provider is set: PROMPTUARY_OIDC_ISSUER is empty."))


def _list_settings() -> list[Setting]:
    apps = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    app = apps[0] if apps else {"client_id": "", "secret": ""}
    secret = gettext("set; it is not shown") if app["secret"] else ""
    return [
        Setting("PROMPTUARY_OIDC_ISSUER", settings.OIDC_ISSUER, gettext("the provider's address")),
        Setting("PROMPTUARY_OIDC_CLIENT_ID", app["client_id"], gettext("the client's name at the provider")),
        Setting("PROMPTUARY_OIDC_CLIENT_SECRET", secret, gettext("its secret; or …_FILE, a file with it")),
        Setting("PROMPTUARY_OIDC_NAME", settings.OIDC_NAME, gettext("the word on the button")),
        Setting(
            "PROMPTUARY_OIDC_ACCOUNTS",
            ", ".join(settings.OIDC_ACCOUNTS),
            gettext("who gets in: known, any, or domains of verified addresses"),
        ),
    ]
