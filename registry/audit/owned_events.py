"""Events of others on a person's own templates and on the rules of those templates' namespaces."""

from registry.accounts.actor import Actor
from registry.journal.models import Event
from registry.namespaces.permissions import list_visible_namespaces
from registry.templates.ownership import list_owned_names
from registry.templates.search_models import SearchCount

__all__ = ["list_owned_events"]

_RULES = "namespace.ruled"
_KINDS = (
    _RULES,
    "version.saved",
    "label.moved",
    "change.proposed",
    "change.withdrawn",
    "template.archived",
    "template.unarchived",
    "template.renamed",
    "rollout.started",
    "rollout.stopped",
    "rollout.finished",
)
_MAX_NUMBERS = 5_000  # the most of the journal's newest events searched
_MAX_CANDIDATES = 200


def list_owned_events(actor: Actor, limit: int = 6) -> list[Event]:
    """The newest events of others about templates that the actor owns, newest first, from the journal's last
    `_MAX_NUMBERS` numbers. At most five queries.
    """
    owning = SearchCount.objects.filter(kind="owner", value=actor.person.username, count__gt=0)
    owning = owning.filter(namespace__in=list_visible_namespaces(actor))
    spaces = list(owning.values_list("namespace__name", flat=True))
    if not spaces:
        return []
    head = Event.objects.order_by("-number").values_list("number", flat=True).first() or 0
    rows = Event.objects.filter(number__gt=head - _MAX_NUMBERS, namespace__in=spaces, kind__in=_KINDS)
    rows = rows.exclude(person=actor.person.username).order_by("-number")
    candidates = list(rows.values_list("number", "kind", "template")[:_MAX_CANDIDATES])
    owned = list_owned_names(actor.person, {template for _, _, template in candidates if template})
    numbers = [number for number, kind, template in candidates if kind == _RULES or template in owned]
    return list(Event.objects.filter(number__in=numbers[:limit]).order_by("-number")) if numbers else []
