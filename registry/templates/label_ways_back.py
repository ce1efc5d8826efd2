"""The default roll back targets of protected labels."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from registry.templates.approved_versions import list_trusted_digests
from registry.templates.label_models import LabelMove

__all__ = ["find_ways_back"]


def find_ways_back(
    template_ids: Collection[int], trusted: Mapping[tuple[int, str], set[str]] | None = None
) -> dict[tuple[int, str], int]:
    """Map template id and label to the number of the version to roll back to; left out if there isn't one.

    trusted: `list_trusted_digests` of these templates, for callers that have read them.

    That is the last version that the label held by approval before what it serves, or served last. A roll back leaves
    the version that was served and all after its target; none of those counts until it is approved again. Two
    queries, one with `trusted`.
    """
    trails: defaultdict[tuple[int, str], list[tuple[int | None, str | None]]] = defaultdict(list)
    moves = LabelMove.objects.filter(template__in=template_ids).order_by("pk")
    columns = ("template_id", "label", "how", "after__number", "after__digest")
    for template, label, how, number, digest in moves.values_list(*columns):
        trail = trails[template, label]
        if how == "rolled_back":
            earlier = (at for at in reversed(range(len(trail))) if trail[at][1] == digest)
            del trail[next(earlier, len(trail)) :]
        trail.append((number, digest))
    if trusted is None:
        trusted = list_trusted_digests(template_ids)
    ways_back = {}
    for place, trail in trails.items():
        served = trail[-1][1]  # None: the label was removed
        numbers = (number for number, digest in reversed(trail) if digest != served and digest in trusted[place])
        if served is not None and (number := next(numbers, None)) is not None:
            ways_back[place] = number
    return ways_back
