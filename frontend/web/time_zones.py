"""The time zones that a user can choose from."""

import functools
from zoneinfo import available_timezones

__all__ = ["list_time_zones"]

# Old names of zones, country names without a city, and offsets: each also has a name with a continent.
_CONTINENTS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


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
