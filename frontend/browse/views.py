"""The folder pages: the tree, search with its filters in the URL, and the list of templates."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy

from frontend.browse.fetch_charts import Sparkline, draw_sparklines
from frontend.browse.folder_branches import Link, find_folder, open_branches
from frontend.browse.label_status import LabelStatus, list_labels_ahead
from frontend.browse.match_marks import (
    Piece,
    compile_text_pattern,
    compile_word_pattern,
    find_matching_lines,
    mark_words,
)
from frontend.browse.saved_views import build_search, list_view_rows
from frontend.changes.check_summaries import CheckSummary, read_check_summaries
from frontend.web.decorators import signed_in
from frontend.web.page import build_breadcrumbs, render_page
from frontend.web.search_text import Filter, SearchText, read_search
from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Role
from registry.namespaces.queries import choose_live_label
from registry.namespaces.rules import read_rules
from registry.people import own_account
from registry.templates import fragments, label_queries, search_counts, search_queries
from registry.templates.former_names import find_current_folder
from registry.templates.models import Template
from registry.templates.search_entries import FILTER_KINDS
from registry.templates.search_queries import SearchPage

__all__ = ["browse_templates"]

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
    """A template in the list. `dirname` is its path below the open folder; `line` is a line of the document that
    matches, if neither name nor description does. `dependants` counts the templates that include it.
    """

    name: str
    dirname: list[Piece]
    basename: list[Piece]
    description: list[Piece]
    line: list[Piece]
    live: LabelStatus | None
    ahead: list[LabelStatus]
    checks: CheckSummary | None
    fetches: Sparkline | None
    dependants: int
    tags: list[str]
    owners: list[str]
    changed_at: datetime


@dataclass(frozen=True)
class Chip:
    """An active filter, and the URL without it."""

    filter: Filter
    without: str


@dataclass(frozen=True)
class Menu:
    """A filter's menu."""

    word: str
    links: list[Link]


@signed_in
def browse_templates(request: HttpRequest, actor: Actor, folder: str = "") -> HttpResponse:
    """Templates below a folder (or all of them) that match the search."""
    text = read_search(request.GET)
    is_flat = _choose_layout(request, actor) == "flat"
    tree = search_counts.read_folder_tree(actor, folder, with_templates=not is_flat)
    here = find_folder(tree, folder)
    if folder and here is None:
        current = find_current_folder(folder)
        if current and find_folder(search_counts.read_folder_tree(actor, current), current):
            return redirect("folder", current)
        raise NotFound(gettext("There is no folder {folder}, or you don't have access to it.").format(folder=folder))
    sort = text.others.get("sort", "")
    sort = sort if sort in SORTS else "name"
    search = build_search(text, folder)
    result = search_queries.find_templates(actor, search, sort=sort, cursor=request.GET.get("cursor"), limit=PAGE_SIZE)
    total = sum(root.count for root in tree)
    context = {
        "section": "templates",
        "folder": folder,
        "crumbs": build_breadcrumbs(folder) if folder else [],
        "tree": open_branches(tree, folder),
        "is_flat": is_flat,
        "flat": search_counts.list_flat_folders(actor, folder.partition("/")[0]) if is_flat else [],
        "total": total,
        "folder_count": here.count if here else total,
        "rows": _build_rows(actor, result.page.items, folder, text.words),
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
        "menus": _build_menus(actor, text, folder.partition("/")[0]),
        "unknown": text.unknown,
        "kinds": FILTER_KINDS,
        "suggestions": _list_suggestions(actor, text, result),
        "views": list_view_rows(actor),
        "kept_query": text.address().lstrip("?"),
        **_build_namespace_context(actor, folder.partition("/")[0], folder),
    }
    return render_page(request, "browse/browse.html", context, regions={"templates": "browse/_templates.html"})


def _choose_layout(request: HttpRequest, actor: Actor) -> str:
    """The layout of the folders: from `?folders=flat`, which is stored for the user, else the user's last choice."""
    chosen = request.GET.get("folders", "")
    if chosen in own_account.FOLDER_LAYOUTS:
        own_account.store_folder_layout(actor=actor, layout=chosen)
    return actor.person.folder_layout


def _build_menus(actor: Actor, text: SearchText, namespace: str) -> list[Menu]:
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


def _list_suggestions(actor: Actor, text: SearchText, page: SearchPage) -> list[Link]:
    """Suggestions if nothing was found: the closest value in use for each filter and word."""
    if page.count.number:
        return []
    links = []
    for chosen in text.filters:
        near = search_counts.find_similar_words(actor, chosen.kind, chosen.value)
        if near is not None and near != chosen.value:
            suggested = Filter(chosen.kind, near)
            filters = [suggested if one == chosen else one for one in text.filters]
            links.append(Link(suggested.text, text.address(filters=filters)))
    words = text.words.split()
    for place, word in enumerate(words):
        near = search_counts.find_similar_words(actor, "word", word.casefold())
        if near is not None and near != word.casefold():
            links.append(Link(near, text.address(words=" ".join([*words[:place], near, *words[place + 1 :]]))))
    return links


def _build_namespace_context(actor: Actor, name: str, folder: str) -> dict[str, Any]:
    roles = {
        namespace.name: (namespace, member_roles)
        for namespace, member_roles in namespace_queries.list_namespaces(actor)
    }
    if name not in roles:
        return {
            "may_create": any(member_roles.highest.rank >= Role.AUTHOR.rank for _, member_roles in roles.values()),
            "may_archive": any(member_roles.namespace is Role.ADMIN for _, member_roles in roles.values()),
        }
    namespace, member_roles = roles[name]
    path = folder.partition("/")[2]
    role = member_roles.at(f"{path}/") if path else member_roles.highest
    return {
        "namespace": namespace,
        "admins": [
            member.person.username
            for member in namespace_queries.list_members(actor, name)
            if member.role == Role.ADMIN
        ][:3],
        "may_create": role.rank >= Role.AUTHOR.rank,
        "may_manage": member_roles.namespace is Role.ADMIN,
        "may_archive": member_roles.namespace is Role.ADMIN,
    }


def _build_rows(actor: Actor, items: Sequence[Template], folder: str, words: str) -> list[Row]:
    numbers = label_queries.map_label_numbers(items)
    patterns = (compile_word_pattern(words), compile_text_pattern(words))
    elsewhere = [row for row in items if not _is_marked(row, words)] if words else []
    lines = find_matching_lines(elsewhere, patterns[1])
    fetches = draw_sparklines(row.pk for row in items)
    dependants = fragments.count_dependants(actor, items)
    checks = read_check_summaries({row.latest_id: read_rules(row.namespace) for row in items if row.latest_id})
    return [
        _build_row(
            row,
            folder,
            numbers[row.pk],
            patterns,
            lines.get(row.pk, []),
            fetches.get(row.pk),
            checks.get(row.latest_id or 0),
            dependants[row.pk],
        )
        for row in items
    ]


def _is_marked(template: Template, words: str) -> bool:
    text = f"{template.name} {template.description}".casefold()
    return all(word.casefold() in text for word in words.split())


def _build_row(
    template: Template,
    folder: str,
    numbers: dict[str, int],
    patterns: tuple[re.Pattern[str] | None, re.Pattern[str] | None],
    line: list[Piece],
    fetches: Sparkline | None,
    checks: CheckSummary | None,
    dependants: int,
) -> Row:
    in_name, in_text = patterns
    below = len(folder) + 1 if folder else 0
    live = choose_live_label(template.namespace)
    dirname, slash, basename = template.name[below:].rpartition("/")
    facts = json.loads(template.search_entry.facts)
    return Row(
        name=template.name,
        dirname=mark_words(dirname + slash, in_name),
        basename=mark_words(basename, in_name),
        description=mark_words(template.description, in_text),
        line=line,
        live=LabelStatus(live, number=numbers[live]) if live in numbers else None,
        ahead=list_labels_ahead(numbers, template.namespace),
        checks=checks,
        fetches=fetches,
        dependants=dependants,
        tags=facts["tag"],
        owners=facts["owner"],
        changed_at=template.updated_at,
    )
