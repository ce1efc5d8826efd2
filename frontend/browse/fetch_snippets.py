"""Code snippets that fetch a version: curl, Python and the command line. A test runs each of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

__all__ = ["LANGUAGES", "REFERENCE_KINDS", "ReferenceKind", "fetch_snippet", "find_reference_kind"]

LANGUAGES = {"curl": "curl", "python": "Python", "cli": "CLI"}


@dataclass(frozen=True)
class ReferenceKind:
    """A kind of ref that a service can request, and what it guarantees."""

    key: str
    word: str | Promise
    promise: str | Promise


REFERENCE_KINDS = (
    ReferenceKind(
        "label",
        gettext_lazy("label"),
        gettext_lazy("follows the label: the server within 1 second, clients when their cache expires"),
    ),
    ReferenceKind("version", gettext_lazy("version"), gettext_lazy("never changes, so that caches can keep it")),
    ReferenceKind("digest", gettext_lazy("digest"), gettext_lazy("never changes; verified by its hash")),
)


def fetch_snippet(language: str, base_url: str, name: str, ref: str) -> str:
    """A one-line snippet in a language of LANGUAGES.

    The URL and the key come from PROMPTUARY_URL and PROMPTUARY_KEY; curl contains the URL.
    """
    if language == "curl":
        address = f"{base_url}/api/v1/templates/{name}@{ref}"
        return f'curl -sSf {address} -H "Authorization: Bearer $PROMPTUARY_KEY"'  # no text: code
    if language == "cli":
        return f"promptuary pull {name}@{ref}"  # no text: code
    return f'Promptuary().get("{name}", ref="{ref}").render(data)'


def find_reference_kind(key: str, kinds: Iterable[ReferenceKind] = REFERENCE_KINDS) -> ReferenceKind:
    """The kind with this key, by default the digest, because it never changes its meaning."""
    by_key = {kind.key: kind for kind in kinds}
    return by_key.get(key, by_key["digest"])
