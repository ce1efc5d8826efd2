"""The journal as the audit page reads it."""

from registry import access
from registry.access import Actor, Verb
from registry.models import Event
from registry.queries.pages import Page, check_limit, cut, read_number

__all__ = ["page"]


def page(  # the filters of the audit page
    actor: Actor,
    namespace: str,
    *,
    cursor: str | None = None,
    limit: int = 50,
    kind: str | None = None,
    person: str | None = None,
    template: str | None = None,
) -> Page[Event]:
    """Events of a namespace, newest first, that meet every filter given; any member may read them."""
    access.find_namespace(actor, Verb.READ, namespace)
    limit = check_limit(limit)
    rows = Event.objects.filter(namespace=namespace).order_by("-number")
    if kind:
        rows = rows.filter(kind=kind)
    if person:
        rows = rows.filter(person=person)
    if template:
        rows = rows.filter(template=template)
    if before := read_number(cursor):
        rows = rows.filter(number__lt=before)
    return cut(rows[: limit + 1], limit, lambda event: event.number)
