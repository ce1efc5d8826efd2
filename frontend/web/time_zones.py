"""The time zone of a page: that of the person who reads it."""

import functools
from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from registry.accounts.actor import person_of

__all__ = ["list_time_zones", "use_time_zone"]

# Old names of zones, names of countries alone, and offsets: each has a name with a continent as well.
_CONTINENTS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


def use_time_zone(respond: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: times on pages are written in the zone that the person chose, else in UTC."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith("/api/"):  # whose moments are always in UTC
            return respond(request)
        person = person_of(request)
        if person is None or not person.time_zone:
            return respond(request)
        try:
            zone = ZoneInfo(person.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):  # a zone that this machine's tables do not have any more
            return respond(request)
        with timezone.override(zone):
            return respond(request)

    return answer


@functools.cache
def list_time_zones() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """The zones to choose from, by continent: `("Europe", (("Europe/Zurich", "Zurich"), …))`."""
    names = sorted(available_timezones())
    groups = {continent: [name for name in names if name.startswith(f"{continent}/")] for continent in _CONTINENTS}
    return tuple(
        (continent, tuple((name, name.partition("/")[2].replace("_", " ")) for name in members))
        for continent, members in groups.items()
        if members
    )
