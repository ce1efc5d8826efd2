"""Rate limits of requests: by key, else by person, else by network address.

Rates are in the settings. Fetches of published versions are not throttled: they are what the registry is for.
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

if TYPE_CHECKING:  # the settings name this module, and APIView reads them while it is defined
    from rest_framework.views import APIView

__all__ = ["CallThrottle", "RenderThrottle", "WorkThrottle", "check_rates", "forget_calls"]


_calls = RateCounter()


class CallThrottle(BaseThrottle):
    """Any call: the rate `caller` for a known one, `anonymous` for the rest."""

    scope = "caller"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the call; whether the caller's rate allows it."""
        self._rate, self._who = self._name_caller(request)
        return _calls.add(self._rate, self._who) <= read_rate(self._rate)[0]

    def wait(self) -> float:
        """Seconds until the next call is allowed."""
        return _calls.wait(self._rate, self._who)

    def _name_caller(self, request: Request) -> tuple[str, str]:
        """The rate and the key, person or address that it is counted for."""
        if isinstance(request.auth, Key):
            return self.scope, f"{self.scope} key {request.auth.id}"
        if request.user.is_authenticated:
            return self.scope, f"{self.scope} person {request.user.pk}"
        return "anonymous", f"{self.scope} address {self.get_ident(request)}"


def forget_calls() -> None:
    """Forget the calls that this process counted."""
    _calls.forget()


class RenderThrottle(CallThrottle):
    """Calls that start a child process."""

    scope = "render"


class WorkThrottle(BaseThrottle):
    """Calls of a key that used up its quota of server work; `registry.middleware.count_work` counts it."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Raises TooMany with the seconds to wait."""
        if isinstance(request.auth, Key):
            work_quota().check(request.auth.id)
        return True


def check_rates(actor: Actor) -> None:
    """The same limits for an entry point that is no view of the API. Raises TooMany."""
    request = cast("Request", SimpleNamespace(auth=actor.key, user=actor.person))
    view = cast("APIView", None)  # the throttles here don't look at it
    calls = CallThrottle()
    if not calls.allow_request(request, view):
        wait = int(calls.wait())
        raise TooMany(gettext("Too many requests; try again in {wait} s.").format(wait=wait), retry_after=wait)
    WorkThrottle().allow_request(request, view)
