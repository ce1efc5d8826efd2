"""Templates that were copied from others: their origins, their copies, and what was approved at the origin."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Q

from registry.changes.contributors import VersionNode
from registry.templates.label_moves import select_approved_moves
from registry.templates.models import Template

__all__ = ["find_approved", "find_copies", "find_origins"]

_MAX_COPIES = 20  # maximum length of a chain of copies


def find_copies(template: Template, among: Collection[Template]) -> list[Template]:
    """Find those of the templates that were copied from this one or from its copies: one query per step, none if no
    template among them is a copy.
    """
    copied = {row.pk: row.copied_from for row in among if row.copied_from}
    every: dict[int, str] = {}
    origins = find_origins(copied, every) if copied else {}
    ids_by_name = {name: pk for pk, name in every.items()}
    return [row for row in among if template.pk in _find_ancestors(row.pk, origins, ids_by_name)]


def _find_ancestors(pk: int, origins: Mapping[int, tuple[str, int]], ids_by_name: Mapping[str, int]) -> set[int]:
    """The ids of the template's origin, the origin's origin, and so on. ids_by_name: of templates."""
    templates: set[int] = set()
    while pk in origins and (origin := ids_by_name.get(origins[pk][0])) is not None and origin not in templates:
        templates.add(origin)
        pk = origin
    return templates


def find_origins(copied: Mapping[int, str], every: dict[int, str]) -> dict[int, tuple[str, int]]:
    """Map each template to the (template, version number) that it was copied from; adds the origins to `every`."""
    origins: dict[int, tuple[str, int]] = {}
    current: dict[str, str] = {}
    pending = dict(copied)
    for _ in range(_MAX_COPIES):
        fresh = {}
        for pk, address in pending.items():
            name, _, number = address.partition("@")
            if number.isdecimal():
                origins[pk] = (name, int(number))
                fresh[pk] = name
        unread = set(fresh.values()) - set(every.values())
        if not unread:
            break
        has_name = Q(name__in=unread) | Q(former_names__name__in=unread)
        rows = list(Template.objects.filter(has_name).values_list("pk", "name", "copied_from", "former_names__name"))
        every |= {pk: name for pk, name, *_ in rows}
        current |= {former: name for _, name, _, former in rows if former}
        pending = {pk: address for pk, _, address, _ in rows if address}
    return {pk: (current.get(name, name), number) for pk, (name, number) in origins.items()}


def find_approved(steps: Mapping[int, VersionNode], origins: Collection[int]) -> set[int]:
    """The ids of these templates' versions that a protected label held by the approval of a non-contributor. A
    namespace may require no approval, or let contributors approve; that doesn't count elsewhere.
    """
    rows = select_approved_moves().filter(template__in=origins)
    columns = rows.values_list("template__name", "after__digest", "change__decided")
    digests = {(name, digest) for name, digest, decided in columns if _has_approval_of_another(decided)}
    return {step.pk for step in steps.values() if (step.template, step.digest) in digests}


def _has_approval_of_another(decided: Mapping[str, Any] | None) -> bool:
    """Whether one of the approvals of a published request needed no exemption."""
    if decided is None:
        return False
    exempt = {one["person"] for one in decided.get("exemptions", ())}
    return any(one["person"] not in exempt for one in decided["approvals"])
