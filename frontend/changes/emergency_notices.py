"""Notices of unapproved emergencies, with links to the actions the reader may take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from frontend.changes.presenters import write_title
from registry.accounts.actor import Actor
from registry.changes import emergencies
from registry.changes import gate as change_gate
from registry.changes.emergencies import Emergency
from registry.changes.gate import Gate
from registry.namespaces import queries as namespace_queries
from registry.namespaces.permissions import MemberRoles
from registry.namespaces.verbs import Verb

__all__ = ["Notice", "build_notice", "build_notices", "open_notices", "roll_back_url"]


@dataclass(frozen=True)
class Notice:
    """An emergency in words. A URL is empty if the user may not take that action, or there is nothing to do."""

    emergency: Emergency
    title: str
    approve_url: str
    back_url: str
    close_url: str


def open_notices(actor: Actor) -> list[Notice]:
    """Notices of all emergencies that the user may read and that aren't approved or closed, oldest first."""
    return build_notices(emergencies.list_unapproved(actor), actor)


def build_notices(unapproved: Sequence[Emergency], actor: Actor) -> list[Notice]:
    """Notices of these emergencies; one that is approved or closed needs no action."""
    if not unapproved:
        return []
    roles = _find_roles(actor)
    listed = change_gate.evaluate_many([emergency.change for emergency in unapproved], actor, with_checks=False)
    return [_write_notice(emergency, gate, actor, roles) for emergency, gate in zip(unapproved, listed, strict=True)]


def build_notice(emergency: Emergency, gate: Gate, actor: Actor) -> Notice:
    """The notice of one emergency whose gate is already evaluated."""
    return _write_notice(emergency, gate, actor, _find_roles(actor))


def roll_back_url(template: str, label: str, number: int) -> str:
    """The URL of the panel that rolls a label back to this version."""
    return f"{reverse('labels', args=[template])}?{urlencode({'label': label, 'version': number})}"


def _find_roles(actor: Actor) -> dict[int, MemberRoles]:
    return {space.pk: roles for space, roles in namespace_queries.list_namespaces(actor)}


def _write_notice(emergency: Emergency, gate: Gate, actor: Actor, roles: Mapping[int, MemberRoles]) -> Notice:
    change = emergency.change
    space = change.template.namespace
    role = roles.get(space.pk)
    may_roll_back = role is not None and role.allows(Verb.ROLL_BACK, change.template.path)
    approves = change.needs_approval and gate.may_approve
    goes_back = change.needs_approval and emergency.is_served and emergency.back and may_roll_back
    closes = approves and not emergency.is_served
    closes = closes and (space.self_approval or emergency.move.person_id != actor.person.pk)
    page = reverse("change", args=[change.number])
    return Notice(
        emergency=emergency,
        title=write_title(change),
        approve_url=f"{page}#decide" if approves else "",
        back_url=roll_back_url(change.template.name, change.label, emergency.back or 0) if goes_back else "",
        close_url=f"{page}#close-emergency" if closes else "",
    )
