"""Two versions side by side as a page shows them: the source, and what the model reads of either."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frontend import diffs, previews, rendered
from registry.access import Actor
from registry.models import Version
from renderer.document import inspect

__all__ = ["RenderedDiff", "SourceDiff", "TokenRow", "compare_rendered", "compare_source", "compare_texts"]


@dataclass(frozen=True)
class SourceDiff:
    """The documents line by line, long unchanged runs folded."""

    lines: Sequence[diffs.Line | diffs.Fold]
    counts: diffs.Counts


@dataclass(frozen=True)
class TokenRow:
    """Tokens of a part on both sides."""

    name: str
    old: int | None
    new: int | None

    @property
    def change(self) -> int:
        return (self.new or 0) - (self.old or 0)


@dataclass(frozen=True)
class RenderedDiff:
    """Both versions rendered on one sample; where a side fails, why. `unsent` names inputs a side does not take."""

    old: previews.Preview
    new: previews.Preview
    parts: Sequence[rendered.PartDiff]
    tokens: Sequence[TokenRow]
    notes: Sequence[str]

    @property
    def change(self) -> int:
        """Tokens more or fewer in the whole prompt."""
        return (self.new.token_count or 0) - (self.old.token_count or 0)

    @property
    def is_same(self) -> bool:
        return all(part.state == "same" and not part.moved for part in self.parts)


def compare_source(old: Version | None, new: Version) -> SourceDiff:
    """The two documents; without an old one everything is new."""
    return compare_texts(old.document if old else "", new.document)


def compare_texts(old: str, new: str) -> SourceDiff:
    """Two documents that need not be versions."""
    lines = diffs.compare(old, new)
    return SourceDiff(diffs.fold(lines), diffs.count(lines))


def compare_rendered(
    actor: Actor, name: str, old: Version | None, new: Version, data: Mapping[str, Any]
) -> RenderedDiff:
    """Each side is given the inputs it declares; what one side does not take is said in the notes."""
    notes: list[str] = []
    old_side = _render(actor, name, old, data, notes) if old else previews.Preview()
    new_side = _render(actor, name, new, data, notes)
    parts = rendered.compare(old_side.parts, new_side.parts)
    tokens = [TokenRow(part.name or "(no name)", part.old_tokens, part.new_tokens) for part in parts]
    return RenderedDiff(old_side, new_side, parts, tokens, notes)


def _render(actor: Actor, name: str, version: Version, data: Mapping[str, Any], notes: list[str]) -> previews.Preview:
    document, _ = inspect(version.document)
    declared = document.inputs if document is not None else None
    given = {key: value for key, value in data.items() if declared is None or key in declared}
    left_out = [key for key in data if key not in given]
    if left_out:
        notes.append(f"v{version.number} does not take {' and '.join(left_out)}; it was left out there.")
    return previews.render(actor, name, version.number, given)
