"""The menu of a row of the environments page: every action on the template except the primary one."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from frontend.browse.environment_actions import may, write_label_address
from registry.changes.promotion_state import PromotionState
from registry.namespaces.models import Role
from registry.namespaces.verbs import Verb
from registry.templates.environments import EnvironmentRow
from registry.templates.models import Template

__all__ = ["MenuMove", "RowMenu", "build_menu"]


@dataclass(frozen=True)
class MenuMove:
    """A move of one label; `url` opens in the panel."""

    word: str
    url: str


@dataclass(frozen=True)
class RowMenu:
    """compare_word, compare_url: compare the two labels, empty if either serves nothing or both serve the same. moves:
    other labels than the target to the version to promote, then rollbacks of protected labels. date_url,
    unschedule_url: where a scheduled publication is changed and cancelled, empty without one.
    """

    compare_word: str
    compare_url: str
    moves: tuple[MenuMove, ...]
    date_url: str
    unschedule_url: str


def build_menu(
    row: EnvironmentRow,
    state: PromotionState,
    labels: Collection[str],
    role: Role | None,
    date_url: str,
    roll_backs: Collection[MenuMove],
) -> RowMenu:
    """Build the menu for this role. labels: those of the page that can be moved, except the one to promote to.
    roll_backs: the labels that can be rolled back. date_url: the date field on the page of the scheduled change or
    release, else empty.
    """
    template, source, target = row.template, state.source, state.target
    compare_word = compare_url = ""
    if source and target and source != target:
        compare_word = gettext("Compare v{held} with v{number}").format(held=target, number=source)
        compare_url = f"{reverse('diff', args=[template.name])}?{urlencode({'from': target, 'to': source})}"
    moves = []
    for label in labels if source else ():
        place = row.places.get(label)
        if place is not None and place.number == source:
            continue
        if move := _build_move(template, label, source or 0, role, is_set=place is not None):
            moves.append(move)
    return RowMenu(compare_word, compare_url, (*moves, *roll_backs), date_url, date_url.partition("#")[0])


def _build_move(template: Template, label: str, source: int, role: Role | None, *, is_set: bool) -> MenuMove | None:
    """None if the role may not move the label, or neither the namespace nor the template has it."""
    if label in template.namespace.protected_labels:
        if not may(role, Verb.PROPOSE):
            return None
        word = gettext("Propose v{number} for {label}")
        page = "propose"
    elif is_set and may(role, Verb.MOVE):
        word, page = gettext("Move {label} to v{number}"), "labels"
    else:
        return None
    return MenuMove(word.format(number=source, label=label), write_label_address(page, template, label, source))
