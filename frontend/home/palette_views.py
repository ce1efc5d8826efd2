"""The search of the command palette (Ctrl K): templates, open changes and actions."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from frontend.web.decorators import signed_in
from frontend.web.search_text import parse_search
from registry.accounts.actor import Actor
from registry.changes import queries as change_queries
from registry.templates import search_queries
from registry.templates.models import Template
from registry.templates.search_queries import TemplateSearch

__all__ = ["search"]

MOST = 8


@require_safe
@signed_in
def search(request: HttpRequest, actor: Actor) -> JsonResponse:
    """GET ?q= -> {"groups": [{"name", "items": [{"title", "note", "key"?, "href"}]}]}"""
    q = request.GET.get("q", "").strip()[:200]
    groups = [
        {"name": "Templates", "items": _templates(actor, q)},
        {"name": "Changes", "items": _changes(actor, q)},
        {"name": "Actions", "items": _actions(q)},
    ]
    return JsonResponse({"groups": groups}, headers={"Cache-Control": "private, no-store"})


def _templates(actor: Actor, q: str) -> list[dict[str, Any]]:
    """Templates with the words in their names, then those with the words anywhere; filters as on the browse page."""
    text = parse_search(q)
    templates: dict[str, Template] = {}
    for only_names in (True, False):
        if len(templates) < MOST:
            search = TemplateSearch(text.words, text.values, only_names=only_names)
            page = search_queries.find_templates(actor, search, limit=MOST).page
            templates |= {template.name: template for template in page.items if template.name not in templates}
    return [
        {"title": template.name, "note": template.description[:80], "href": reverse("template", args=[template.name])}
        for template in list(templates.values())[:MOST]
    ]


def _changes(actor: Actor, q: str) -> list[dict[str, Any]]:
    words = q.casefold().split()
    items = []
    for change in change_queries.list_changes(actor, state="pending", limit=50).items:
        title = change.message.partition("\n")[0] or f"Move {change.label} of {change.template.name}"
        text = f"{change.number} {title} {change.template.name} {change.label}".casefold()
        if all(word in text for word in words):
            urgent = ", emergency, needs approval" if change.needs_approval else ""
            note = f"change {change.number}, {change.template.name}{urgent}"
            items.append({"title": title[:80], "note": note, "href": reverse("change", args=[change.number])})
    return items[:MOST]


def _actions(q: str) -> list[dict[str, Any]]:
    actions = [
        {"title": "Create a template", "note": "", "href": reverse("new")},
        {"title": "Browse all templates", "note": "", "href": reverse("browse")},
        {"title": "See all changes", "note": "", "href": reverse("changes")},
    ]
    return [action for action in actions if all(word in action["title"].casefold() for word in q.casefold().split())]
