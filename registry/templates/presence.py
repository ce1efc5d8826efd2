"""Presence: who has a template open in the editor at this moment.

Several processes serve pages, so what they tell each other is in the database: a row when a tab opens, one statement
every few seconds for all tabs of a process that were heard of, and none when the tab leaves.
"""

import re
from collections.abc import Collection, Mapping
from datetime import timedelta

from django.db.models import F

from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.journal import log
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.presence_models import EditorPresence

__all__ = ["LIVES", "check_tab", "enter_editor", "leave_editor", "list_people_in_editor", "refresh_presence"]

LIVES = timedelta(seconds=10)
"""How long a tab counts after it was last heard of."""
_FORGOTTEN = timedelta(minutes=1)
_TAB = re.compile(r"[0-9a-f]{32}")


def check_tab(tab: object) -> str:
    """The number of a tab: 32 hexadecimal digits. Raises Invalid."""
    if not isinstance(tab, str) or not _TAB.fullmatch(tab):
        raise Invalid(fields={"tab": "32 hexadecimal digits, which each page chooses for itself."})
    return tab


def enter_editor(*, actor: Actor, name: str, tab: str) -> None:
    """Say that a tab has the template open in the editor; raises what the editor itself raises for the actor."""
    template = template_queries.find_template(actor, Verb.SAVE, name)
    at = log.now()
    EditorPresence.objects.filter(seen_at__lt=at - _FORGOTTEN).delete()
    EditorPresence.objects.update_or_create(
        person=actor.person, tab=check_tab(tab), defaults={"template": template, "seen_at": at}
    )


def leave_editor(*, actor: Actor, tab: str) -> None:
    """Say that the tab left; nothing happens where it is not known."""
    EditorPresence.objects.filter(person=actor.person, tab=check_tab(tab)).delete()


def refresh_presence(tabs: Collection[tuple[int, str]]) -> int:
    """Say in one statement that these tabs (a person's id, the tab) are still there; how many rows there were."""
    people, numbers = {person for person, _ in tabs}, [tab for _, tab in tabs]
    return EditorPresence.objects.filter(person__in=people, tab__in=numbers).update(seen_at=log.now())


def list_people_in_editor(names: Collection[str]) -> Mapping[str, Mapping[int, str]]:
    """For each of the templates the ids and names of the people who have it open and are members of its namespace."""
    rows = EditorPresence.objects.filter(
        template__name__in=names,
        seen_at__gt=log.now() - LIVES,
        person__is_active=True,
        template__namespace__memberships__person=F("person"),
    )
    found: dict[str, dict[int, str]] = {name: {} for name in names}
    for name, person, username in rows.values_list("template__name", "person_id", "person__username"):
        found[name][person] = username
    return found
