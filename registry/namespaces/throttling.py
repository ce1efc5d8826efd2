"""Rate limits of requests: by key, else by person, else by network address.

Rates are in the settings. Fetches of published versions are not throttled, since serving them is the registry's
purpose.
"""

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import TooMany
from registry.core.rate_counter import RateCounter, read_rate
from registry.core.work_quota import work_quota

if TYPE_CHECKING:  # the settings refer to this module, and APIView reads them at import
    from rest_framework.views import APIView

__all__ = ["CallThrottle", "RenderThrottle", "WorkThrottle", "check_rates", "forget_calls"]


_calls = RateCounter()


class CallThrottle(BaseThrottle):
    """Any call: the rate `caller` for authenticated callers, `anonymous` for the rest."""

    scope = "caller"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the call and return whether the caller's rate allows it."""
        self._rate, self._who = self._identify_caller(request)
        return _calls.add(self._rate, self._who) <= read_rate(self._rate)[0]

    def wait(self) -> float:
        """Seconds until the next call is allowed."""
        return _calls.wait(self._rate, self._who)

    def _identify_caller(self, request: Request) -> tuple[str, str]:
        """The rate, and the key, person or address that it is counted for."""
        if isinstance(request.auth, Key):
            return self.scope, f"{self.scope} key {request.auth.id}"
        if request.user.is_authenticated:
            return self.scope, f"{self.scope} person {request.user.pk}"
        return "anonymous", f"{self.scope} address {self.get_ident(request)}"


def forget_calls() -> None:
    """Reset the counts of this process."""
    _calls.forget()


class RenderThrottle(CallThrottle):
    """Calls that start a child process."""

    scope = "render"


class WorkThrottle(BaseThrottle):
    """Calls of a key that has used up its quota of server work, which `registry.middleware.count_work` counts."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Raise TooMany with the seconds to wait."""
        if isinstance(request.auth, Key):
            work_quota().check(request.auth.id)
        return True


def check_rates(actor: Actor) -> None:
    """Apply the same limits to an entry point that isn't an API view. Raises TooMany."""
    request = cast("Request", SimpleNamespace(auth=actor.key, user=actor.person))
    view = cast("APIView", None)  # the throttles here don't look at it
    calls = CallThrottle()
    if not calls.allow_request(request, view):
        wait = int(calls.wait())
        raise TooMany(gettext("Too many requests; try again in {wait} s.").format(wait=wait), retry_after=wait)
    WorkThrottle().allow_request(request, view)
