"""Queries about rollouts: single ones, lists, and locking one for a write."""

from collections.abc import Collection

from django.db.models import QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb
from registry.rollouts.models import Rollout
from registry.templates.models import Template

__all__ = [
    "find_rollout",
    "find_rollout_of_change",
    "list_active",
    "list_rollouts",
    "lock_rollout",
]

_RELATED = (
    "template__namespace",
    "change__template__namespace",
    "change__template__latest",
    "change__version__author",
    "change__opened_by",
    "change__release__opened_by",
    "change__release__namespace",
    "stable",
    "candidate",
    "started_by",
    "key",
)
_LISTED = ("template", "stable", "candidate", "started_by")


def find_rollout(actor: Actor, verb: Verb, number: int) -> Rollout:
    """The rollout, after checking the right to do this to its template. Raises NotFound, for outsiders too."""
    rollout = _select_rollouts().filter(number=number).first()
    if rollout is None:
        raise _refuse_unknown(number)
    try:
        permissions.require_verb(actor, verb, rollout.template.namespace, rollout.template.path)
    except NotFound as error:
        raise _refuse_unknown(number) from error
    permissions.require_label(actor, rollout.label)
    return rollout


def lock_rollout(actor: Actor, verb: Verb, number: int) -> Rollout:
    """The rollout, locked until commit: it, its label and its change request can't change before that."""
    template = Template.objects.filter(rollouts__number=number)
    template.select_for_update(no_key=True, of=("self",)).values_list("pk").first()
    log.lock()
    return find_rollout(actor, verb, number)


def list_rollouts(
    actor: Actor,
    *,
    namespace: str | None = None,
    template: str | None = None,
    state: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Rollout]:
    """List rollouts that the actor may read and that match every filter, newest first, without their change requests.
    state: one of `Rollout.STATES`, or `active` for those that split a label now.
    """
    limit = check_limit(limit)
    rows = Rollout.objects.filter(template__namespace__in=list_visible_namespaces(actor))
    if namespace:
        rows = rows.filter(template__namespace=permissions.find_namespace(actor, Verb.READ, namespace))
    if template:
        rows = rows.filter(template__name=template)
    if state:
        rows = rows.filter(state__in=Rollout.ACTIVE if state == "active" else [state])
    if before := read_number(cursor):
        rows = rows.filter(number__lt=before)
    # First the numbers, as in `_load_newest`.
    numbers = list(rows.order_by("-number").values_list("pk", flat=True)[: limit + 1])
    listed = Rollout.objects.filter(pk__in=numbers).select_related(*_LISTED)
    listed = listed.defer("stable__bundle", "candidate__bundle").order_by("-number")
    return cut_page(listed, limit, lambda rollout: rollout.number)


def list_active(actor: Actor, templates: Collection[int] | None = None) -> list[Rollout]:
    """Active rollouts that the actor may read, newest first (a hundred at most).

    templates: limit to these, by id.
    """
    rows = Rollout.objects.filter(template__namespace__in=list_visible_namespaces(actor), state__in=Rollout.ACTIVE)
    if templates is not None:
        rows = rows.filter(template__in=templates)
    return _load_newest(rows, 100)


def find_rollout_of_change(change: int) -> Rollout | None:
    """The newest rollout of a change request that the caller may read."""
    return next(iter(_load_newest(Rollout.objects.filter(change=change), 1)), None)


def _load_newest(rows: QuerySet[Rollout], limit: int) -> list[Rollout]:
    """Load the newest of these rollouts with all relations, newest first.

    Their numbers are fetched first: usually there are none, and PostgreSQL plans a query with all relations and further
    conditions for tens of milliseconds.
    """
    numbers = list(rows.order_by("-number").values_list("pk", flat=True)[:limit])
    return list(_select_rollouts().filter(pk__in=numbers).order_by("-number")) if numbers else []


def _select_rollouts() -> QuerySet[Rollout]:
    return Rollout.objects.select_related(*_RELATED).defer(
        "stable__bundle", "candidate__bundle", "change__version__bundle", "change__template__latest__bundle"
    )


def _refuse_unknown(number: int) -> NotFound:
    return NotFound(gettext("There is no rollout {number}, or you don't have access to it.").format(number=number))
