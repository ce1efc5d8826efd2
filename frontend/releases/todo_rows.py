"""What is left to do before a release goes live: the blockers of its templates, those alike in one row."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from frontend.releases.approval_rows import ApprovalRow
from registry.changes.blockers import FREEZE, Blocker
from registry.changes.models import ChangeRequest
from registry.releases.gate import ReleaseGate

__all__ = ["TodoRow", "list_todo_rows"]


@dataclass(frozen=True)
class TodoRow:
    """One thing to do, for all templates that it is needed for; none of them where it is about the whole release.

    is_viewers: whether an approval of the one who looks would do it. person, button: whom the one who looks may ask
    for a review, and whether they `ask` or `remind`; both empty if nobody. icon: of a failed check, of one that runs,
    of a freeze, or of what somebody has to do.
    """

    changes: tuple[ChangeRequest, ...]
    cause: str
    action: str
    is_viewers: bool = False
    person: str = ""
    button: str = ""
    icon: str = "circle-dashed"


def list_todo_rows(gate: ReleaseGate, viewer: str, approvals: Iterable[ApprovalRow] = ()) -> list[TodoRow]:
    """A freeze first, then what the templates need, in the order of their names. approvals: rows with buttons."""
    buttons = {row.person: row.button for row in approvals if row.button}
    alike: dict[tuple[str, str, str, tuple[str, ...]], list[ChangeRequest]] = defaultdict(list)
    kept: dict[tuple[str, str, str, tuple[str, ...]], Blocker] = {}
    for member, blocker in gate.listed_blockers:
        key = (blocker.code, blocker.cause, blocker.action, blocker.waiting_for)
        kept[key] = blocker
        alike[key] += [member.change] if member is not None else []
    return [_row(blocker, tuple(alike[key]), viewer, buttons) for key, blocker in kept.items()]


def _row(blocker: Blocker, changes: tuple[ChangeRequest, ...], viewer: str, buttons: dict[str, str]) -> TodoRow:
    if blocker.code == FREEZE or not blocker.asks_for_approval:
        return TodoRow(changes, blocker.cause, blocker.action, icon=_find_icon(blocker))
    if viewer in blocker.waiting_for:
        return TodoRow(changes, blocker.cause, blocker.action, is_viewers=True)
    able = sorted(
        (person for person in blocker.waiting_for if person in buttons), key=lambda it: buttons[it] != "remind"
    )
    person = able[0] if able else ""
    return TodoRow(changes, blocker.cause, blocker.action, person=person, button=buttons.get(person, ""))


def _find_icon(blocker: Blocker) -> str:
    if blocker.code == FREEZE:
        return "clock"
    if blocker.code.startswith("check:"):
        return "circle-x" if blocker.waiting_for else "loader"
    return "circle-dashed"
