"""The templates that a form offers as judges: those with the tag `judge`."""

from registry.accounts.actor import Actor
from registry.templates import search_queries

__all__ = ["list_judges"]

_TAG = "judge"
_LIMIT = 200


def list_judges(actor: Actor, besides: int | None = None) -> list[tuple[str, str]]:
    """Choices of a select: nobody, then each judge's latest version with the template's name. besides: the id of a
    template to omit.
    """
    templates = search_queries.search_templates(actor, tag=_TAG, limit=_LIMIT).items
    rows = [row for row in templates if row.latest and row.pk != besides]
    return [("", "nobody"), *[(f"{row.name}@{row.latest.number}", row.name) for row in rows if row.latest]]
