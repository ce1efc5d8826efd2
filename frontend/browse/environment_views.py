"""The page of environments: a table of templates by label with the version each label is on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from frontend.web.decorators import signed_in
from frontend.web.page import show
from registry.accounts.actor import Actor
from registry.changes import emergencies
from registry.core.names import LATEST
from registry.namespaces import queries as namespace_queries
from registry.namespaces.permissions import TABLE, Role, Verb
from registry.namespaces.queries import live_label
from registry.templates import environments as environments_query
from registry.templates.environments import EnvironmentCell, EnvironmentRow
from registry.templates.labels import Approval
from registry.templates.models import Template

__all__ = ["environments"]

PAGE_SIZE = 100
Hurried = Mapping[tuple[int, str], int]  # template id and label to the emergency that it serves unapproved


@dataclass(frozen=True)
class Column:
    """A label of the head; protected where all namespaces that carry it protect it."""

    label: str
    protected: bool


@dataclass(frozen=True)
class Cell:
    """One label of one template. `number` is None where it is not set; `behind` counts against the newest version.

    `unapproved` says that it is protected and never held what it serves by approval. `mixed` says that it is protected
    here though not everywhere. `ask_url` and `back_url` are empty where this person may not, or where there is nothing
    to ask for or to go back to. `emergency` is the change by which it was published and that nobody approved.
    """

    label: str
    protected: bool
    number: int | None = None
    moved_at: datetime | None = None
    mixed: bool = False
    unapproved: bool = False
    behind: int = 0
    back: int | None = None
    emergency: int | None = None
    ask_url: str = ""
    back_url: str = ""


@dataclass(frozen=True)
class Line:
    """A template's row."""

    name: str
    stem: str
    leaf: str
    cells: list[Cell]


@dataclass(frozen=True)
class Group:
    """The rows of one namespace."""

    namespace: str
    lines: list[Line]
    may_release: bool = False


@signed_in
def environments(request: HttpRequest, actor: Actor) -> HttpResponse:
    """All templates, or those of which a protected label is behind; `q` narrows by name."""
    behind = request.GET.get("show") == "behind"
    words = request.GET.get("q", "").strip()
    page = environments_query.list_environments(
        actor, q=words, behind=behind, cursor=request.GET.get("cursor"), limit=PAGE_SIZE
    )
    roles = {space.pk: role for space, role in namespace_queries.list_namespaces(actor)}
    columns = _columns(page.rows)
    query = {name: value for name, value in (("q", words), ("show", "behind" if behind else "")) if value}
    context = {
        "section": "environments",
        "columns": columns,
        "groups": _groups(page.rows, columns, roles, emergencies.served_emergencies(actor)),
        "total": page.total,
        "late": page.behind,
        "behind": behind,
        "words": words,
        "tabs": [
            _tab("All", None, not behind, {"q": words}),
            _tab("Behind", page.behind.number, behind, {"q": words, "show": "behind"}),
        ],
        "next_url": f"?{urlencode({**query, 'cursor': page.next})}" if page.next else "",
        "page_size": PAGE_SIZE,
    }
    return show(request, "browse/environments.html", context, regions={"environments": "browse/_environments.html"})


def _tab(word: str, count: int | None, on: bool, query: Mapping[str, str]) -> dict[str, Any]:
    kept = {name: value for name, value in query.items() if value}
    return {"word": word, "count": count, "on": on, "url": f"?{urlencode(kept)}"}


def _columns(rows: Sequence[EnvironmentRow]) -> list[Column]:
    """`latest`, then labels that move freely, then protected ones; what counts as live first among these."""
    protected: dict[str, bool] = {}
    for row in rows:
        space = row.template.namespace
        for label in space.protected_labels:
            protected[label] = protected.get(label, False) or label == live_label(space)
    free = sorted({label for row in rows for label in row.places} - set(protected))
    loose = {label for row in rows for label in row.places if label not in row.template.namespace.protected_labels}
    ordered = sorted(protected, key=lambda label: (not protected[label], label))
    return [
        Column(LATEST, False),
        *(Column(label, False) for label in free),
        *(Column(label, label not in loose) for label in ordered),
    ]


def _groups(
    rows: Sequence[EnvironmentRow], columns: Sequence[Column], roles: Mapping[int, Role], hurried: Hurried
) -> list[Group]:
    groups: list[Group] = []
    for row in rows:
        space = row.template.namespace
        if not groups or groups[-1].namespace != space.name:
            may_release = bool(space.protected_labels) and _may(roles.get(space.pk), Verb.PROPOSE)
            groups.append(Group(space.name, [], may_release))
        groups[-1].lines.append(_line(row, columns, roles.get(space.pk), hurried))
    return groups


def _line(row: EnvironmentRow, columns: Sequence[Column], role: Role | None, hurried: Hurried) -> Line:
    template = row.template
    stem, slash, leaf = template.path.rpartition("/")
    cells = [_cell(template, column, row.places.get(column.label), role) for column in columns]
    cells = [replace(cell, emergency=hurried.get((template.pk, cell.label))) for cell in cells]
    return Line(template.name, stem + slash, leaf, cells)


def _cell(template: Template, column: Column, place: EnvironmentCell | None, role: Role | None) -> Cell:
    label = column.label
    newest = template.latest.number if template.latest else 0
    if label == LATEST:
        return Cell(label, False, newest, template.latest.created_at if template.latest else None)
    protected = label in template.namespace.protected_labels
    behind = newest - place.number if place else 0
    back = place.before if place and protected and _may(role, Verb.ROLL_BACK) else None
    unapproved = place is not None and place.approval == Approval.NEVER_APPROVED
    asks = protected and _may(role, Verb.PROPOSE) and (place is None or behind > 0)
    return Cell(
        label=label,
        protected=protected,
        mixed=protected and not column.protected,
        unapproved=unapproved,
        number=place.number if place else None,
        moved_at=place.moved_at if place else None,
        behind=behind,
        back=back,
        ask_url=_address("propose", template, label, newest) if asks else "",
        back_url=_address("labels", template, label, back) if back else "",
    )


def _may(role: Role | None, verb: Verb) -> bool:
    return role is not None and role.rank >= TABLE[verb].rank


def _address(page: str, template: Template, label: str, version: int) -> str:
    return f"{reverse(page, args=[template.name])}?{urlencode({'label': label, 'version': version})}"
