"""The search of the command palette (Ctrl K): templates, open changes and actions."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from frontend.web.decorators import signed_in
from frontend.web.search_text import parse_search
from registry.accounts.actor import Actor
from registry.bookmarks import queries as bookmark_queries
from registry.changes import queries as change_queries
from registry.templates import search_queries
from registry.templates.models import Template
from registry.templates.search_queries import TemplateSearch

__all__ = ["search"]

LIMIT = 8
MAX_FAVOURITES = 200
MAX_RANKED = 60
"""How many templates with matching names are ranked."""


@require_safe
@signed_in
def search(request: HttpRequest, actor: Actor) -> JsonResponse:
    """GET ?q= -> {"groups": [{"kind", "name", "items": [{"title", "note", "key"?, "href", "edit"?}]}]}

    `edit` is the URL of the editor, with the cursor in the text.

    `recent` are names of templates that the browser remembers. Recent templates and favourites whose names match come
    first.
    """
    q = request.GET.get("q", "").strip()[:200]
    recent = [name.replace("\0", "") for name in request.GET.getlist("recent")[:LIMIT]]
    by_group = {
        "recent": _filter_named(bookmark_queries.find_readable(actor, recent), q),
        "favourites": _filter_named(bookmark_queries.list_favourites(actor, MAX_FAVOURITES), q),
        "templates": _search_templates(actor, q),
    }
    actions = _list_actions(q)
    groups = [
        *_group_templates(by_group),
        {"kind": "changes", "name": gettext("Changes"), "items": _list_changes(actor, q)},
        {"kind": "actions", "name": gettext("Actions"), "items": actions},
    ]
    has_named_template = any(_filter_named(templates, q) for templates in by_group.values())
    if _has_action_with_beginning(actions, q) and not has_named_template:
        groups.insert(0, groups.pop())
    return JsonResponse({"groups": groups}, headers={"Cache-Control": "private, no-store"})  # no text: a header


def _has_action_with_beginning(actions: list[dict[str, Any]], q: str) -> bool:
    """Whether an action begins with the query: it then comes before templates that match only in their text."""
    return bool(q) and any(action["title"].casefold().startswith(q.casefold()) for action in actions)


def _search_templates(actor: Actor, q: str) -> list[Template]:
    """Templates that match by name, closest first, then those that match anywhere; filters as on the browse page."""
    text = parse_search(q)
    templates: dict[str, Template] = {}
    for only_names in (True, False):
        if len(templates) < LIMIT:
            search = TemplateSearch(text.words, text.values, only_names=only_names)
            limit = MAX_RANKED if only_names and text.words else LIMIT
            matches = search_queries.find_templates(actor, search, limit=limit).page.items
            if only_names:
                matches = sorted(matches, key=lambda template: _rank_name(template.name, text.words))
            templates |= {template.name: template for template in matches[:LIMIT] if template.name not in templates}
    return list(templates.values())


def _rank_name(name: str, words: str) -> tuple[int, int]:
    """The distance of a name from the query, as a sort key: its last segment starts with it, another segment or a word
    of one does, or it is contained elsewhere; shorter names first. A few letters then find any template.
    """
    typed = words.casefold()
    segments = name.casefold().split("/")
    starts = [segments[-1:], segments, [part for segment in segments for part in segment.split("-")]]
    distance = next((place for place, of in enumerate(starts) if any(part.startswith(typed) for part in of)), 3)
    return distance, len(name)


def _filter_named(templates: list[Template], q: str) -> list[Template]:
    """The templates whose names contain all the words."""
    words = q.casefold().split()
    return [template for template in templates if all(word in template.name.casefold() for word in words)]


def _group_templates(templates_by_kind: Mapping[str, list[Template]]) -> list[dict[str, Any]]:
    """The groups in order, each template only in its first group."""
    groups: list[dict[str, Any]] = []
    earlier_names: set[str] = set()
    names = {"recent": gettext("Recent"), "favourites": gettext("Favourites"), "templates": gettext("Templates")}
    for kind, templates in templates_by_kind.items():
        new_templates = [template for template in templates if template.name not in earlier_names][:LIMIT]
        earlier_names |= {template.name for template in new_templates}
        groups.append(
            {"kind": kind, "name": names[kind], "items": [_describe_template(template) for template in new_templates]}
        )
    return groups


def _describe_template(template: Template) -> dict[str, Any]:
    return {
        "title": template.name,
        "note": template.description[:80],
        "href": reverse("template", args=[template.name]),
        "edit": f"{reverse('edit', args=[template.name])}#text",
    }


def _list_changes(actor: Actor, q: str) -> list[dict[str, Any]]:
    words = q.casefold().split()
    items = []
    for change in change_queries.list_changes(actor, state="pending", limit=50).items:
        title = change.message.partition("\n")[0]
        title = title or gettext("Move {label} of {name}").format(label=change.label, name=change.template.name)
        text = f"{change.number} {title} {change.template.name} {change.label}".casefold()
        if all(word in text for word in words):
            note = (
                gettext("change {number}, {name}, emergency, needs approval")
                if change.needs_approval
                else gettext("change {number}, {name}")
            ).format(number=change.number, name=change.template.name)
            items.append({"title": title[:80], "note": note, "href": reverse("change", args=[change.number])})
    return items[:LIMIT]


def _list_actions(q: str) -> list[dict[str, Any]]:
    actions = [
        {"title": gettext("Create a template"), "note": "", "href": reverse("new")},
        {"title": gettext("Browse all templates"), "note": "", "href": reverse("browse")},
        {"title": gettext("See all changes"), "note": "", "href": reverse("changes")},
    ]
    return [action for action in actions if all(word in action["title"].casefold() for word in q.casefold().split())]
