"""Adapters for allauth: who may have an account, where sign-in redirects, and how its secrets are stored."""

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
from django.utils.translation import gettext, gettext_lazy

from registry.accounts.models import SECOND_STEPS, User
from registry.accounts.signin import passkeys, provider_accounts, second_step_mail
from registry.core import encryption
from registry.core.errors import Conflict

__all__ = ["AccountAdapter", "CodesAdapter", "ProviderAdapter"]


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts: created by admins; no self-registration."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy("This account and this password do not belong together."),
        "too_many_login_attempts": gettext_lazy("Too many failed tries. Wait five minutes, then try again."),
        "incorrect_password": gettext_lazy("This is not your password."),
        "incorrect_code": gettext_lazy("This code is not right, or was used already."),
        "enter_current_password": gettext_lazy("This is not your present password."),
        "rate_limited": gettext_lazy("Too many tries. Wait a few minutes, then try again."),
    }

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count failed attempts by account and network address together.

        Counted by account alone, anybody could lock its owner out with a few wrong passwords. allauth's site is
        omitted: it is the Host header with its port, which the client controls.
        """
        return f"{credentials.get('username', '').lower()}:{get_ip(request)}"

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Self-registration is disabled."""
        return False

    def respond_user_inactive(self, request: HttpRequest, user: AbstractBaseUser) -> HttpResponse:
        """Reports a deactivated account only for a provider's sign-in: a password gets the response of a wrong one."""
        return _refuse(request, gettext("This account is deactivated. An admin of this Promptuary can reactivate it."))

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """The page with the account's security settings."""
        return reverse("mfa_index")

    def add_message(self, *_args: Any, **_options: Any) -> None:
        """Suppress allauth's own messages: our pages show the result."""

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> list[dict[str, Any]]:
        """The methods of reauthentication, with our label for passkeys."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        words = {"mfa_reauthenticate:webauthn": gettext("Use a passkey")}
        return [{**method, "description": words.get(method["id"], method["description"])} for method in methods]

    def send_notification_mail(self, template_prefix: str, user: User, *_args: Any, **_options: Any) -> None:
        """Send our own mail about a change of the second step."""
        second_step_mail.send_mail_about(template_prefix, user)


class CodesAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """The second step: the passkey's relying party, and secrets that are stored encrypted."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("This code is not right, or was used already."),
        "cannot_delete_authenticator": gettext_lazy("A namespace in which you may write requires two-step sign-in."),
    }

    def encrypt(self, text: str) -> str:
        """Encrypt with a key derived from the instance's secret key."""
        return encryption.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt the secret. Raises Conflict, with the way out, if the instance's secret key has changed."""
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
        """The account name that an app shows next to the issuer."""
        return user.get_username()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Whether it may be deleted: not the last second step of a person who may write in a namespace that requires
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
        """Send our own mail about a change of the second step."""
        second_step_mail.send_mail_about(template_prefix, user)

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Authenticator.Type) -> str:
        """The default name of a passkey."""
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        return gettext("Passkey {number}").format(number=count + 1)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """The relying party of a passkey: the host of the current page."""
        return {"id": passkeys.read_host(context.request), "name": "Promptuary"}

    def get_public_key_credential_user_entity(self, user: AbstractBaseUser) -> dict[str, Any]:
        """The owner of a passkey, as the device shows it."""
        entity: dict[str, Any] = super().get_public_key_credential_user_entity(user)
        return {**entity, "name": user.get_username()}


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """People from the OpenID provider: existing ones, or those that the setting admits."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Check the nonce of the response, then find the account, or create one if that is allowed."""
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
