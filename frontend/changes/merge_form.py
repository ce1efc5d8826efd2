"""The conflicts of a merge as a form: both sides as diffs, and the resolution of each."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from frontend.diff import text as diff_text
from promptuary.renderer.syntax import three_way_merge
from promptuary.renderer.syntax.alignment import Effort
from promptuary.renderer.syntax.three_way_merge import Conflict, Merged

__all__ = ["LIMIT", "WAYS", "ConflictForm", "list_unclaimed_texts", "read_conflict_forms", "resolve_text"]

# How a conflict can be resolved: take one side, take both in order, or write the text.
WAYS = ("ours", "theirs", "both", "text")
CONTEXT = 2
# A page with more conflicts than this is unusable; they have to be resolved locally.
LIMIT = 100


@dataclass(frozen=True)
class ConflictForm:
    """One conflict with its resolution. `key` identifies it by its content, so that the resolution survives a reload
    and a new merge.

    `ours` and `theirs` are diffs against the base, empty beyond the first LIMIT conflicts, which aren't shown; `before`
    and `after` are the lines around it. `way` is empty while unresolved; `fault` then says so if the form was submitted
    anyway.
    """

    key: str
    place: int
    conflict: Conflict
    ours: Sequence[diff_text.Line]
    theirs: Sequence[diff_text.Line]
    before: str
    after: str
    way: str
    text: str
    fault: str = ""

    @property
    def decided(self) -> str:
        """The text that the resolution results in."""
        if self.way == "both":
            ours = self.conflict.ours
            return (ours if not ours or ours.endswith("\n") else ours + "\n") + self.conflict.theirs
        return {"ours": self.conflict.ours, "theirs": self.conflict.theirs}.get(self.way, self.text)


def read_conflict_forms(merged: Merged, fields: Mapping[str, str], *, must: bool) -> list[ConflictForm]:
    """The conflicts with the resolutions in a form: `way-<key>`, `text-<key>`. must: each needs a resolution."""
    lines = three_way_merge.split_lines(merged.text)
    conflict_forms = []
    effort = Effort()
    for place, conflict in enumerate(merged.conflicts, 1):
        key = _make_key(conflict, place)
        way = fields.get(f"way-{key}", "")
        way = way if way in WAYS else ""
        start, end = conflict.line - 1, conflict.line - 1 + conflict.length
        conflict_forms.append(
            ConflictForm(
                key=key,
                place=place,
                conflict=conflict,
                ours=diff_text.compare_lines(conflict.base, conflict.ours, effort) if place <= LIMIT else (),
                theirs=diff_text.compare_lines(conflict.base, conflict.theirs, effort) if place <= LIMIT else (),
                before="".join(_strip_line_ends(lines[max(0, start - CONTEXT) : start])),
                after="".join(_strip_line_ends(lines[end : end + CONTEXT])),
                way=way,
                text=fields.get(f"text-{key}", conflict.ours).replace("\r\n", "\n"),
                fault=gettext("Say which of these it should be.") if must and not way else "",
            )
        )
    return conflict_forms


def resolve_text(merged: Merged, conflict_forms: Sequence[ConflictForm]) -> str | None:
    """The whole document as resolved, or None while a conflict is unresolved."""
    if not all(conflict_form.way for conflict_form in conflict_forms):
        return None
    return three_way_merge.resolve_conflicts(merged, [conflict_form.decided for conflict_form in conflict_forms])


def list_unclaimed_texts(conflict_forms: Sequence[ConflictForm], fields: Mapping[str, str]) -> list[str]:
    """Texts typed for conflicts that no longer exist, shown again so that nothing is lost."""
    keys = {f"text-{conflict_form.key}" for conflict_form in conflict_forms}
    return [text for name, text in fields.items() if name.startswith("text-") and name not in keys and text.strip()]


def _make_key(conflict: Conflict, place: int) -> str:
    seal = "\0".join([conflict.base, conflict.ours, conflict.theirs])
    return f"{hashlib.sha256(seal.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}-{place}"


def _strip_line_ends(lines: Sequence[str]) -> list[str]:
    """Context next to another conflict must not show that conflict's markers."""
    return [line for line in lines if not line.startswith(("<<<<<<< ", "=======", ">>>>>>> "))]
