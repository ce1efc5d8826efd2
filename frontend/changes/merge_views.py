"""The page that merges a label's version into a change request that was created in parallel."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.changes import merge_form
from frontend.changes.presenters import write_title
from frontend.diff import versions
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import render_page
from promptuary.renderer.problems import Problem, select_errors
from registry.accounts.actor import Actor
from registry.changes import gate
from registry.changes import merge as change_merge
from registry.changes import queries as change_queries
from registry.changes.merge import MergePreview
from registry.changes.models import ChangeRequest
from registry.core.errors import Invalid, PromptuaryError
from registry.core.problem_details import find_status
from registry.namespaces.verbs import Verb
from registry.templates import document_check, version_queries

__all__ = ["merge_change"]


@form_page
@signed_in
def merge_change(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The merge of one request. `do` selects whether a POST previews or saves the result."""
    change = change_queries.find_change(actor, Verb.SAVE, number)
    change.version = version_queries.get_version(actor, change.template.name, change.version.number)
    preview = change_merge.preview_merge(change) if change.is_open else None
    refusal: PromptuaryError | None = None
    do = request.POST.get("do", "")
    answers = merge_form.read_conflict_forms(preview.merged, request.POST.dict(), must=bool(do)) if preview else []
    document = merge_form.resolve_text(preview.merged, answers) if preview else None
    if do == "merge":
        try:
            _save(request, actor, change, document)
        except PromptuaryError as error:
            refusal = error
        else:
            messages.success(
                request,
                gettext("Merged as the next version, which is proposed now. Earlier approvals are outdated."),
                extra_tags=f"{actor.person.username}:merge:{number}",
            )
            return redirect("change", number)
    context = {
        "section": "changes",
        "change": change,
        "title": write_title(change),
        "merge": preview,
        "superseded": gate.evaluate(change, actor, with_checks=False).find_blocker("superseded")
        if preview is None
        else None,
        "conflict_forms": answers,
        "shown_conflicts": answers[: merge_form.LIMIT],
        "open_count": sum(not answer.way for answer in answers),
        "unclaimed": merge_form.list_unclaimed_texts(answers, request.POST.dict()),
        "message": request.POST.get("message", ""),
        "refusal": refusal,
        "newest": change.template.latest.number if change.template.latest else change.version.number,
        **(_build_result(actor, change, preview, document) if preview and document is not None else {}),
    }
    undecided = do == "look" and document is None
    status = find_status(refusal) if refusal else 422 if undecided else 200
    return render_page(request, "changes/merge.html", context, status=status)


def _save(request: HttpRequest, actor: Actor, change: ChangeRequest, document: str | None) -> None:
    if document is None:
        raise Invalid(
            fields={
                "conflicts": gettext("decide each conflict first: nothing was saved, and what you chose is kept here.")
            }
        )
    change_merge.merge_change(
        actor=actor,
        number=change.number,
        document=document,
        message=request.POST.get("message", ""),
        expected=(request.POST.get("head", ""), request.POST.get("held", "")),
    )


def _build_result(actor: Actor, change: ChangeRequest, preview: MergePreview, document: str) -> dict[str, Any]:
    """The result to save: its difference to the label's version and to the head, and its problems."""
    problems = _find_problems(actor, change, document)
    return {
        "document": document,
        "for_label": versions.compare_texts(preview.served.document, document),
        "for_head": versions.compare_texts(preview.head.document, document),
        "problems": problems,
        "errors": select_errors(problems),
    }


def _find_problems(actor: Actor, change: ChangeRequest, document: str) -> list[Problem]:
    sample_set = change.template.current_samples()
    try:
        return document_check.list_problems(
            actor=actor,
            document=document,
            samples=sample_set.samples if sample_set else None,
            template=change.template.name,
        )
    except PromptuaryError as error:  # too large, or no worker free to check it
        problems = error.problems if isinstance(error, Invalid) else None
        return problems or [Problem("PT701", "error", error.message, 1, 1)]
