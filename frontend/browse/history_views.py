"""The history page of a template: every version, newest first, and a choice of two to compare."""

import json
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from frontend.browse.label_status import LabelStatus, list_label_statuses
from frontend.web.decorators import signed_in
from frontend.web.draft_links import list_draft_links
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.namespaces import permissions
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.templates import label_queries
from registry.templates import queries as template_queries
from registry.templates import version_queries as versions_query
from registry.templates.label_models import LabelMove
from registry.templates.version_queries import HistoryEntry

__all__ = ["show_history"]


@dataclass(frozen=True)
class Row:
    """A version and the labels on it now."""

    entry: HistoryEntry
    marks: list[LabelStatus]
    live: bool
    warnings: int


@signed_in
def show_history(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The history of versions and of label moves."""
    template = template_queries.get_template(actor, name)
    page = versions_query.list_template_versions(template, cursor=request.GET.get("cursor"), limit=50)
    moves: list[LabelMove] = label_queries.list_template_label_moves(template, limit=200).items
    marks = list_label_statuses(actor, template, label_queries.read_label_numbers(template), moves)
    rows = [_build_row(entry, marks, choose_live_label(template.namespace)) for entry in page.items]
    numbers = [row.entry.version.number for row in rows]
    may_write = permissions.is_allowed(actor, Verb.SAVE, template.namespace, template.path)
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "rows": rows,
        "moves": moves[:30],
        "protected_labels": template.namespace.protected_labels,
        "default_to": numbers[0] if numbers else None,
        "default_from": _choose_baseline(marks, numbers, choose_live_label(template.namespace)),
        "may_write": may_write,
        "may_restore": may_write and template.archived_at is None,
        "drafts": list_draft_links(actor, name),
        "next_url": f"?{urlencode({'cursor': page.next})}" if page.next else "",
    }
    return render_page(request, "browse/versions.html", context)


def _build_row(entry: HistoryEntry, marks: list[LabelStatus], live: str) -> Row:
    on_it = [mark for mark in marks if mark.number == entry.version.number]
    problems = json.loads(entry.version.problems)
    return Row(
        entry=entry,
        marks=on_it,
        live=any(mark.label == live for mark in on_it),
        warnings=sum(problem.get("severity") == "warning" for problem in problems),
    )


def _choose_baseline(marks: list[LabelStatus], numbers: list[int], live: str) -> int | None:
    """The default version to compare the newest with: the live one, else the one before."""
    live_number = next((mark.number for mark in marks if mark.label == live and mark.number in numbers), None)
    if live_number is not None and numbers and live_number != numbers[0]:
        return live_number
    return numbers[1] if len(numbers) > 1 else None
