"""The rows of the environments page, under their namespaces: cells by label."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext, ngettext

from frontend.browse.environment_actions import RowAction, choose_action, find_schedule, may, write_label_address
from frontend.browse.environment_menus import MenuMove, RowMenu, build_menu
from frontend.changes.check_summaries import CheckSummary, summarize_checks
from frontend.changes.failure_rows import FailureRow
from frontend.changes.rollout_rows import RolloutRow
from registry.changes.promotion_state import PromotionState
from registry.core.names import LATEST
from registry.freezes.windows import ComingFreeze, StandingFreeze
from registry.namespaces.models import Namespace, Role
from registry.namespaces.permissions import MemberRoles
from registry.namespaces.queries import choose_live_label
from registry.namespaces.rules import read_rules
from registry.namespaces.verbs import Verb
from registry.templates.environments import EnvironmentCell, EnvironmentRow
from registry.templates.label_moves import Approval
from registry.templates.models import Template

__all__ = ["Cell", "Group", "Head", "Line", "group_rows", "list_column_labels"]

# Order within a namespace on a phone, where a template takes a lot of space.
_RANKS = ("emergency", "failing", "rolling", "ready", "open", "scheduled", "blocked", "settled")


@dataclass(frozen=True)
class Head:
    """A column in one namespace: protected or open. `rule` says who may move the target label, and when not.

    more: the freeze with its dates and the time zone; empty without one.
    """

    label: str
    protected: bool
    rule: str = ""
    more: str = ""


@dataclass(frozen=True)
class Cell:
    """One label of one template. `number` is None if the label isn't set; `behind` counts the newer versions on the
    next label to the left that is set.

    `unapproved`: the label is protected, and the version it serves was never approved for it. `back_url` is empty if
    the user may not roll back, or if there is nothing to roll back to. checks: of the version on the label to promote
    from.
    """

    label: str
    protected: bool
    number: int | None = None
    moved_at: datetime | None = None
    unapproved: bool = False
    behind: int = 0
    back: int | None = None
    back_url: str = ""
    is_target: bool = False
    rollout: RolloutRow | None = None
    failure: FailureRow | None = None
    checks: CheckSummary | None = None

    @property
    def has_notes(self) -> bool:
        """Whether there is anything to show besides the version and its date; usually there isn't."""
        marks = (self.is_target, self.unapproved, self.behind > 0, self.rollout, self.failure, self.checks)
        return any(marks)


@dataclass(frozen=True)
class Line:
    """A template's row. `selectable`: it can be promoted together with others. rank: its order on a phone, lowest
    first. goes_live_at: when the version that its open request proposes is published on schedule. request_checks: of
    the open request, if it proposes another version than the source.
    """

    name: str
    dirname: str
    basename: str
    cells: list[Cell]
    state: PromotionState
    action: RowAction | None
    selectable: bool
    rank: int
    menu: RowMenu
    goes_live_at: datetime | None = None
    request_checks: CheckSummary | None = None

    @property
    def target(self) -> Cell:
        """The label to promote to."""
        return next(cell for cell in self.cells if cell.is_target)


@dataclass(frozen=True)
class Group:
    """The rows of one namespace, under its own column heads."""

    namespace: str
    heads: list[Head]
    lines: list[Line]
    may_release: bool = False

    @property
    def selectable(self) -> int:
        """How many of its rows can be promoted together."""
        return sum(line.selectable for line in self.lines)


def list_column_labels(rows: Sequence[EnvironmentRow], pair: tuple[str, str]) -> list[str]:
    """`latest`, the pair, then the other labels: unprotected before protected ones, live first."""
    spaces = {row.template.namespace_id: row.template.namespace for row in rows}.values()
    protected = {label for space in spaces for label in space.protected_labels}
    live = {choose_live_label(space) for space in spaces if space.protected_labels}
    others = {label for row in rows for label in row.places} | protected
    ordered = sorted(others, key=lambda label: (label in protected, label not in live, label))
    return list(dict.fromkeys([LATEST, *pair, *ordered]))


def group_rows(
    rows: Sequence[EnvironmentRow],
    states: Mapping[int, PromotionState],
    roles: Mapping[int, MemberRoles],
    pair: tuple[str, str],
    freezes: Mapping[int, StandingFreeze | ComingFreeze],
    rollouts: Collection[RolloutRow],
    failures: Collection[FailureRow],
) -> list[Group]:
    """Group the rows by namespace, in the order given.

    roles: the user's, by namespace id. freezes: active or next, by namespace id. rollouts: the active ones of the rows'
    labels. failures: failing versions that the labels of the rows serve.
    """
    failing = {(row.failure.template_id, row.failure.label): row for row in failures}
    divided = {(row.rollout.template_id, row.rollout.label): row for row in rollouts}
    columns = list_column_labels(rows, pair)
    groups: list[Group] = []
    for row in rows:
        space = row.template.namespace
        member_roles = roles.get(space.pk)
        if not groups or groups[-1].namespace != space.name:
            heads = [_build_head(space, label, pair[1], freezes.get(space.pk)) for label in columns]
            may_release = pair[1] in space.protected_labels and may(
                member_roles.highest if member_roles else None, Verb.PROPOSE
            )
            groups.append(Group(space.name, heads, [], may_release))
        role = member_roles.at(row.template.path) if member_roles else None
        groups[-1].lines.append(_build_line(row, states[row.template.pk], columns, role, pair, divided, failing))
    return groups


def _build_head(space: Namespace, label: str, target: str, freeze: StandingFreeze | ComingFreeze | None) -> Head:
    protected = label in space.protected_labels
    if label != target:
        return Head(label, protected)
    if not protected:
        return Head(label, False, gettext("open to authors"))
    needed = read_rules(space).count_needed_approvals(label, "")
    rule = ngettext("needs {count} approval", "needs {count} approvals", needed).format(count=needed)
    return Head(label, True, f"{rule}, {freeze.short_notice}", freeze.notice) if freeze else Head(label, True, rule)


def _build_line(
    row: EnvironmentRow,
    state: PromotionState,
    columns: Collection[str],
    role: Role | None,
    pair: tuple[str, str],
    divided: Mapping[tuple[int, str], RolloutRow],
    failing: Mapping[tuple[int, str], FailureRow],
) -> Line:
    template = row.template
    dirname, slash, basename = template.path.rpartition("/")
    cells: list[Cell] = []
    left = 0
    for label in columns:
        cell = _build_cell(template, label, row.places.get(label), role, is_target=label == pair[1])
        behind = max(0, left - cell.number) if cell.number else 0
        place = (template.pk, label)
        checks = summarize_checks(state.checks) if label == pair[0] else None
        cell = replace(cell, behind=behind, rollout=divided.get(place), failure=failing.get(place), checks=checks)
        cells.append(cell)
        left = cell.number or left
    target = next(cell for cell in cells if cell.is_target)
    action = choose_action(template, state, role, pair[1], target.failure, target.rollout)
    is_free = not state.drifted and not state.blocking
    selectable = state.state == "ready" and state.is_protected and is_free and may(role, Verb.PROPOSE)
    goes_live_at, date_url = find_schedule(state, role)
    others = [label for label in columns if label not in (LATEST, pair[1])]
    return Line(
        name=template.name,
        dirname=dirname + slash,
        basename=basename,
        cells=cells,
        state=state,
        action=action,
        selectable=selectable,
        rank=_RANKS.index(_choose_kind(state, target, action, is_scheduled=goes_live_at is not None)),
        menu=build_menu(row, state, others, role, date_url, _list_roll_backs(cells, action)),
        goes_live_at=goes_live_at,
        request_checks=summarize_checks(state.gate.checks) if state.gate and not state.proposes_source else None,
    )


def _list_roll_backs(cells: Sequence[Cell], action: RowAction | None) -> list[MenuMove]:
    """A rollback of each label that has one, unless the row already shows it in a rollout or as its action."""
    shown_url = action.url if action else ""
    return [
        MenuMove(gettext("Roll {label} back to v{number}").format(label=cell.label, number=cell.back), cell.back_url)
        for cell in cells
        if cell.back_url and cell.rollout is None and cell.back_url != shown_url
    ]


def _choose_kind(state: PromotionState, target: Cell, action: RowAction | None, *, is_scheduled: bool) -> str:
    """The row's entry in `_RANKS`."""
    if state.emergency:
        return "emergency"
    if target.failure:
        return "failing"
    if target.rollout:
        return "rolling"
    if state.gate is not None:
        return "scheduled" if is_scheduled else "open"
    if action is None:
        return "settled"
    return "blocked" if action.is_blocked or not action.url else "ready"


def _build_cell(
    template: Template, label: str, place: EnvironmentCell | None, role: Role | None, *, is_target: bool
) -> Cell:
    newest = template.latest.number if template.latest else 0
    if label == LATEST:
        return Cell(label, False, newest, template.latest.created_at if template.latest else None)
    protected = label in template.namespace.protected_labels
    back = place.before if place and protected and may(role, Verb.ROLL_BACK) else None
    return Cell(
        label=label,
        protected=protected,
        unapproved=place is not None and place.approval == Approval.NEVER_APPROVED,
        number=place.number if place else None,
        moved_at=place.moved_at if place else None,
        back=back,
        back_url=write_label_address("labels", template, label, back) if back else "",
        is_target=is_target,
    )
