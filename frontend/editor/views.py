"""The editor's page, which works as a plain form, and the JSON views for its script."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from frontend.editor import plain_drafts, responses, sample_rows, sample_table
from frontend.editor.actions import ActionResult, propose_version, save_text
from frontend.editor.preview import Preview, build_preview, is_long, start_preview
from frontend.editor.quick_fixes import QUICK_FIXES, apply_quick_fix
from frontend.editor.run_rows import take_run_row
from frontend.editor.state import (
    EditorState,
    keep_unsaved_text,
    load_state,
    read_posted_state,
    read_revision,
    receive_samples,
)
from frontend.web.decorators import form_page, signed_in
from frontend.web.draft_links import list_draft_links
from frontend.web.findings import translate_finding
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest
from registry.core.errors import Invalid, PromptuaryError
from registry.core.input_checks import BadJson, parse_json, parse_number
from registry.core.problem_details import find_status
from registry.templates import drafts, fragments, imports, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Draft

__all__ = ["edit_template", "preview_template", "save_or_discard_draft"]


@form_page
@signed_in
def edit_template(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The editor with the user's draft or the latest version, and the actions of its buttons."""
    draft_name = request.GET.get("draft", "")
    if request.method == "GET":
        state = load_state(actor, name, request.GET.get("sample", ""), draft_name=draft_name)
        if sample := take_run_row(actor, state, request.GET.get("row", "")):
            message = gettext("The row is the sample {sample} now. It is kept if you save; remove it under Samples.")
            messages.info(request, message.format(sample=sample))
        return _render_page(request, actor, state, started=start_preview(state) if is_long(state.document) else None)
    if request.content_type == "application/json":
        return _respond_as_json(lambda: _run_action_as_json(request, actor, name))
    fields = plain_drafts.read_form(request.POST)
    if newer := plain_drafts.find_newer_draft(actor, name, draft_name, fields):
        return _render_page(request, actor, *newer)
    if str(fields.get("do", "")).partition(":")[0] in plain_drafts.ACTIONS:
        address, state, result = plain_drafts.run_draft_action(request, actor, name, fields)
        return redirect(address) if address else _render_page(request, actor, state, result)
    if _is_quick_fix(fields):
        state, result = _fix_in_draft(request, actor, name, draft_name, fields)
        return _render_page(request, actor, state, result)
    state, result = _run_action(actor, name, draft_name, fields)
    if result and result.kind == "saved":
        state = load_state(actor, name, state.sample, draft_name=draft_name)
    return _render_page(request, actor, state, result, with_diff=fields.get("do") == "review")


@require_POST
@signed_in
def preview_template(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The preview of the posted text, as JSON with HTML fragments; nothing is stored."""

    def answer() -> tuple[dict[str, Any], int]:
        fields = _read_json(request)
        if fields.get("want") == "fragments":
            return {"fragments": responses.list_fragment_choices(fragments.list_text_fragments(actor))}, 200
        if fields.get("want") == "pasted":
            text = str(fields.get("text", ""))
            pasted = imports.read_pasted_prompt(actor=actor, namespace=name.partition("/")[0], text=text)
            return {"pasted": responses.build_pasted_response(pasted)}, 200
        state = read_posted_state(actor, name, fields, request.GET.get("draft", ""))
        if fields.get("want") == "diff":
            return {"diff": _diff_fragment(request, actor, state, str(fields.get("against") or ""))}, 200
        if fields.get("want") == "rows":
            return sample_rows.offer_rows(actor, state, fields), 200
        if fields.get("want") == "samples":
            return {"samples": _render_samples(request, actor, state)}, 200
        return responses.build_preview_response(request, state, build_preview(actor, state)), 200

    return _respond_as_json(answer)


@require_http_methods(["PUT", "DELETE"])
@signed_in
def save_or_discard_draft(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Save the text as the user's draft, or discard the draft."""

    def answer() -> tuple[dict[str, Any], int]:
        namespace, _, path = name.partition("/")
        draft_name = request.GET.get("draft", "")
        if request.method == "DELETE":
            drafts.discard_draft(actor=actor, namespace=namespace, path=path, name=draft_name)
            return {}, 200
        try:
            return responses.build_draft_response(_store_sent_draft(actor, name, draft_name, _read_json(request))), 200
        except drafts.NewerDraft as error:
            return responses.build_newer_draft_response(error.draft), 409

    return _respond_as_json(answer)


def _store_sent_draft(actor: Actor, name: str, draft_name: str, fields: Mapping[str, Any]) -> Draft | None:
    """Save a draft sent by a script; None if it equals the saved version, so that no empty draft remains."""
    namespace, _, path = name.partition("/")
    revision = read_revision(fields)
    stored = drafts.save_draft(
        actor=actor,
        namespace=namespace,
        path=path,
        document=str(fields.get("document", "")),
        samples=json.dumps(receive_samples(fields), ensure_ascii=False),
        base=_read_version(fields["base"]) if fields.get("base") else None,
        message=str(fields.get("message", "")),
        revision=revision,
        name=draft_name,
    )
    if load_state(actor, name, draft_name=draft_name).draft is None:
        drafts.forget_draft(stored)
        return None
    return stored


def _is_quick_fix(fields: Mapping[str, Any]) -> bool:
    return str(fields.get("do", "")).partition(":")[0] in QUICK_FIXES


def _perform_quick_fix(actor: Actor, name: str, draft_name: str, fields: Mapping[str, Any]) -> tuple[EditorState, str]:
    state = read_posted_state(actor, name, fields, draft_name)
    verb, _, subject = str(fields["do"]).partition(":")
    return state, apply_quick_fix(actor, state, verb, subject, fields)


def _fix_in_draft(
    request: HttpRequest, actor: Actor, name: str, draft_name: str, fields: Mapping[str, Any]
) -> tuple[EditorState, ActionResult | None]:
    """A quick fix in a plain form: its result, including samples, is saved in the draft, and the page reports it."""
    try:
        state, sentence = _perform_quick_fix(actor, name, draft_name, fields)
        plain_drafts.store_draft(actor, state)
    except Invalid as error:
        return keep_unsaved_text(actor, name, fields, draft_name), ActionResult("refused", 422, error=error)
    messages.success(request, sentence)
    return state, None


def _run_action_as_json(request: HttpRequest, actor: Actor, name: str) -> tuple[dict[str, Any], int]:
    fields, draft_name = _read_json(request), request.GET.get("draft", "")
    if _is_quick_fix(fields):
        return responses.build_quick_fix_response(*_perform_quick_fix(actor, name, draft_name, fields)), 200
    revision = read_revision(fields)
    written = template_queries.find_draft(actor, name, draft_name)
    is_save = str(fields.get("do", "")).partition(":")[0] in ("save", "parallel", "onto")
    if is_save and revision is not None and written is not None and written.revision != revision:
        # A save ends the draft, so a draft written elsewhere must be shown first.
        return responses.build_newer_draft_response(written), 409
    state, result = _run_action(actor, name, draft_name, fields)
    return responses.build_action_response(request, state, result), result.status if result else 200


def _run_action(
    actor: Actor, name: str, draft_name: str, fields: Mapping[str, Any]
) -> tuple[EditorState, ActionResult | None]:
    """The posted state, and the result of the button; `check`, `preview` and `review` change nothing."""
    try:
        state = read_posted_state(actor, name, fields, draft_name)
        return state, _dispatch(actor, state, str(fields.get("do", "check")))
    except Invalid as error:
        return keep_unsaved_text(actor, name, fields, draft_name), ActionResult("refused", 422, error=error)


def _dispatch(actor: Actor, state: EditorState, action: str) -> ActionResult | None:
    verb, _, argument = action.partition(":")
    if verb == "save":
        return save_text(actor, state)
    if verb == "parallel":
        return save_text(actor, state, parallel=True)
    if verb == "onto":
        return save_text(actor, state, onto=argument)
    if verb == "propose":
        label, _, number = argument.rpartition(":")
        return propose_version(actor, state, label, _read_version(number))
    return None


def _render_page(
    request: HttpRequest,
    actor: Actor,
    state: EditorState,
    result: ActionResult | None = None,
    *,
    with_diff: bool = False,
    started: Preview | None = None,
) -> HttpResponse:
    """started: the preview to show, if it is not to be made for the page."""
    text_preview = started or build_preview(actor, state)
    context = {
        **responses.build_fragment_context(state, text_preview),
        "setup": responses.build_script_data(state, text_preview),
        "crumbs": build_breadcrumbs(state.name),
        "result": result,
        "overlaps": _list_overlaps(actor, state),
        "drafts": list_draft_links(actor, state.name),
        "source": responses.build_source_diff(state.base.remaining if state.base else "", state.document)
        if with_diff
        else None,
        "section": "templates",
        "view": view if (view := request.GET.get("view")) in ("run", "samples") else "edit",
    }
    return render_page(request, "editor/editor.html", context, status=result.status if result else 200)


def _list_overlaps(actor: Actor, state: EditorState) -> list[ChangeRequest]:
    """Open changes of the same template, which an author should know of before writing."""
    if not state.template:
        return []
    return change_queries.list_changes(actor, state="pending", template=state.name, limit=3).items


def _diff_fragment(request: HttpRequest, actor: Actor, state: EditorState, against: str) -> str:
    """The diff of the text against the version it is based on, or against another version."""
    version = version_queries.get_version(actor, state.name, _read_version(against)) if against else state.base
    source = responses.build_source_diff(version.remaining if version else "", state.document)
    return render_to_string("frontend/diff/_diff_source.html", {"source": source}, request)


def _render_samples(request: HttpRequest, actor: Actor, state: EditorState) -> str:
    """The fragment with the values of each sample and the text rendered on it: its tokens, and the sample with the
    most.
    """
    context = {"table": sample_table.build_sample_table(actor, state), "state": state}
    return render_to_string("frontend/editor/_editor_samples.html", context, request)


def _read_version(text: object) -> int:
    version = parse_number(str(text))
    if version is None:
        raise Invalid(fields={"version": gettext("{text} is not a version number.").format(text=repr(str(text)[:20]))})
    return version


def _respond_as_json(answer: Callable[[], tuple[dict[str, Any], int]]) -> JsonResponse:
    """The response, or its refusal as a sentence, which the script shows in place."""
    try:
        body, status = answer()
    except PromptuaryError as error:
        body, status = {"error": translate_finding(str(error))}, find_status(error)
    return JsonResponse(body, status=status, headers={"Cache-Control": "private, no-store"})  # no text: a header


def _read_json(request: HttpRequest) -> Mapping[str, Any]:
    try:
        fields = parse_json(request.body)
    except BadJson as error:
        raise Invalid(error.message) from error
    if not isinstance(fields, dict):
        raise Invalid(gettext("The body must be one JSON object."))
    return fields
