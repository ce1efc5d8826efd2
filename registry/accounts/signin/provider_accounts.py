"""The account for a person from an OpenID provider: the one with the verified address, or a new one."""

import re
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR
from registry.accounts.models import User
from registry.core.errors import Busy

__all__ = [
    "choose_username",
    "find_accounts",
    "make_account",
    "may_create_account",
    "merge_facts",
    "read_verified_address",
]

_LIMIT = 60  # characters of a username derived from claims
_TRIES = 1000


def merge_facts(data: dict[str, Any]) -> dict[str, Any]:
    """The merged claims of token and userinfo; userinfo takes precedence.

    data: both halves of a provider's response, as allauth stores them with the account.
    """
    return {**(data.get("id_token") or {}), **(data.get("userinfo") or {})}


def read_verified_address(facts: dict[str, Any]) -> str:
    """The mail address that the provider has verified; empty without one."""
    address = facts.get("email")
    return address if isinstance(address, str) and facts.get("email_verified") is True else ""


def find_accounts(address: str) -> list[User]:
    """Find the accounts with the proven address, two at most; a single one is the person's."""
    if not address:
        return []
    accounts = User.objects.filter(email__iexact=address, is_address_unproven=False)
    return list(accounts.exclude(username=OPERATOR)[:2])


def may_create_account(address: str) -> bool:
    """Whether the setting admits people without an account. address: a verified one, or empty."""
    domain = address.rpartition("@")[2].lower()
    allowed = settings.OIDC_ACCOUNTS
    return "any" in allowed or (bool(domain) and domain in allowed)


def make_account(facts: dict[str, Any]) -> User | None:
    """Create an account without a password, if the setting admits this person and the address is unused."""
    address = read_verified_address(facts)
    same_address = (
        User.objects.filter(email__iexact=address, is_address_unproven=False) if address else User.objects.none()
    )
    if not may_create_account(address) or same_address.exists():
        return None  # several accounts have it, so an admin has to resolve that
    name = str(facts.get("name") or "")[:150]
    person = User(username=choose_username(facts), email=address, first_name=name)
    person.set_unusable_password()
    person.save(force_insert=True)
    return person


def choose_username(facts: dict[str, Any]) -> str:
    """An unused valid username: a matching name alone doesn't prove that it is the same person.

    Raises Busy if a thousand such names are taken.
    """
    address = read_verified_address(facts)
    preferred = str(facts.get("preferred_username") or address.partition("@")[0] or "person").partition("@")[0].lower()
    base = re.sub(r"[^a-z0-9._-]+", "-", preferred)[:_LIMIT].strip("._-") or "person"
    for number in range(1, _TRIES):
        name = base if number == 1 else f"{base}-{number}"
        if name != OPERATOR and not User.objects.filter(username=name).exists():
            return name
    raise Busy(gettext("A thousand accounts are called {name} already.").format(name=base), retry_after=60)
