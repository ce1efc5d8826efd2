"""Presence: who has a template open in the editor now, and which part they edit.

Several processes serve pages, so they share presence through the database. A row is written when a tab opens, one
statement every few seconds refreshes all active tabs of a process, and the row is deleted when the tab closes.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Case, CharField, F, Value, When
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.journal import log
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.presence_models import MAX_PART_LENGTH, EditorPresence

__all__ = [
    "LIVES",
    "EditorTab",
    "check_part",
    "check_tab",
    "enter_editor",
    "leave_editor",
    "list_tabs_in_editor",
    "refresh_presence",
]

LIVES = timedelta(seconds=10)
"""How long a tab counts as open after its last sign of life."""
_FORGOTTEN = timedelta(minutes=1)
_TAB = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class EditorTab:
    """A tab that has a template open in the editor. part: the name of the part with the cursor; empty for none."""

    person: int
    username: str
    tab: str
    part: str


def check_tab(tab: object) -> str:
    """Validate a tab's id: 32 hexadecimal digits. Raises Invalid."""
    if not isinstance(tab, str) or not _TAB.fullmatch(tab):
        raise Invalid(fields={"tab": gettext("32 hexadecimal digits, which each page chooses for itself.")})
    return tab


def check_part(part: object) -> str:
    """Validate the name of the part that a tab edits, empty for none. Raises Invalid."""
    if not isinstance(part, str) or len(part) > MAX_PART_LENGTH or not part.isprintable():
        sentence = gettext("the name of a part: at most {most} characters of one line.").format(most=MAX_PART_LENGTH)
        raise Invalid(fields={"part": sentence})
    return part


def enter_editor(*, actor: Actor, name: str, tab: str, part: str = "") -> None:
    """Record that a tab has the template open in the editor. Raises the same errors as opening the editor."""
    template = template_queries.find_template(actor, Verb.SAVE, name)
    at = log.now()
    EditorPresence.objects.filter(seen_at__lt=at - _FORGOTTEN).delete()
    EditorPresence.objects.update_or_create(
        person=actor.person,
        tab=check_tab(tab),
        defaults={"template": template, "part": check_part(part), "seen_at": at},
    )


def leave_editor(*, actor: Actor, tab: str) -> None:
    """Record that the tab was closed; unknown tabs are ignored."""
    EditorPresence.objects.filter(person=actor.person, tab=check_tab(tab)).delete()


def refresh_presence(tabs: Mapping[tuple[int, str], str]) -> int:
    """Record in one statement that these tabs are still open, with their parts. Returns the number of rows updated.

    tabs: the part that each tab edits, by the person's id and the tab.
    """
    people, numbers = {person for person, _ in tabs}, [tab for _, tab in tabs]
    edited = [
        When(person=person, tab=tab, then=Value(part, output_field=CharField()))
        for (person, tab), part in tabs.items()
        if part
    ]
    return EditorPresence.objects.filter(person__in=people, tab__in=numbers).update(
        seen_at=log.now(), part=Case(*edited, default=Value(""), output_field=CharField()) if edited else ""
    )


def list_tabs_in_editor(names: Collection[str]) -> Mapping[str, list[EditorTab]]:
    """For each template the tabs in which members of its namespace have it open, most recently active first."""
    rows = EditorPresence.objects.filter(
        template__name__in=names,
        seen_at__gt=log.now() - LIVES,
        person__is_active=True,
        template__namespace__memberships__person=F("person"),
    ).order_by("-seen_at", "-pk")
    tabs: dict[str, list[EditorTab]] = {name: [] for name in names}
    facts = rows.values_list("template__name", "person_id", "person__username", "tab", "part")
    for name, person, username, tab, part in facts:
        tabs[name].append(EditorTab(person, username, tab, part))
    return tabs
