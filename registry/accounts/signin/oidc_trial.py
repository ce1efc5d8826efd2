"""A complete trial sign-in through the OpenID provider that signs nobody in: the claims, and the matching account.

It uses the same flow and checks as a real one; its state marks it as a trial. Nothing is stored.
"""

import json
from dataclasses import dataclass
from typing import Any

from allauth.socialaccount.internal import statekit
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.translation import gettext
from requests import RequestException

from registry.accounts.models import User
from registry.accounts.signin import provider_accounts
from registry.accounts.signin.oidc import PROVIDER, Adapter

__all__ = ["Trial", "finish_trial", "is_trial"]

_LIMIT = 500  # characters of a claim, or of a provider's message
# What allauth and the parsing of a provider's response raise if it is invalid.
_UNFIT = (OAuth2Error, PermissionDenied, RequestException, AttributeError, KeyError, TypeError, ValueError)


@dataclass(frozen=True)
class Trial:
    """The result of a trial. outcome: a sentence; person: the matching account; claims: (name, value as text)."""

    outcome: str
    is_let_in: bool
    person: User | None = None
    claims: tuple[tuple[str, str], ...] = ()


def is_trial(request: HttpRequest) -> bool:
    """Whether the provider's response in this request belongs to a trial that this session started."""
    stashed = statekit.get_states(request).get(request.GET.get("state", ""))
    return bool(stashed and stashed[0].get("is_trial"))


def finish_trial(request: HttpRequest) -> Trial:
    """Exchange the code, check the response in full, and report what signing in would do."""
    state = statekit.unstash_state(request, provider_id=PROVIDER, state_id=request.GET.get("state", ""))
    if state is None:
        return _fail(gettext("The trial took too long. Start it again."))
    if "code" not in request.GET:
        words = request.GET.get("error_description") or request.GET.get("error") or "–"
        return _fail(gettext("The provider sent no code. It says: {words}").format(words=words[:_LIMIT]))
    try:
        login = _read_login(request, state)
    except _UNFIT as error:
        words = str(error)[:_LIMIT]
        return _fail(gettext("The provider's answer was not accepted: {words}").format(words=words))
    data = login.account.extra_data
    claims = tuple(sorted((name, _write_claim(value)) for name, value in provider_accounts.merge_facts(data).items()))
    if not state.get("nonce") or data["id_token"].get("nonce") != state["nonce"]:
        return Trial(gettext("The provider's answer belongs to another sign-in."), False, claims=claims)
    outcome, person, is_let_in = _predict_outcome(login)
    return Trial(outcome, is_let_in, person, claims)


def _read_login(request: HttpRequest, state: dict[str, Any]) -> SocialLogin:
    """The login that the response proves, unsaved. Raises allauth's errors if it proves none."""
    adapter = Adapter(request)
    app = adapter.get_provider().app
    client = adapter.get_client(request, app)
    verifier = state.get("pkce_code_verifier")
    answer = adapter.get_access_token_data(request, app, client, pkce_code_verifier=verifier)
    return adapter.complete_login(request, app, adapter.parse_token(answer), response=answer)


def _predict_outcome(login: SocialLogin) -> tuple[str, User | None, bool]:
    """What signing in would do, as a sentence; the account; and whether it would succeed."""
    facts = provider_accounts.merge_facts(login.account.extra_data)
    address = provider_accounts.read_verified_address(facts)
    linked = SocialAccount.objects.filter(provider=login.account.provider, uid=login.account.uid).first()
    accounts = [linked.user] if linked else provider_accounts.find_accounts(address)
    if len(accounts) == 1:
        return _describe_known(accounts[0], address, is_linked=linked is not None)
    if accounts:
        return gettext("Refused: several accounts have the address {address}.").format(address=address), None, False
    if provider_accounts.may_create_account(address):
        name = provider_accounts.choose_username(facts)
        return gettext("A new account {name} would be made, without any role.").format(name=name), None, True
    return _describe_stranger(address), None, False


def _describe_known(person: User, address: str, *, is_linked: bool) -> tuple[str, User, bool]:
    names = {"name": person.username, "address": address}
    if not person.is_active:
        return gettext("Refused: the account {name} is deactivated.").format(**names), person, False
    if is_linked:
        return gettext("Opens the account {name}, which signed in this way before.").format(**names), person, True
    return gettext("Opens the account {name}, found by the verified address {address}.").format(**names), person, True


def _describe_stranger(address: str) -> str:
    if not address:
        return gettext(
            "Refused: the provider sends no verified mail address (the claims email, and email_verified with the "
            "value true), so no account can be found."
        )
    allowed = ", ".join(settings.OIDC_ACCOUNTS)
    return gettext(
        "Refused: no account has the address {address}, and PROMPTUARY_OIDC_ACCOUNTS is {allowed}, so none is made."
    ).format(address=address, allowed=allowed)


def _write_claim(value: object) -> str:
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:_LIMIT]


def _fail(outcome: str) -> Trial:
    return Trial(outcome, False)
