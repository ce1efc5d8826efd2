"""Rate limits of requests: by key, else by person, else by network address.

Rates are in the settings. Fetches of published versions are not throttled: they are what the registry is for.
"""

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.core.cache import caches
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import TooMany
from registry.core.work_quota import work_quota

if TYPE_CHECKING:  # the settings name this module, and APIView reads them while it is defined
    from rest_framework.views import APIView

__all__ = ["CallThrottle", "RenderThrottle", "WorkThrottle", "check_rates"]


class CallThrottle(SimpleRateThrottle):
    """Any call: the rate `caller` for a known one, `anonymous` for the rest."""

    scope = "caller"
    cache = caches["process"]

    def get_rate(self) -> str:
        """Read at each call, so that a change of settings needs no new import."""
        return str(settings.PROMPTUARY_RATES[self.scope])

    def get_cache_key(self, request: Request, view: "APIView") -> str:
        """One bucket for each key, person or address."""
        if isinstance(request.auth, Key):
            who = f"key-{request.auth.id}"
        elif request.user.is_authenticated:
            who = f"person-{request.user.pk}"
        else:
            self.rate = str(settings.PROMPTUARY_RATES["anonymous"])
            self.num_requests, self.duration = self.parse_rate(self.rate)
            who = f"address-{self.get_ident(request)}"
        return self.cache_format % {"scope": self.scope, "ident": who}


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
    """The same limits for a door that is no view of the API. Raises TooMany."""
    request = cast("Request", SimpleNamespace(auth=actor.key, user=actor.person))
    view = cast("APIView", None)  # the throttles here don't look at it
    calls = CallThrottle()
    if not calls.allow_request(request, view):
        wait = max(1, int(calls.wait() or 1))
        raise TooMany(gettext("Too many requests; try again in {wait} s.").format(wait=wait), retry_after=wait)
    WorkThrottle().allow_request(request, view)
