"""Detects templates of a release whose label or version changed after the caller looked."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from django.utils.translation import gettext

from registry.core.errors import Conflict
from registry.releases.models import Release
from registry.templates.former_names import find_current_names
from registry.templates.label_models import Label

__all__ = ["MemberVersions", "read_open_members", "require_unmoved"]

# Template name to two version numbers: the one that its label would be moved to, and the one that it serves now,
# 0 for none.
MemberVersions: TypeAlias = Mapping[str, tuple[int, int]]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def read_open_members(release: Release) -> dict[str, tuple[int, int]]:
    """For each open member, the version that publishing the release would serve, and what its label serves now."""
    members = release.members.pending().order_by("template__name")
    proposed = dict(members.values_list("template__name", "version__number"))
    rows = Label.objects.filter(template__name__in=proposed, name=release.label)
    serves = dict(rows.values_list("template__name", "version__number"))
    return {name: (number, serves.get(name, 0)) for name, number in proposed.items()}


def require_unmoved(
    label: str,
    expected: MemberVersions,
    current: MemberVersions,
    *,
    is_whole: bool = False,
    reasons: Mapping[str, str] = _NOTHING,
) -> None:
    """Raise Conflict if the state of a template differs from what the caller saw; facts["expected"] lists their names.

    Renamed templates are followed. is_whole: whether the caller saw every template, so that added ones are refused too.
    reasons: why a template is gone, by its name.
    """
    expected = _follow_renames(expected, current)
    added_names = set(current) - set(expected) if is_whole else set()
    moved = sorted({name for name, versions in expected.items() if current.get(name) != versions} | added_names)
    if moved:
        sentences = [_describe(name, label, expected.get(name), current.get(name), reasons) for name in moved]
        raise Conflict(" ".join(sentences), expected=moved)


def _follow_renames(expected: MemberVersions, current: MemberVersions) -> MemberVersions:
    """What the caller saw, keyed by the templates' current names; queries only if a name is missing."""
    missing = [name for name in expected if name not in current]
    new_names = find_current_names(missing) if missing else {}
    return {new_names.get(name, name): versions for name, versions in expected.items()}


def _describe(
    name: str, label: str, expected: tuple[int, int] | None, current: tuple[int, int] | None, reasons: Mapping[str, str]
) -> str:
    if current is None:
        reason = reasons.get(name) or gettext("it is not part of this any more.")
        return f"{name}: {reason}"
    if expected is None:
        return gettext("{name}: it was added after you looked.").format(name=name)
    if expected[0] != current[0]:
        sentence = gettext("{name}: version {now} would be proposed, where you looked at version {seen}.")
        return sentence.format(name=name, now=current[0], seen=expected[0])
    if not current[1]:
        return gettext("{name}: {label} is not set any more.").format(name=name, label=label)
    return gettext("{name}: {label} serves version {now} by now.").format(name=name, label=label, now=current[1])
