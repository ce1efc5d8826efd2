"""Drafts in the editor's plain form, which works without scripts and never overwrites a text that nobody has seen."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext

from frontend.editor.actions import ActionResult
from frontend.editor.state import EditorState, keep_unsaved_text, load_state, read_posted_state, read_samples
from frontend.web.draft_links import build_draft_url
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, PromptuaryError
from registry.core.input_checks import parse_number
from registry.core.problem_details import find_status
from registry.templates import drafts
from registry.templates.models import Draft

__all__ = ["ACTIONS", "find_newer_draft", "read_form", "run_draft_action", "store_draft"]

# These neither change nor save a draft.
_HARMLESS = ("check", "preview", "review", "propose")


def read_form(sent: QueryDict) -> dict[str, Any]:
    """The fields of the form, with the revision of the draft as a number."""
    fields: dict[str, Any] = sent.dict()
    number = parse_number(str(fields.get("revision", "")))
    return fields | ({"revision": number} if number is not None else {})


def find_newer_draft(
    actor: Actor, name: str, draft_name: str, fields: Mapping[str, Any]
) -> tuple[EditorState, ActionResult] | None:
    """The page with the typed text and the available choices, if the action would end or replace a draft that was
    written elsewhere since the page was rendered; else None.
    """
    if "revision" not in fields or _read_verb(fields) in (*_HARMLESS, "discard", "use-newer", "use-mine"):
        return None
    state = _read_state(actor, name, draft_name, fields)
    draft = _find_newer(state)
    return (state, ActionResult("newer-draft", 409, newer_draft=draft)) if draft else None


def _find_newer(state: EditorState) -> Draft | None:
    """The draft, if another text was written to it since the page was rendered; an invalid revision counts as old."""
    draft = state.draft
    if draft is None or draft.revision == state.revision:
        return None
    stored = (draft.document, draft.message, read_samples(draft.samples, state.kept_samples))
    return None if stored == (state.document, state.message, state.samples) else draft


def run_draft_action(
    request: HttpRequest, actor: Actor, name: str, fields: Mapping[str, Any]
) -> tuple[str, EditorState, ActionResult | None]:
    """Run a button that changes the current draft: the URL to continue at, or the page with the refusal."""
    state = _read_state(actor, name, request.GET.get("draft", ""), fields)
    try:
        return ACTIONS[_read_verb(fields)](request, actor, state), state, None
    except PromptuaryError as error:
        return "", state, ActionResult("refused", find_status(error), error=error)


def store_draft(actor: Actor, state: EditorState) -> None:
    """Store the text, its samples and its message as the actor's draft."""
    state.draft = drafts.save_draft(
        actor=actor,
        namespace=state.namespace.name,
        path=state.path,
        document=state.document,
        samples=json.dumps(state.samples, ensure_ascii=False),
        base=state.base.number if state.base else None,
        message=state.message,
        name=state.draft_name,
    )
    state.revision = state.draft.revision


def _read_verb(fields: Mapping[str, Any]) -> str:
    return str(fields.get("do", "check")).partition(":")[0]


def _read_state(actor: Actor, name: str, draft_name: str, fields: Mapping[str, Any]) -> EditorState:
    """The posted state, without the values if they aren't valid JSON."""
    try:
        return read_posted_state(actor, name, fields, draft_name)
    except Invalid:
        return keep_unsaved_text(actor, name, fields, draft_name)


def _store_typed_text(actor: Actor, state: EditorState) -> None:
    """Save what was typed since the page was rendered, so that it can be restored like every draft."""
    stored = load_state(actor, state.name, draft_name=state.draft_name)
    if (state.document, state.message, state.samples) != (stored.document, stored.message, stored.samples):
        store_draft(actor, state)


def _discard(request: HttpRequest, actor: Actor, state: EditorState) -> str:
    """Discard the draft; the editor then offers to restore it. A draft that was written elsewhere since the page was
    rendered is discarded too, and each of the two texts can be restored.
    """
    newer = _find_newer(state) if "revision" in request.POST else None
    if newer is None:
        _store_typed_text(actor, state)
    drafts.discard_draft(actor=actor, namespace=state.namespace.name, path=state.path, name=state.draft_name)
    if newer is None:
        message = gettext("Draft discarded. You can restore it for 30 days.")
    else:
        _set_typed_text_aside(newer, state)
        message = gettext(
            "Your text and the newer draft are discarded. You can restore each of them under “All drafts” for 30 days."
        )
    messages.success(request, message)
    return build_draft_url(state.name)


def _restore(request: HttpRequest, actor: Actor, state: EditorState) -> str:
    """Restore the discarded draft; text typed meanwhile can be restored in turn."""
    _store_typed_text(actor, state)
    draft_name = request.POST["do"].partition(":")[2]
    drafts.restore_draft(actor=actor, namespace=state.namespace.name, path=state.path, name=draft_name)
    messages.success(request, gettext("Draft restored."))
    return build_draft_url(state.name, draft_name)


def _use_newer(request: HttpRequest, actor: Actor, state: EditorState) -> str:
    """Switch to the draft that was written elsewhere; the typed text can be restored."""
    if state.draft is None:
        store_draft(actor, state)
        return build_draft_url(state.name, state.draft_name)
    _set_typed_text_aside(state.draft, state)
    messages.success(request, gettext("The newer draft is shown. You can restore your text for 30 days."))
    return build_draft_url(state.name, state.draft_name)


def _set_typed_text_aside(draft: Draft, state: EditorState) -> None:
    samples = json.dumps(state.samples, ensure_ascii=False)
    drafts.set_text_aside(draft, document=state.document, samples=samples, message=state.message, base=state.base)


def _use_mine(request: HttpRequest, actor: Actor, state: EditorState) -> str:
    """Make the typed text the draft; the draft that was written elsewhere can be restored."""
    if state.draft:
        drafts.set_text_aside(state.draft)
    store_draft(actor, state)
    messages.success(request, gettext("Your text is the draft now. You can restore the other one for 30 days."))
    return build_draft_url(state.name, state.draft_name)


ACTIONS: Mapping[str, Callable[[HttpRequest, Actor, EditorState], str]] = {
    "discard": _discard,
    "restore-draft": _restore,
    "use-newer": _use_newer,
    "use-mine": _use_mine,
}
