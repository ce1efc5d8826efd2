"""Which version was made from which."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from registry.models import Version

__all__ = ["Lineage", "descends", "riders"]


@dataclass(frozen=True)
class _Step:
    pk: int
    number: int
    digest: str
    base: int | None


class Lineage:
    """The bases of one template's versions up to a number, read with one query."""

    def __init__(self, template_id: int, newest: int) -> None:
        rows = Version.objects.filter(template=template_id, number__lte=newest)
        steps = [_Step(*row) for row in rows.values_list("pk", "number", "digest", "base_id")]
        self._steps = {step.pk: step for step in steps}

    def upward(self, version: Version) -> Iterator[_Step]:
        """The version, what it was made from, and so on to the first."""
        at = self._steps.get(version.pk)
        while at is not None:
            yield at
            at = self._steps.get(at.base) if at.base is not None else None

    def meeting(self, one: Version, other: Version) -> int | None:
        """The id of the newest version that both come from, or None where they share none."""
        above = {step.pk for step in self.upward(one)}
        return next((step.pk for step in self.upward(other) if step.pk in above), None)


def descends(version: Version, ancestor: Version) -> bool:
    """Whether the version, or one it comes from, is the ancestor or holds the very same bytes."""
    return any(step.digest == ancestor.digest for step in Lineage(version.template_id, version.number).upward(version))


def riders(head: Version, held: Version | None) -> list[int]:
    """Numbers of the versions that would go live along with the head: those between it and what the label holds, or what
    both come from where the head was made beside that."""
    if held is None:
        return []
    lineage = Lineage(head.template_id, max(head.number, held.number))
    in_it = {step.digest for step in lineage.upward(held)}
    between = takewhile(lambda step: step.digest not in in_it, lineage.upward(head))
    return sorted(step.number for step in between if step.pk != head.pk)
