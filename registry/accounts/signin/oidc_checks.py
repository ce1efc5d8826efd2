"""Checks of an OpenID provider that need no sign-in: its discovery document, issuer and keys."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from allauth.socialaccount.adapter import get_adapter
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from requests import RequestException

from registry.accounts.signin.oidc import ALGORITHMS, Adapter

__all__ = ["ProviderCheck", "check_provider"]

_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri")
_SCOPES = ("openid", "profile", "email")
_LIMIT = 300  # characters of a provider's message
Description = dict[str, Any]


@dataclass(frozen=True)
class ProviderCheck:
    """One check: its subject, the finding, and whether signing in can work with that."""

    title: str
    finding: str
    is_passed: bool


def check_provider(request: HttpRequest) -> list[ProviderCheck]:
    """Fetch the provider's discovery document and keys; stops at the first failure that makes the rest pointless."""
    title = gettext("The provider describes itself")
    address = Adapter(request).get_provider().server_url
    try:
        description = _fetch_json(address)
    except (RequestException, ValueError) as error:
        return [ProviderCheck(title, _describe_unreachable(address, error), False)]
    checks: tuple[Callable[[Description], ProviderCheck], ...] = (
        _check_issuer,
        _check_endpoints,
        _check_keys,
        _check_pkce,
        _check_scopes,
    )
    return [ProviderCheck(title, address, True), *(check(description) for check in checks)]


def _check_issuer(description: Description) -> ProviderCheck:
    title, stated_issuer = gettext("It names the issuer of the settings"), str(description.get("issuer", ""))
    if stated_issuer.rstrip("/") == settings.OIDC_ISSUER:
        return ProviderCheck(title, stated_issuer, True)
    sentence = gettext("It calls itself {told}, but PROMPTUARY_OIDC_ISSUER is {issuer}.")
    return ProviderCheck(title, sentence.format(told=stated_issuer[:_LIMIT] or "–", issuer=settings.OIDC_ISSUER), False)


def _check_endpoints(description: Description) -> ProviderCheck:
    title = gettext("It has all addresses that signing in needs")
    missing = [name for name in _ENDPOINTS if not _is_address(description.get(name))]
    if not missing:
        return ProviderCheck(title, ", ".join(_ENDPOINTS), True)
    return ProviderCheck(title, gettext("Missing: {names}.").format(names=", ".join(missing)), False)


def _check_keys(description: Description) -> ProviderCheck:
    title, address = gettext("It has signing keys"), description.get("jwks_uri")
    if not _is_address(address):
        return ProviderCheck(title, gettext("It names no address of its keys."), False)
    try:
        keys = _fetch_json(str(address)).get("keys")
    except (RequestException, ValueError) as error:
        return ProviderCheck(title, _describe_unreachable(str(address), error), False)
    usable = [key for key in keys if _is_usable(key)] if isinstance(keys, list) else []
    if not usable:
        return ProviderCheck(title, gettext("None can be used: a key needs a kid and the type RSA, EC or OKP."), False)
    return ProviderCheck(title, ngettext("{count} key", "{count} keys", len(usable)).format(count=len(usable)), True)


def _is_usable(key: object) -> bool:
    if not isinstance(key, dict) or not key.get("kid") or key.get("use", "sig") != "sig":
        return False
    return key.get("kty") in ("RSA", "EC", "OKP") and key.get("alg", "RS256") in ALGORITHMS


def _check_pkce(description: Description) -> ProviderCheck:
    title, methods = gettext("It supports PKCE with S256"), description.get("code_challenge_methods_supported")
    if not isinstance(methods, list):
        return ProviderCheck(title, gettext("It doesn't say; most providers do."), True)
    return ProviderCheck(title, ", ".join(map(str, methods))[:_LIMIT], "S256" in methods)


def _check_scopes(description: Description) -> ProviderCheck:
    title, scopes = gettext("It sends name and mail address"), description.get("scopes_supported")
    if not isinstance(scopes, list):
        return ProviderCheck(title, gettext("It doesn't say; try a sign-in to see."), True)
    missing = [name for name in _SCOPES if name not in scopes]
    if not missing:
        return ProviderCheck(title, ", ".join(_SCOPES), True)
    return ProviderCheck(title, gettext("It doesn't know the scopes {names}.").format(names=", ".join(missing)), False)


def _fetch_json(address: str) -> Description:
    """Fetch a JSON object. Raises RequestException or ValueError if there isn't one."""
    with get_adapter().get_requests_session() as session:
        answer = session.get(address)
        answer.raise_for_status()
        content = answer.json()
    if not isinstance(content, dict):
        raise ValueError("it isn't a JSON object")
    return content


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))


def _describe_unreachable(address: str, error: Exception) -> str:
    reason = str(error)[:_LIMIT]
    return gettext("{address} does not answer as it should: {reason}").format(address=address, reason=reason)
