"""The pages of folders: the tree, search with its filters in the URL, and the list of templates."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy

from frontend.browse.fetch_charts import Sparkline, draw_sparklines
from frontend.browse.label_status import LabelStatus, labels_ahead
from frontend.browse.match_marks import Piece, mark_words, matching_lines, word_pattern
from frontend.browse.saved_views import build_search, list_view_rows
from frontend.web.decorators import signed_in
from frontend.web.page import breadcrumbs, show
from frontend.web.search_text import Filter, SearchText, read_search
from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Role
from registry.namespaces.queries import live_label
from registry.people import own_account
from registry.templates import label_queries, search_counts, search_queries
from registry.templates.former_names import find_current_folder
from registry.templates.models import Template
from registry.templates.search_counts import Folder
from registry.templates.search_entries import FILTER_KINDS
from registry.templates.search_queries import SearchPage

__all__ = ["browse"]

PAGE_SIZE = 50
SORTS = {"name": gettext_lazy("by name"), "changed": gettext_lazy("by last change")}
MENUS = {
    "tag": gettext_lazy("Tag"),
    "label": gettext_lazy("Label"),
    "behind": gettext_lazy("Behind"),
    "check": gettext_lazy("Check"),
    "owner": gettext_lazy("Owner"),
    "model": gettext_lazy("Model"),
    "input": gettext_lazy("Input"),
}


@dataclass(frozen=True)
class Row:
    """A template in the list. `stem` is what of its path is under the folder that is open; `line` is a line of the
    document with a word of the search, if neither name nor description has it.
    """

    name: str
    stem: list[Piece]
    leaf: list[Piece]
    description: list[Piece]
    line: list[Piece]
    live: LabelStatus | None
    ahead: list[LabelStatus]
    check: str
    fetches: Sparkline | None
    tags: list[str]
    owners: list[str]
    changed_at: datetime


@dataclass(frozen=True)
class Branch:
    """A folder in the tree; only the ones on the way to the open folder show their children and their templates."""

    name: str
    path: str
    count: int
    open: bool
    current: bool
    parent: bool
    children: list["Branch"] = field(default_factory=list)
    leaves: list["Link"] = field(default_factory=list)


@dataclass(frozen=True)
class Chip:
    """A filter in force, and the address without it."""

    filter: Filter
    without: str


@dataclass(frozen=True)
class Link:
    """A choice of a menu."""

    word: str
    url: str
    on: bool = False


@dataclass(frozen=True)
class Menu:
    """A filter's menu."""

    word: str
    links: list[Link]


@signed_in
def browse(request: HttpRequest, actor: Actor, folder: str = "") -> HttpResponse:
    """Templates below a folder (or all) that match the search."""
    text = read_search(request.GET)
    is_flat = _choose_layout(request, actor) == "flat"
    tree = search_counts.folder_tree(actor, folder, with_templates=not is_flat)
    here = _find(tree, folder)
    if folder and here is None:
        current = find_current_folder(folder)
        if current and _find(search_counts.folder_tree(actor, current), current):
            return redirect("folder", current)
        raise NotFound(
            gettext("There is no folder {folder}, or you are not a member of its namespace.").format(folder=folder)
        )
    sort = text.others.get("sort", "")
    sort = sort if sort in SORTS else "name"
    search = build_search(text, folder)
    result = search_queries.find_templates(actor, search, sort=sort, cursor=request.GET.get("cursor"), limit=PAGE_SIZE)
    total = sum(root.count for root in tree)
    context = {
        "section": "templates",
        "folder": folder,
        "crumbs": breadcrumbs(folder) if folder else [],
        "tree": _branches(tree, folder),
        "is_flat": is_flat,
        "flat": search_counts.flat_folders(actor, folder.partition("/")[0]) if is_flat else [],
        "total": total,
        "folder_count": here.count if here else total,
        "rows": _rows(result.page.items, folder, text.words),
        "count": result.count,
        "next_url": text.address(cursor=result.page.next) if result.page.next else "",
        "page_size": PAGE_SIZE,
        "searched": search.is_narrowed,
        "archived": search.archived,
        "search_text": text,
        "filters": [Chip(chosen, text.without_filter(chosen)) for chosen in text.filters],
        "sort": SORTS[sort],
        "sorts": [Link(str(word), text.address(sort=name), name == sort) for name, word in SORTS.items()],
        "archive_url": text.address(archived="" if search.archived else "1"),
        "menus": _menus(actor, text, folder.partition("/")[0]),
        "unknown": text.unknown,
        "kinds": FILTER_KINDS,
        "suggestions": _suggestions(actor, text, result),
        "views": list_view_rows(actor),
        "kept_query": text.address().lstrip("?"),
        **_namespace_context(actor, folder.partition("/")[0], folder),
    }
    return show(request, "browse/browse.html", context, regions={"templates": "browse/_templates.html"})


def _choose_layout(request: HttpRequest, actor: Actor) -> str:
    """How folders are shown, as `?folders=flat` says, which is kept for the person; else as the person chose before."""
    chosen = request.GET.get("folders", "")
    if chosen in own_account.FOLDER_LAYOUTS:
        own_account.store_folder_layout(actor=actor, layout=chosen)
    return actor.person.folder_layout


def _menus(actor: Actor, text: SearchText, namespace: str) -> list[Menu]:
    values = search_counts.list_values(actor, tuple(MENUS), namespace=namespace)
    menus = []
    for kind, word in MENUS.items():
        links = [
            Link(
                f"{value} ({number_format(count, force_grouping=True)})",
                text.with_filter(Filter(kind, value)),
                Filter(kind, value) in text.filters,
            )
            for value, count in values[kind]
        ]
        if links and not (kind == "check" and [value for value, _ in values[kind]] == ["none"]):
            menus.append(Menu(str(word), links))
    return menus


def _suggestions(actor: Actor, text: SearchText, found: SearchPage) -> list[Link]:
    """What may have been meant, if nothing was found: for each filter and word the nearest one in use."""
    if found.count.number:
        return []
    links = []
    for chosen in text.filters:
        near = search_counts.similar_words(actor, chosen.kind, chosen.value)
        if near is not None and near != chosen.value:
            meant = Filter(chosen.kind, near)
            filters = [meant if one == chosen else one for one in text.filters]
            links.append(Link(meant.text, text.address(filters=filters)))
    words = text.words.split()
    for place, word in enumerate(words):
        near = search_counts.similar_words(actor, "word", word.casefold())
        if near is not None and near != word.casefold():
            links.append(Link(near, text.address(words=" ".join([*words[:place], near, *words[place + 1 :]]))))
    return links


def _namespace_context(actor: Actor, name: str, folder: str) -> dict[str, Any]:
    roles = {namespace.name: (namespace, held) for namespace, held in namespace_queries.list_namespaces(actor)}
    if name not in roles:
        return {"may_create": any(held.highest.rank >= Role.AUTHOR.rank for _, held in roles.values())}
    namespace, held = roles[name]
    path = folder.partition("/")[2]
    role = held.at(f"{path}/") if path else held.highest
    return {
        "namespace": namespace,
        "admins": [
            member.person.username
            for member in namespace_queries.list_members(actor, name)
            if member.role == Role.ADMIN
        ][:3],
        "may_create": role.rank >= Role.AUTHOR.rank,
        "may_manage": held.namespace is Role.ADMIN,
    }


def _rows(items: Sequence[Template], folder: str, words: str) -> list[Row]:
    numbers = label_queries.label_numbers_of_many(items)
    pattern = word_pattern(words)
    elsewhere = [row for row in items if not _is_marked(row, words)] if pattern else []
    lines = matching_lines(elsewhere, pattern)
    fetches = draw_sparklines(row.pk for row in items)
    return [_row(row, folder, numbers[row.pk], pattern, lines.get(row.pk, []), fetches.get(row.pk)) for row in items]


def _is_marked(template: Template, words: str) -> bool:
    shown = f"{template.name} {template.description}".casefold()
    return all(word.casefold() in shown for word in words.split())


def _row(
    template: Template,
    folder: str,
    numbers: dict[str, int],
    pattern: re.Pattern[str] | None,
    line: list[Piece],
    fetches: Sparkline | None,
) -> Row:
    below = len(folder) + 1 if folder else 0
    live = live_label(template.namespace)
    stem, slash, leaf = template.name[below:].rpartition("/")
    facts = json.loads(template.search_entry.facts)
    return Row(
        name=template.name,
        stem=mark_words(stem + slash, pattern),
        leaf=mark_words(leaf, pattern),
        description=mark_words(template.description, pattern),
        line=line,
        live=LabelStatus(live, number=numbers[live]) if live in numbers else None,
        ahead=labels_ahead(numbers, template.namespace),
        check=facts["check"][0],
        fetches=fetches,
        tags=facts["tag"],
        owners=facts["owner"],
        changed_at=template.updated_at,
    )


def _find(folders: list[Folder], path: str) -> Folder | None:
    for folder in folders:
        if folder.path == path:
            return folder
        if path.startswith(f"{folder.path}/"):
            return _find(folder.folders, path)
    return None


def _branches(folders: list[Folder], path: str) -> list[Branch]:
    return [
        Branch(
            name=folder.name,
            path=folder.path,
            count=folder.count,
            open=is_open,
            current=folder.path == path,
            parent=folder.has_folders,
            children=_branches(folder.folders, path) if is_open else [],
            leaves=[Link(name.rpartition("/")[2], reverse("template", args=[name])) for name in folder.templates],
        )
        for folder in folders
        for is_open in [f"{path}/".startswith(f"{folder.path}/")]
    ]
