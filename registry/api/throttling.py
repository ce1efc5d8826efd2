"""How often one caller may ask: by key, else by person, else by network address.

Rates stand in the settings. Fetches of published versions are not throttled: they are what the registry is for.
"""

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import caches
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from registry.models import Key

if TYPE_CHECKING:  # the settings name this module, and APIView reads them while it is defined
    from rest_framework.views import APIView

__all__ = ["CallThrottle", "RenderThrottle"]


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
