"""The search of the command palette (Ctrl K): templates, open changes and actions."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from frontend.web.decorators import signed_in
from registry.accounts.actor import Actor
from registry.changes import queries as change_queries
from registry.templates import queries as template_queries

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
    templates = template_queries.search_templates(actor, q=q, limit=50).items
    # Words in the name count for more than words in the text; the name's own order stays within each.
    templates.sort(key=lambda template: not all(word in template.name for word in q.casefold().split()))
    return [
        {"title": template.name, "note": template.description[:80], "href": reverse("template", args=[template.name])}
        for template in templates[:MOST]
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
