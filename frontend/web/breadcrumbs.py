"""Where a page stands: the folders above a name."""

from dataclasses import dataclass

__all__ = ["Crumb", "crumbs_of"]


@dataclass(frozen=True)
class Crumb:
    """One segment of a name, and the name up to it."""

    name: str
    path: str


def crumbs_of(name: str) -> list[Crumb]:
    """support/refunds/reply -> support, refunds, reply with their full paths."""
    segments = name.split("/")
    return [Crumb(segment, "/".join(segments[: place + 1])) for place, segment in enumerate(segments)]
