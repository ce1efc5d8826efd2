"""A fresh proof of who somebody is, before what weakens the gate.

The setting PROMPTUARY_STEP_UP says what counts: `off` nothing is asked, `password` any proof of this session that is
not older than fifteen minutes (the sign-in itself, a password, a code), `totp` a code of the second step only.

Pages and API put what is missing into their `Actor`; the services ask for it with
`access.require_proof`, which is the only place that refuses. A key is no session: what it may do without asking was
decided when it was made.
"""

import time

from allauth.account.internal.flows.login import get_authentication_records
from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from registry.accounts.models import User

__all__ = ["missing_proof"]


def missing_proof(request: HttpRequest | Request) -> str:
    """What the session would have to prove again, `password` or `totp`; empty if it is proven, or nothing is
    asked.
    """
    method = str(settings.PROMPTUARY_STEP_UP)
    if method == "off":
        return ""
    person = request.user if isinstance(request.user, User) else None
    since = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
    is_proven = any(
        record["at"] >= since and (method == "password" or record["method"] == "mfa")
        for record in get_authentication_records(request, person)
    )
    return "" if is_proven else method
