"""A fresh proof of identity before actions that weaken the gate.

The setting PROMPTUARY_STEP_UP controls it: `off` requires nothing, `password` any proof of this session in the last
fifteen minutes (the sign-in itself, a password, a code), `totp` only a code of the second step. Publishing in an
emergency needs a proof in every installation: with `off` the same as with `password`.

Pages and API put the missing proof into their `Actor`; the services call `permissions.require_proof`, the only place
that refuses. Keys have no session: what they may do without a proof was decided when they were issued.
"""

import time

from allauth.account.internal.flows.login import get_authentication_records
from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from registry.accounts.models import User

__all__ = ["find_missing_emergency_proof", "find_missing_proof"]


def find_missing_proof(request: HttpRequest | Request) -> str:
    """What the session has to prove again, `password` or `totp`; empty if it is proven, or nothing is required."""
    method = str(settings.PROMPTUARY_STEP_UP)
    return "" if method == "off" else _check_session(request, method)


def find_missing_emergency_proof(request: HttpRequest | Request) -> str:
    """What the session has to prove again before publishing in an emergency: at least the password, even if the
    settings require nothing elsewhere. Empty if it is proven.
    """
    method = str(settings.PROMPTUARY_STEP_UP)
    return _check_session(request, "password" if method == "off" else method)


def _check_session(request: HttpRequest | Request, method: str) -> str:
    """The method, `password` or `totp`, if the session has no such proof that is recent enough; else empty."""
    person = request.user if isinstance(request.user, User) else None
    since = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
    is_proven = any(
        record["at"] >= since and (method == "password" or record["method"] == "mfa")
        for record in get_authentication_records(request, person)
    )
    return "" if is_proven else method
