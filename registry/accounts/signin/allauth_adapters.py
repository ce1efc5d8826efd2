"""Adapters for allauth: who may have an account, where sign-in leads, and how its secrets are stored."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import get_ip
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from registry.accounts.models import SECOND_STEPS, User
from registry.accounts.signin import passkeys, provider_accounts, second_step_mail
from registry.core import encryption
from registry.core.errors import Conflict

__all__ = ["AccountAdapter", "CodesAdapter", "ProviderAdapter"]


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts: made by admins, never by strangers."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "This account and this password do not belong together.",
        "too_many_login_attempts": "Too many failed tries. Wait five minutes, then try again.",
        "incorrect_password": "This is not your password.",
        "incorrect_code": "This code is not right, or was used already.",
        "enter_current_password": "This is not your present password.",
        "rate_limited": "Too many tries. Wait a few minutes, then try again.",
    }

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Failed tries are counted by account and network address together.

        Counted by account alone, anybody could keep its owner out with a few wrong passwords. The site that allauth
        counts by is left out: it is the Host header with its port, which the caller writes.
        """
        return f"{credentials.get('username', '').lower()}:{get_ip(request)}"

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody makes an account for themselves."""
        return False

    def respond_user_inactive(self, request: HttpRequest, user: AbstractBaseUser) -> HttpResponse:
        """An account that is switched off is told by a provider's sign-in only: a password is answered as a wrong
        one.
        """
        return _refuse(request, gettext("This account is deactivated. An admin of this Promptuary can reactivate it."))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to where the account's security is shown."""
        return reverse("mfa_index")

    def add_message(self, *_args: Any, **_options: Any) -> None:
        """None of allauth's own sentences: our pages say what happened."""

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> list[dict[str, Any]]:
        """The ways to prove who one is, with our word for passkeys."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        words = {"mfa_reauthenticate:webauthn": gettext("Use a passkey")}
        return [{**method, "description": words.get(method["id"], method["description"])} for method in methods]

    def send_notification_mail(self, template_prefix: str, user: User, *_args: Any, **_options: Any) -> None:
        """A mail about a change of the second step, in our own words."""
        second_step_mail.send_mail_about(template_prefix, user)


class CodesAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """The second step: whom a passkey is for, and secrets that lie sealed in the database."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right, or was used already.",
        "cannot_delete_authenticator": "A namespace in which you may write requires two-step sign-in.",
    }

    def encrypt(self, text: str) -> str:
        """Sealed by a key made from the instance's own."""
        return encryption.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """The secret again. Raises Conflict with the way out if the instance's own key is another one by now."""
        try:
            return encryption.unseal(encrypted_text)
        except Conflict as error:
            raise Conflict(
                gettext(
                    "Your two-step sign-in can't be read any more, because this server has a new secret key. "
                    "Ask an admin to reset it, or the operator of the server."
                )
            ) from error

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        """What an app shows beside the issuer."""
        return user.get_username()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Whether it may be deleted: not the last second step of somebody who writes in a namespace that requires
        one.
        """
        others = Authenticator.objects.filter(user=authenticator.user, type__in=SECOND_STEPS).exclude(
            pk=authenticator.pk
        )
        if authenticator.type not in SECOND_STEPS or others.exists():
            return True
        rows = authenticator.user.memberships.filter(namespace__two_step_required=True)
        return not rows.exclude(role="reader", highest_folder_role="").exists()

    def send_notification_mail(self, template_prefix: str, user: User, *_args: Any, **_options: Any) -> None:
        """A mail about a change of the second step, in our own words."""
        second_step_mail.send_mail_about(template_prefix, user)

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Authenticator.Type) -> str:
        """The name of a passkey whose person typed none."""
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return gettext("Passkey {number}").format(number=count + 1)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Whom a passkey is for: the host that the page was opened at."""
        return {"id": passkeys.read_host(context.request), "name": "Promptuary"}

    def get_public_key_credential_user_entity(self, user: AbstractBaseUser) -> dict[str, Any]:
        """Whose passkey it is, as the device shows it."""
        entity: dict[str, Any] = super().get_public_key_credential_user_entity(user)
        return {**entity, "name": user.get_username()}


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """People who come from the OpenID provider: known ones, or those whom the setting lets in."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Hold the answer to the question that was asked, then find the account or make one where that is allowed."""
        claims = sociallogin.account.extra_data.get("id_token") or {}
        nonce = sociallogin.state.get("nonce")
        if not nonce or claims.get("nonce") != nonce:
            raise ImmediateHttpResponse(
                _refuse(
                    request, gettext("The provider's answer belongs to another sign-in. Start again from this page.")
                )
            )
        if sociallogin.is_existing:
            return
        facts = provider_accounts.merge_facts(sociallogin.account.extra_data)
        accounts = provider_accounts.find_accounts(provider_accounts.read_verified_address(facts))
        person = accounts[0] if len(accounts) == 1 else provider_accounts.make_account(facts)
        if person is None:
            who = facts.get("email") or facts.get("preferred_username") or "you"
            raise ImmediateHttpResponse(
                _refuse(
                    request,
                    gettext("There is no account for {value} here. An admin of this Promptuary makes one.").format(
                        value=str(who)[:150]
                    ),
                )
            )
        sociallogin.connect(request, person)


def _refuse(request: HttpRequest, sentence: str) -> HttpResponse:
    context = {"heading": "You are not signed in", "reason": sentence}
    return render(request, "socialaccount/authentication_error.html", context, status=403)
