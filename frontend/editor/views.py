"""The editor: one page that works as a plain form, and what its script asks for while somebody types."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods, require_POST

from frontend.editor import responses
from frontend.editor.actions import ActionResult, propose, save
from frontend.editor.preview import build_preview, render_samples
from frontend.editor.state import EditorState, load_state, state_from_request, state_with_unsaved_text
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import breadcrumbs, show
from registry.accounts.actor import Actor
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest
from registry.core import strict_json
from registry.core.errors import Invalid, PromptuaryError
from registry.core.problem_details import status_of
from registry.templates import drafts, version_queries

__all__ = ["draft", "edit", "preview"]


@form_page
@signed_in
def edit(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The editor with the actor's draft or the latest version, and what its buttons do."""
    if request.method == "GET":
        return _page(request, actor, load_state(actor, name, request.GET.get("sample", "")))
    if request.content_type == "application/json":
        return _as_json(lambda: _answer(request, actor, name))
    sent = request.POST.dict()
    if sent.get("do") == "discard":
        return _discard(actor, name)
    desk, outcome = _do(actor, name, sent)
    if outcome and outcome.kind == "saved":
        desk = load_state(actor, name, desk.sample)
    return _page(request, actor, desk, outcome, with_diff=sent.get("do") == "review")


@require_POST
@signed_in
def preview(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """What the text on the desk says now, as JSON with the fragments that show it; nothing is stored."""

    def answer() -> tuple[dict[str, Any], int]:
        sent = _read(request)
        desk = state_from_request(actor, name, sent)
        if sent.get("want") == "diff":
            return {"diff": _diff(request, actor, desk, str(sent.get("against") or ""))}, 200
        if sent.get("want") == "samples":
            return {"samples": _samples(request, actor, desk)}, 200
        return responses.preview_response(request, desk, build_preview(actor, desk)), 200

    return _as_json(answer)


@require_http_methods(["PUT", "DELETE"])
@signed_in
def draft(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Keeps the text on the desk as the actor's draft, or throws the draft away."""

    def answer() -> tuple[dict[str, Any], int]:
        namespace, _, path = name.partition("/")
        if request.method == "DELETE":
            drafts.discard(actor=actor, namespace=namespace, path=path)
            return {}, 200
        sent = _read(request)
        kept = drafts.save(
            actor=actor,
            namespace=namespace,
            path=path,
            document=str(sent.get("document", "")),
            samples=json.dumps(sent.get("samples") or {}, ensure_ascii=False),
            base=_number(sent["base"]) if sent.get("base") else None,
            message=str(sent.get("message", "")),
        )
        return {"saved_at": int(kept.updated_at.timestamp() * 1000)}, 200

    return _as_json(answer)


def _answer(request: HttpRequest, actor: Actor, name: str) -> tuple[dict[str, Any], int]:
    desk, outcome = _do(actor, name, _read(request))
    return responses.action_response(request, desk, outcome), outcome.status if outcome else 200


def _do(actor: Actor, name: str, sent: Mapping[str, Any]) -> tuple[EditorState, ActionResult | None]:
    """Lay what was sent on the desk and do what the button says. `check`, `preview` and `review` only look."""
    try:
        desk = state_from_request(actor, name, sent)
        return desk, _act(actor, desk, str(sent.get("do", "check")))
    except Invalid as error:
        return state_with_unsaved_text(actor, name, sent), ActionResult("refused", 422, error=error)


def _act(actor: Actor, desk: EditorState, action: str) -> ActionResult | None:
    verb, _, rest = action.partition(":")
    if verb == "save":
        return save(actor, desk)
    if verb == "parallel":
        return save(actor, desk, parallel=True)
    if verb == "onto":
        return save(actor, desk, onto=rest)
    if verb == "propose":
        label, _, number = rest.rpartition(":")
        return propose(actor, desk, label, _number(number))
    return None


def _discard(actor: Actor, name: str) -> HttpResponse:
    """Throw the draft away; of a template that was never saved nothing is left then."""
    desk = load_state(actor, name)
    drafts.discard(actor=actor, namespace=desk.namespace.name, path=desk.path)
    return redirect("edit", name) if desk.template else redirect("browse")


def _page(
    request: HttpRequest,
    actor: Actor,
    desk: EditorState,
    outcome: ActionResult | None = None,
    *,
    with_diff: bool = False,
) -> HttpResponse:
    seen = build_preview(actor, desk)
    context = {
        **responses.fragment_context(desk, seen),
        "setup": responses.script_data(desk, seen),
        "crumbs": breadcrumbs(desk.name),
        "outcome": outcome,
        "overlaps": _overlaps(actor, desk),
        "source": responses.source_diff(desk.base.remaining if desk.base else "", desk.document) if with_diff else None,
        "section": "templates",
    }
    return show(request, "editor/editor.html", context, status=outcome.status if outcome else 200)


def _overlaps(actor: Actor, desk: EditorState) -> list[ChangeRequest]:
    """Open changes of the same template: worth knowing before writing."""
    return (
        change_queries.list_changes(actor, state="pending", template=desk.name, limit=3).items if desk.template else []
    )


def _diff(request: HttpRequest, actor: Actor, desk: EditorState, against: str) -> str:
    """The text against the version it was made from, or against another number."""
    other = version_queries.get(actor, desk.name, _number(against)) if against else desk.base
    source = responses.source_diff(other.remaining if other else "", desk.document)
    return render_to_string("frontend/diff/_diff_source.html", {"source": source}, request)


def _samples(request: HttpRequest, actor: Actor, desk: EditorState) -> str:
    """The text on each sample: tokens, verdict, the worst case."""
    context = {"tried": render_samples(actor, desk), "desk": desk}
    return render_to_string("frontend/editor/_editor_samples.html", context, request)


def _number(text: object) -> int:
    digits = str(text)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise Invalid(fields={"version": f"{digits[:20]!r} is no version number."})
    return int(digits)


def _as_json(answer: Callable[[], tuple[dict[str, Any], int]]) -> JsonResponse:
    """The answer, or its refusal as a sentence: the script shows it where it happened."""
    try:
        body, status = answer()
    except PromptuaryError as error:
        body, status = {"error": str(error)}, status_of(error)
    return JsonResponse(body, status=status, headers={"Cache-Control": "private, no-store"})


def _read(request: HttpRequest) -> Mapping[str, Any]:
    try:
        sent = strict_json.parse(request.body)
    except strict_json.BadJson as error:
        raise Invalid(error.message) from error
    if not isinstance(sent, dict):
        raise Invalid("The body must be one JSON object.")
    return sent
