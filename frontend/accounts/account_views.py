"""Account pages: name, time zone, email address, sessions, keys and sign-in security."""

from collections.abc import Callable
from typing import Any

from allauth.core.ratelimit import consume
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache

from frontend.accounts.mail_views import describe_watches
from frontend.accounts.own_key_views import list_own_key_rows
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors, parse_form_number
from frontend.web.page import render_page
from frontend.web.time_zones import list_time_zones
from registry.accounts.actor import Actor
from registry.accounts.signin.passkeys import describe_passkey_obstacle
from registry.core.errors import Busy, Conflict, Invalid, TooMany
from registry.core.problem_details import find_status
from registry.people import own_account, sessions

__all__ = ["confirm_own_address", "manage_account"]

_PAUSE = 3600  # seconds until a user may request another email


class ProfileForm(forms.Form):
    """The user's display name, and the time zone and language of their pages."""

    full_name = forms.CharField(max_length=150, required=False)
    time_zone = forms.CharField(max_length=64, required=False)
    language = forms.CharField(max_length=8, required=False)


class AddressForm(forms.Form):
    """The email address for notifications; empty for none."""

    email = forms.CharField(max_length=254, required=False)


@form_page
@signed_in
def manage_account(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The account page. A POST saves the name and time zone, requests a change of address, or ends sessions."""
    person = actor.person
    button = request.POST.get("do", "") if request.method == "POST" else ""
    profile_form = ProfileForm(
        request.POST if button == "profile" else None,
        initial={"full_name": person.get_full_name(), "time_zone": person.time_zone, "language": person.language},
    )
    address_form = AddressForm(request.POST if button == "address" else None, initial={"email": person.email})
    status = 200
    if request.method == "POST":
        if button == "profile":
            status = _submit_form(request, actor, profile_form, _save_profile)
        elif button == "address":
            status = _submit_form(request, actor, address_form, _change_address)
        else:
            _end_sessions(request, actor, button)
        if status == 200:
            return redirect("mfa_index")
    else:
        UserSession.objects.create_from_request(request)  # list this session too, since it is in use now
    return render_page(
        request, "accounts/account.html", _build_context(request, actor, profile_form, address_form), status=status
    )


@never_cache
@form_page
@signed_in
def confirm_own_address(request: HttpRequest, actor: Actor, token: str) -> HttpResponse:
    """The page that the link in the email opens; a POST confirms the address."""
    try:
        if request.method == "POST":
            email = own_account.confirm_address(actor=actor, token=token).email
            messages.success(request, gettext("Mail goes to {email} from now on.").format(email=email))
            return redirect("mfa_index")
        context = {"section": "account", "email": own_account.read_address_link(actor=actor, token=token)}
    except Conflict as error:
        context = {"section": "account", "reason": error.message}
        return render_page(request, "accounts/confirm_address.html", context, status=find_status(error))
    return render_page(request, "accounts/confirm_address.html", context)


def _submit_form(
    request: HttpRequest, actor: Actor, form: forms.Form, save: Callable[[HttpRequest, Actor, dict[str, Any]], str]
) -> int:
    """Save a form. Return 200 on success, with the sentence of `save` as message, else the status of the errors that
    are now in the form.
    """
    if not form.is_valid():
        return 422
    try:
        messages.success(request, save(request, actor, form.cleaned_data))
    except (Invalid, Conflict, Busy, TooMany) as error:
        add_errors(form, error)
        return find_status(error)
    return 200


def _save_profile(_request: HttpRequest, actor: Actor, data: dict[str, Any]) -> str:
    own_account.set_profile(actor=actor, **data)
    with translation.override(actor.person.language or translation.get_language()):
        return gettext("Saved.")


def _change_address(request: HttpRequest, actor: Actor, data: dict[str, Any]) -> str:
    email = data["email"]
    if email and settings.MAIL_IS_SENT and not consume(request, action="confirm_address", user=actor.person):
        raise TooMany(gettext("You asked for many mails. Try again in an hour."), retry_after=_PAUSE)
    if own_account.change_address(actor=actor, email=email):
        days = own_account.ADDRESS_DAYS
        return gettext(
            "Open the link in the mail to {email} within {days} days. Until then your address is as before."
        ).format(email=email, days=days)
    if email:
        return gettext("Mail goes to {email} from now on.").format(email=email)
    return gettext("You won't get any more mail.")


def _end_sessions(request: HttpRequest, actor: Actor, button: str) -> None:
    if button == "end":
        sessions.end_session(actor=actor, session_id=parse_form_number(request.POST.get("session")))
        messages.success(request, gettext("The session ended."))
        return
    if button != "end_others":
        names = "profile, address, end, end_others"
        raise Invalid(fields={"do": gettext("one of {names}.").format(names=names)})
    count = sessions.end_other_sessions(actor=actor, current_key=request.session.session_key)
    ended = ngettext("{count} other session ended.", "{count} other sessions ended.", count).format(count=count)
    messages.success(request, ended if count else gettext("There was no other session."))


def _build_context(
    request: HttpRequest, actor: Actor, profile_form: ProfileForm, address_form: AddressForm
) -> dict[str, object]:
    person = actor.person
    rows = list(Authenticator.objects.filter(user=person).order_by("pk"))
    authenticators = {row.type: row for row in rows}
    codes = authenticators.get(Authenticator.Type.RECOVERY_CODES)
    return {
        "section": "account",
        "profile_form": profile_form,
        "time_zones": list_time_zones(),
        "languages": settings.LANGUAGES,
        "address_form": address_form,
        "is_mail_sent": settings.MAIL_IS_SENT,
        "has_password": person.has_usable_password(),
        "totp": authenticators.get(Authenticator.Type.TOTP),
        "passkeys": [row for row in rows if row.type == Authenticator.Type.WEBAUTHN],
        "passkey_obstacle": describe_passkey_obstacle(request),
        "codes_left": len(codes.wrap().get_unused_codes()) if codes else 0,
        "provider": settings.OIDC_NAME,
        "linked": SocialAccount.objects.filter(user=person).exists(),
        "step_up": settings.PROMPTUARY_STEP_UP,
        "sessions": sessions.list_sessions(actor, request.session.session_key),
        "watches": describe_watches(actor),
        "own_keys": list_own_key_rows(actor),
    }
