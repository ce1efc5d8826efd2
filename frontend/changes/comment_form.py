"""The form of a comment alone, for a line that is chosen on an open diff: the diff itself is not made again."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from frontend.changes import presenters
from frontend.changes.shown_comments import OpenCommentForm
from frontend.changes.threads import View, fill_form
from frontend.diff import samples
from registry.accounts.actor import Actor
from registry.changes import gate as change_gate
from registry.changes import queries as changes_query
from registry.changes import thread_queries
from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Thread

__all__ = ["FORM_PLACE", "show_comment_form"]

FORM_PLACE = "comment-form-place"
"""The id of the element below the line, which the script makes and htmx replaces with the form."""


def show_comment_form(request: HttpRequest, actor: Actor, number: int, form: OpenCommentForm | None) -> HttpResponse:
    """The form for the chosen lines; if the person may not comment any more, the page is loaded again."""
    change = changes_query.get_change(actor, number)
    change.version.template = change.template
    act = presenters.find_permitted_actions(change_gate.evaluate(change, actor), actor)
    if form is None or not act.comment:
        response = HttpResponse(status=204)
        response["HX-Refresh"] = "true"
        return response
    sample = request.GET.get("sample", "")
    parameters = {"against": request.GET["against"]} if request.GET.get("against") else {}
    parts = _render_parts(change, sample) if form.side == Thread.RENDERED else ()
    context = {
        "change": change,
        "keep_prefix": f"{actor.person.username}:change:{number}:",
        "discussion": {
            "open_form": fill_form(change, form, thread_queries.list_remarks(change, actor), sample, parts),
            "back": View(request.GET.get("view") or form.side, sample, parameters).build_query(),
        },
    }
    response = TemplateResponse(request, "frontend/changes/_thread_form.html", context)
    response["Cache-Control"] = "private, no-store"
    return response


def _render_parts(change: ChangeRequest, sample: str) -> Sequence[Mapping[str, Any]]:
    """The parts of the proposed version on the sample, stored since the diff was shown; empty if it has none."""
    sample_set = change.template.current_samples()
    data = sample_set.samples.get(sample) if sample_set else None
    return () if data is None else samples.compare_samples(None, change.version, {sample: data})[0].new.parts
