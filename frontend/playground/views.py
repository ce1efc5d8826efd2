"""Views of the playground, JSON for the editor's script: starting and stopping runs, the history, and using replies.

Refusals are problem documents (`registry.core.problem_details`): `detail` is the message, `fields` names each field.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from frontend.web.decorators import signed_in
from frontend.web.draft_links import build_draft_url
from frontend.web.findings import translate_fields, translate_finding
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound, PromptuaryError, ProofRequired
from registry.core.input_checks import BadJson, check_text, parse_json
from registry.core.problem_details import CONTENT_TYPE, Problem, describe_error
from registry.playground import queries, row_plans, services
from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.playground.serializers import (
    describe_choices,
    describe_column,
    describe_row_plan,
    describe_run,
    translate_faults,
)
from registry.templates.models import Draft

__all__ = [
    "add_row",
    "list_history",
    "plan_rows",
    "restore_draft",
    "save_sample",
    "show_choices",
    "start_run",
    "stop_reply",
]


@require_POST
@signed_in
def start_run(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Render the posted columns and store the run; the page then opens a stream for each column."""

    def answer() -> tuple[dict[str, Any], int]:
        fields = _read_object(request)
        run = services.start_playground_run(
            actor=actor,
            name=name,
            columns=fields.get("columns", []),
            inputs=fields.get("inputs", {}),
            sample=fields.get("sample") or "",
            dataset=check_text("dataset", fields.get("dataset") or "", 600),
        )
        return _describe_run(run), 201

    return _answer_json(answer)


@require_POST
@signed_in
def plan_rows(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The rows of a dataset that a run would use, and its estimated cost; nothing is run or stored."""

    def answer() -> tuple[dict[str, Any], int]:
        fields = _read_object(request)
        plan = row_plans.plan_rows(
            actor=actor,
            name=name,
            columns=fields.get("columns", []),
            dataset=check_text("dataset", fields.get("dataset") or "", 600),
            pick=check_text("pick", fields.get("pick") or "first", 20),
            tag=check_text("tag", fields.get("tag") or "", 40),
        )
        url = reverse("dataset", args=[plan.dataset])
        return {**describe_row_plan(plan), "url": url}, 200

    return _answer_json(answer)


@require_POST
@signed_in
def stop_reply(_request: HttpRequest, actor: Actor, name: str, column_id: int) -> HttpResponse:
    """Stop the reply of a column."""

    def answer() -> tuple[dict[str, Any], int]:
        _find_column(actor, name, column_id)
        column = services.stop_column(actor=actor, column_id=column_id)
        return translate_faults(describe_column(column), translate_finding), 200

    return _answer_json(answer)


@require_safe
@signed_in
def list_history(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The user's earlier runs of the template, newest first."""

    def answer() -> tuple[dict[str, Any], int]:
        page = queries.list_own_runs(actor, name, request.GET.get("before"))
        return {"runs": [_describe_run(run) for run in page.items], "next": page.next}, 200

    return _answer_json(answer)


@require_safe
@signed_in
def show_choices(_request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The options of a run: models, sources, and the remaining budget."""

    def answer() -> tuple[dict[str, Any], int]:
        choices = describe_choices(queries.list_choices(actor, name))
        return {**choices, "connect_url": reverse("connections", args=[name.partition("/")[0]])}, 200

    return _answer_json(answer)


@require_POST
@signed_in
def save_sample(request: HttpRequest, actor: Actor, name: str, column_id: int) -> HttpResponse:
    """Add the inputs of a column to the samples of the draft."""

    def answer() -> tuple[dict[str, Any], int]:
        _find_column(actor, name, column_id)
        fields = _read_object(request)
        sample = fields.get("name", "")
        draft = services.save_inputs_as_sample(
            actor=actor, column_id=column_id, sample=sample, draft_name=fields.get("draft", "")
        )
        return {"title": str(sample).strip(), "url": build_draft_url(name, draft.name), **_describe_draft(draft)}, 200

    return _answer_json(answer)


@require_POST
@signed_in
def add_row(request: HttpRequest, actor: Actor, name: str, column_id: int) -> HttpResponse:
    """Add the inputs and the reply of a column to a dataset."""

    def answer() -> tuple[dict[str, Any], int]:
        _find_column(actor, name, column_id)
        fields = _read_object(request)
        saved = services.add_reply_as_row(
            actor=actor,
            column_id=column_id,
            dataset=str(fields.get("dataset") or ""),
            new_dataset=str(fields.get("new_dataset") or ""),
            row_name=fields.get("name") or "",
            expected=fields.get("expected"),
            tags=_read_tags(fields.get("tags")),
        )
        url = f"{reverse('dataset', args=[saved.dataset.name])}?{urlencode({'for': name})}"
        return {"title": f"{saved.dataset.path} v{saved.version.number}", "url": url}, 200

    return _answer_json(answer)


@require_POST
@signed_in
def restore_draft(request: HttpRequest, actor: Actor, name: str, run_id: int) -> HttpResponse:
    """Restore the text of a run as the draft."""

    def answer() -> tuple[dict[str, Any], int]:
        if queries.find_own_run(actor, run_id).name != name:
            raise NotFound(gettext("{name} has no run {number} of yours.").format(name=name, number=run_id))
        draft_name = _read_object(request).get("draft", "")
        draft = services.restore_draft_of_run(actor=actor, run_id=run_id, draft_name=draft_name)
        return {"url": build_draft_url(name, draft.name), "document": draft.document, **_describe_draft(draft)}, 200

    return _answer_json(answer)


def _describe_run(run: PlaygroundRun) -> dict[str, Any]:
    """The run with its errors in the language of the page."""
    described = describe_run(run)
    return {**described, "columns": [translate_faults(column, translate_finding) for column in described["columns"]]}


def _find_column(actor: Actor, name: str, column_id: int) -> PlaygroundColumn:
    column = queries.find_own_column(actor, column_id)
    if column.run.name != name:
        raise NotFound(gettext("{name} has no column {number} of yours.").format(name=name, number=column_id))
    return column


def _describe_draft(draft: Draft) -> dict[str, Any]:
    """What a page that shows the draft needs after the server saved it."""
    return {"revision": draft.revision, "saved_at": int(draft.updated_at.timestamp() * 1000)}


def _read_tags(tags: Any) -> list[str]:
    """Tags separated by commas, or a list of them."""
    listed = tags.split(",") if isinstance(tags, str) else tags or []
    if not isinstance(listed, list) or not all(isinstance(tag, str) for tag in listed):
        raise Invalid(fields={"tags": gettext("texts separated by commas.")})
    return [tag.strip() for tag in listed if tag.strip()]


def _read_object(request: HttpRequest) -> Mapping[str, Any]:
    try:
        fields = parse_json(request.body)
    except BadJson as error:
        raise Invalid(error.message) from error
    if not isinstance(fields, dict):
        raise Invalid(gettext("The body must be one JSON object."))
    return fields


def _answer_json(answer: Callable[[], tuple[dict[str, Any], int]]) -> HttpResponse:
    """The response, or its refusal as a problem document, which the script shows in place."""
    headers = {"Cache-Control": "private, no-store"}
    try:
        body, status = answer()
    except ProofRequired:
        raise
    except PromptuaryError as error:
        problem = _translate_refusal(describe_error(error))
        return HttpResponse(
            problem.to_bytes(), status=problem.status, content_type=CONTENT_TYPE, headers={**headers, **problem.headers}
        )
    return JsonResponse(body, status=status, headers=headers)


def _translate_refusal(problem: Problem) -> Problem:
    fields = problem.extra.get("fields")
    extra = {**problem.extra, "fields": translate_fields(fields)} if fields else problem.extra
    return replace(problem, detail=translate_finding(problem.detail), extra=extra)
