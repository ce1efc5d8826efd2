"""Previews of the source lines that a suggestion on rendered lines results in."""

import hashlib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from frontend.changes.shown_comments import SuggestionPreview
from frontend.changes.threads import read_suggested_lines
from frontend.web.decorators import signed_in
from frontend.web.forms import parse_form_number
from frontend.web.wording import format_line_range
from registry.accounts.actor import Actor
from registry.changes import queries as changes_query
from registry.changes.models import ChangeRequest
from registry.changes.places import Place, quote_lines
from registry.changes.rendered_suggestions import place_suggestion
from registry.changes.thread_models import Thread
from registry.core.errors import Invalid, PromptuaryError
from registry.namespaces.verbs import Verb

__all__ = [
    "is_unseen_suggestion",
    "preview_suggestion",
    "read_place",
    "read_suggestion",
    "show_suggestion",
]


def preview_suggestion(actor: Actor, change: ChangeRequest, place: Place, suggestion: str) -> SuggestionPreview:
    """Render the suggestion's result; a refusal is returned as its message."""
    try:
        source, text = place_suggestion(actor, change, place, suggestion)
        _, quote = quote_lines(actor, change, source)
    except Invalid as error:
        return SuggestionPreview(refusal=" ".join(error.fields.values()) or error.message)
    except PromptuaryError as error:
        return SuggestionPreview(refusal=error.message)
    where = gettext("source {lines}").format(lines=format_line_range(source.line, source.last_line))
    key = hashlib.sha256(f"{source.version}:{source.line}:{source.last_line}:{text}".encode()).hexdigest()[:16]
    return SuggestionPreview(where, read_suggested_lines(quote, text or "", source.line), key)


@signed_in
@require_POST
def show_suggestion(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The part of the form that shows what a suggestion on rendered lines results in; empty while it is unchanged."""
    change = changes_query.find_change(actor, Verb.COMMENT, number)
    suggestion, place = read_suggestion(request), read_place(request)
    preview = None
    if place.side == Thread.RENDERED and suggestion != read_suggestion(request, "was"):
        preview = preview_suggestion(actor, change, place, suggestion)
    return render(request, "frontend/changes/_suggestion_preview.html", {"preview": preview})


def is_unseen_suggestion(request: HttpRequest, actor: Actor, number: int) -> bool:
    """Whether a form posts a suggestion on rendered lines whose source lines its author hasn't seen.

    A refused suggestion counts as seen, because the action itself reports the reason.
    """
    if request.POST.get("side") != Thread.RENDERED:
        return False
    suggestion = read_suggestion(request)
    is_emptied = request.POST.get("do") == "thread" and not suggestion  # a comment without a suggestion
    if suggestion == read_suggestion(request, "was") or is_emptied:
        return False
    change = changes_query.find_change(actor, Verb.COMMENT, number)
    preview = preview_suggestion(actor, change, read_place(request), suggestion)
    return not preview.refusal and preview.difference_digest != request.POST.get("seen")


def read_place(request: HttpRequest) -> Place:
    """The lines that a form refers to; a field that isn't a number counts as 0."""
    line = parse_form_number(request.POST.get("line"))
    end_line = parse_form_number(request.POST.get("end_line")) or line
    side = request.POST.get("side", "")
    return Place(
        version=parse_form_number(request.POST.get("version")),
        line=min(line, end_line),
        end_line=max(line, end_line),
        side=side,
        sample=request.POST.get("sample", "") if side == Thread.RENDERED else "",
        part=parse_form_number(request.POST.get("part")),
    )


def read_suggestion(request: HttpRequest, name: str = "suggestion") -> str:
    """The text of a field with LF newlines."""
    return request.POST.get(name, "").replace("\r\n", "\n")
