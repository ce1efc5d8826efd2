"""The lines that fetch a version from the outside. Each is what a person would type; a test runs every one. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["LANGUAGES", "WAYS", "Way", "line"]

LANGUAGES = {"curl": "curl", "python": "Python", "cli": "CLI"}


@dataclass(frozen=True)
class Way:
    """A manner of asking for a version, and what it promises."""

    key: str
    word: str
    promise: str


WAYS = (
    Way("label", "label", "moves with the label: within 1 s on the server, after its time to live in a client"),
    Way("version", "version", "never changes, cached for ever"),
    Way("digest", "digest", "never changes, cached for ever, and proves itself"),
)


def line(language: str, base_url: str, name: str, ref: str) -> str:
    """One line in a language of LANGUAGES.

    The address and the key come from PROMPTUARY_URL and PROMPTUARY_KEY; curl is told the address.
    """
    if language == "curl":
        return f'curl -sSf {base_url}/api/v1/templates/{name}@{ref} -H "Authorization: Bearer $PROMPTUARY_KEY"'
    if language == "cli":
        return f"promptuary pull {name}@{ref}"
    return f'Promptuary().get("{name}", ref="{ref}").render(data)'


def way_of(key: str, ways: Iterable[Way] = WAYS) -> Way:
    """The way of this key; digest where there is none, for a pin should stay where it was put."""
    known = {way.key: way for way in ways}
    return known.get(key, known["digest"])
