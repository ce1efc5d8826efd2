"""Detects templates of a release whose label or version changed after the caller looked."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from django.utils.translation import gettext

from registry.core.errors import Conflict
from registry.releases.models import Release
from registry.templates.former_names import find_current_names
from registry.templates.label_models import Label

__all__ = ["Seen", "read_open_members", "require_unmoved"]

# Template name to two version numbers: the one that its label would be moved to, and the one that it serves now,
# 0 for none.
Seen: TypeAlias = Mapping[str, tuple[int, int]]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def read_open_members(release: Release) -> dict[str, tuple[int, int]]:
    """For each open member, the version that publishing the release would serve, and what its label serves now."""
    members = release.members.pending().order_by("template__name")
    proposed = dict(members.values_list("template__name", "version__number"))
    rows = Label.objects.filter(template__name__in=proposed, name=release.label)
    serves = dict(rows.values_list("template__name", "version__number"))
    return {name: (number, serves.get(name, 0)) for name, number in proposed.items()}


def require_unmoved(
    label: str, expected: Seen, found: Seen, *, is_whole: bool = False, reasons: Mapping[str, str] = _NOTHING
) -> None:
    """Raise Conflict if the state of a template differs from what the caller saw; facts["expected"] lists their names.

    Renamed templates are followed. is_whole: whether the caller saw every template, so that added ones are refused too.
    reasons: why a template is gone, by its name.
    """
    expected = _follow_renames(expected, found)
    added = set(found) - set(expected) if is_whole else set()
    moved = sorted({name for name, seen in expected.items() if found.get(name) != seen} | added)
    if moved:
        sentences = [_describe(name, label, expected.get(name), found.get(name), reasons) for name in moved]
        raise Conflict(" ".join(sentences), expected=moved)


def _follow_renames(expected: Seen, found: Seen) -> Seen:
    """What the caller saw, keyed by the templates' current names; queries only if a name is missing."""
    strangers = [name for name in expected if name not in found]
    current = find_current_names(strangers) if strangers else {}
    return {current.get(name, name): seen for name, seen in expected.items()}


def _describe(
    name: str, label: str, seen: tuple[int, int] | None, now: tuple[int, int] | None, reasons: Mapping[str, str]
) -> str:
    if now is None:
        reason = reasons.get(name) or gettext("it is not part of this any more.")
        return f"{name}: {reason}"
    if seen is None:
        return gettext("{name}: it was added after you looked.").format(name=name)
    if seen[0] != now[0]:
        sentence = gettext("{name}: version {now} would be proposed, where you looked at version {seen}.")
        return sentence.format(name=name, now=now[0], seen=seen[0])
    if not now[1]:
        return gettext("{name}: {label} is not set any more.").format(name=name, label=label)
    return gettext("{name}: {label} serves version {now} by now.").format(name=name, label=label, now=now[1])
