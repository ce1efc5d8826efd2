"""A fresh proof before what can't be taken back: publishing to a protected label, breaking the glass, making keys.

The setting PROMPTUARY_STEP_UP says what counts: `off` nothing is asked, `password` any proof of this session that is not
older than ten minutes (the sign-in itself, a password, a code), `totp` a code of the second step only. A key is no session:
what it may do without asking was decided when it was made.
"""

import time

from allauth.account.internal.flows.login import get_authentication_records
from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from registry.errors import ProofRequired
from registry.models import Key, User

__all__ = ["is_proven", "require"]


def require(request: HttpRequest | Request) -> None:
    """Raise ProofRequired where the setting asks for a proof that this session does not have."""
    if isinstance(getattr(request, "auth", None), Key) or is_proven(request):
        return
    what = "a code of your second step" if settings.PROMPTUARY_STEP_UP == "totp" else "your password or a code"
    minutes = settings.ACCOUNT_REAUTHENTICATION_TIMEOUT // 60
    raise ProofRequired(
        f"This takes {what}, given within the last {minutes} minutes: prove once more that it is you, at /account/prove.",
        proof=settings.PROMPTUARY_STEP_UP,
    )


def is_proven(request: HttpRequest | Request) -> bool:
    """Whether the session has a proof of the kind asked for that is fresh enough."""
    wanted = settings.PROMPTUARY_STEP_UP
    if wanted == "off":
        return True
    person = request.user if isinstance(request.user, User) else None
    since = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
    return any(
        record["at"] >= since and (wanted == "password" or record["method"] == "mfa")
        for record in get_authentication_records(request, person)
    )
