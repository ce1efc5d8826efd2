"""What is left to do before a release goes live: a row for each failed check, and other blockers grouped."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext

from frontend.changes import presenters as change_presenters
from frontend.releases.approval_rows import ApprovalRow
from registry.accounts.actor import Actor
from registry.changes.blockers import FREEZE, Blocker
from registry.changes.models import ChangeRequest
from registry.releases.gate import Member, ReleaseGate

__all__ = ["TodoRow", "list_todo_rows"]


@dataclass(frozen=True)
class TodoRow:
    """A task, with all templates that need it; without templates if it concerns the whole release.

    is_viewers: whether the reader's approval would complete it. person, button: whom the reader may ask for a review,
    and whether to `ask` or `remind`; both empty if nobody. icon: of a failed check, a running one, a freeze, or a task
    for a user. link, link_word: where a failed check is fixed, or shown to readers who can't fix it.
    """

    changes: tuple[ChangeRequest, ...]
    cause: str
    action: str
    is_viewers: bool = False
    person: str = ""
    button: str = ""
    icon: str = "circle-dashed"
    link: str = ""
    link_word: str = ""


def list_todo_rows(gate: ReleaseGate, actor: Actor, approvals: Iterable[ApprovalRow] = ()) -> list[TodoRow]:
    """A freeze first, then what the templates need, ordered by name. actor: the reader.
    approvals: rows with buttons.
    """
    buttons = {row.person: row.button for row in approvals if row.button}
    alike: dict[Blocker, list[ChangeRequest]] = defaultdict(list)
    rows: dict[Blocker | tuple[Blocker, int], TodoRow] = {}
    for member, blocker in gate.listed_blockers:
        if member is not None and _is_failed_check(blocker):
            rows[blocker, member.change.number] = _build_row_of_failed_check(member, blocker, actor)
            continue
        alike[blocker] += [member.change] if member is not None else []
        rows[blocker] = _build_row(blocker, tuple(alike[blocker]), actor.person.username, buttons)
    return list(rows.values())


def _is_failed_check(blocker: Blocker) -> bool:
    return blocker.code.startswith("check:") and bool(blocker.waiting_for)


def _build_row_of_failed_check(member: Member, blocker: Blocker, actor: Actor) -> TodoRow:
    change = member.change
    page, newest = reverse("change", args=[change.number]), change.template.latest or change.version
    act = change_presenters.find_permitted_actions(member.gate, actor)
    [row] = change_presenters.list_blocker_rows(change, [blocker], act, newest.number)
    link, link_word = row.link or "#checks", row.link_word or gettext("See the checks")
    link = f"{page}{link}" if link.startswith("#") else link
    return TodoRow((change,), row.cause, row.action, icon="circle-x", link=link, link_word=link_word)


def _build_row(blocker: Blocker, changes: tuple[ChangeRequest, ...], viewer: str, buttons: dict[str, str]) -> TodoRow:
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
    return "loader" if blocker.code.startswith("check:") else "circle-dashed"
