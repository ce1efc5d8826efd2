"""JSON responses for the editor's script, with HTML fragments in them, and its initial data."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from frontend.diff import text
from frontend.editor.actions import ActionResult
from frontend.editor.example_documents import EXAMPLES
from frontend.editor.notices import KINDS
from frontend.editor.preview import Preview
from frontend.editor.sample_edits import Samples
from frontend.editor.state import EditorState, read_samples
from frontend.web.draft_links import build_draft_url, run_address
from frontend.web.findings import translate_finding, translate_problem
from promptuary.renderer.document import parser as documents
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.interop.pasted import PastedPrompt
from promptuary.renderer.jinja.operators import FILTERS
from promptuary.renderer.problems import Problem
from registry.connections.endpoint import ECHO
from registry.connections.queries import list_endpoints
from registry.core.errors import Conflict
from registry.namespaces.queries import choose_live_label
from registry.templates.models import Draft, Template, Version
from registry.usage import queries as usage_queries

__all__ = [
    "build_action_response",
    "build_fragment_context",
    "build_pasted_response",
    "build_preview_response",
    "build_quick_fix_response",
    "build_script_data",
    "build_source_diff",
]

# For completion; the two one-letter names are aliases that are hard to read.
FILTER_NAMES = sorted({*FILTERS, *FUNCTIONS} - {"d", "e"})


def build_fragment_context(state: EditorState, preview: Preview) -> dict[str, Any]:
    """The context of the editor's fragments, both on the page and in a response to the script."""
    kinds = [(kind, words) for kind, (words, _) in KINDS.items()]
    edit_address = build_draft_url(state.name, state.draft_name)
    return {
        "preview": preview,
        "budget": preview.budget,
        "state": state,
        "kinds": kinds,
        "edit_address": edit_address,
        "run_address": run_address(edit_address),
    }


def build_script_data(state: EditorState, preview: Preview) -> dict[str, Any]:
    """The script's initial data."""
    return {
        "name": state.name,
        "draftName": state.draft_name,
        "base": _describe_version(state.base),
        **_pack_samples(state.samples),
        "savedSamples": state.kept_samples,
        "sample": state.sample,
        "data": state.data,
        "inputs": dict(preview.inputs or {}),
        "baseInputs": _read_base_inputs(state),
        "services": _list_services(state),
        "undeclared": preview.undeclared,
        "problems": _describe_problems(preview.problems),
        "call": _call_facts(preview),
        "parts": _list_part_sizes(preview),
        "models": _list_model_names(state),
        "rendered": preview.stopped is None and not preview.pending,
        "isPending": preview.pending,
        "standIn": preview.stand_in,
        # An example's text is meant to be overwritten; any other text isn't.
        "isExample": any(state.document == example.document for example in EXAMPLES.values()),
        "draftSavedAt": int(state.draft.updated_at.timestamp() * 1000) if state.draft else None,
        "draftRevision": state.page_revision,
        "filters": FILTER_NAMES,
        "functions": {name: function.signature for name, function in FUNCTIONS.items()},
        "labels": {"live": choose_live_label(state.namespace), "protected": list(state.namespace.protected_labels)},
        "urls": _list_page_addresses(state),
    }


def build_draft_response(draft: Draft | None) -> dict[str, Any]:
    """The draft as just saved, for the script; None if nothing had to be saved."""
    saved_at = int(draft.updated_at.timestamp() * 1000) if draft else None
    return {"saved_at": saved_at, "revision": draft.revision if draft else 0}


def build_newer_draft_response(draft: Draft | None) -> dict[str, Any]:
    """The draft that was written elsewhere, with its text; `newer` is an empty object if it no longer exists."""
    if draft is None:
        return {"newer": {}}
    return {
        "newer": {
            **build_draft_response(draft),
            "document": draft.document,
            **_pack_samples(read_samples(draft.samples, {})),
        }
    }


def list_fragment_choices(templates: Iterable[Template]) -> list[dict[str, str]]:
    """Templates that can be inserted into a text: the ref that pins their latest version, and their description."""
    return [
        {"ref": f"{template.name}@{template.latest.number}", "description": template.description}
        for template in templates
        if template.latest is not None
    ]


def build_pasted_response(pasted: PastedPrompt | None) -> dict[str, Any] | None:
    """How pasted text could be converted, with messages in the language of the page."""
    if pasted is None:
        return None
    sentences = [translate_finding(difference) for difference in pasted.differences]
    return {
        **pasted.to_dict(),
        "title": translate_finding(pasted.title),
        "reason": translate_finding(pasted.reason),
        "differences": sentences,
        "part_names": pasted.part_names,
    }


def build_source_diff(old: str, new: str) -> dict[str, Any]:
    """The diff of two documents, for `_diff_source.html`."""
    lines, counts = text.build_folded_diff(old, new)
    return {"lines": lines, "counts": counts}


def build_preview_response(request: HttpRequest, state: EditorState, preview: Preview) -> dict[str, Any]:
    """The preview for the script."""
    context = build_fragment_context(state, preview)
    stopped = translate_problem(preview.stopped) if preview.stopped else None
    return {
        "problems": _describe_problems(preview.problems),
        "rendered": stopped is None,
        "standIn": preview.stand_in,
        "preview": render_to_string("frontend/editor/_editor_preview.html", context, request),
        "budget": _render_budget(preview, context, request),
        "summary": render_to_string("frontend/editor/_editor_summary.html", context, request),
        "tokens": render_to_string("frontend/editor/_sample_tokens.html", context, request),
        "stopped": f"{stopped.message} {stopped.code}" if stopped else "",
        "stoppedAt": {"line": stopped.line, "column": stopped.column} if stopped else None,
        "inputs": None if preview.inputs is None else dict(preview.inputs),
        "undeclared": preview.undeclared,
        # The script fills in the values. Including them would redraw the table on every keystroke.
        "notices": render_to_string("frontend/editor/_notices.html", {**context, "is_swapped": True}, request),
        "placeholders": preview.placeholders,
        "spentSamples": preview.spent_samples,
        "call": _call_facts(preview),
        "parts": _list_part_sizes(preview),
    }


def build_quick_fix_response(state: EditorState, sentence: str) -> dict[str, Any]:
    """The text and samples after a quick fix, and the message about it, for the script."""
    samples = _pack_samples(state.samples)
    return {"document": state.document, **samples, "sample": state.sample, "status": sentence}


def build_action_response(request: HttpRequest, state: EditorState, result: ActionResult | None) -> dict[str, Any]:
    """The result of an action for the script."""
    problems = result.problems if result else None
    saved = result.version if result and result.kind == "saved" else None
    return {
        "html": render_to_string("frontend/editor/_editor_outcome.html", {"result": result, "state": state}, request),
        "problems": None if problems is None else _describe_problems(problems),
        "saved": _describe_version(saved),
    }


def _pack_samples(samples: Samples) -> dict[str, Any]:
    """The samples for a script: their order is sent separately, because objects sort whole-number keys first."""
    return {"samples": samples, "sampleOrder": list(samples)}


def _describe_problems(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Problems for the script, in the language of the page."""
    return [translate_problem(problem).to_dict() for problem in problems]


def _list_page_addresses(state: EditorState) -> dict[str, str]:
    """The URLs that the script requests or opens."""
    place = {"in": state.namespace.name, "for": state.name}
    return {
        **{name: build_draft_url(state.name, state.draft_name, name) for name in ("edit", "preview", "draft")},
        "startDraft": reverse("start-draft", args=[state.name]),
        "run": reverse("playground-choices", args=[state.name]).removesuffix("choices"),
        "newDataset": f"{reverse('new-dataset')}?{urlencode(place)}",
        "import": f"{reverse('import')}?{urlencode({'in': state.name.rpartition('/')[0]})}",
    }


def _call_facts(preview: Preview) -> dict[str, Any]:
    """The model call of a run: its model and settings, and the tokens of its prompt (null: not counted)."""
    document = preview.document
    is_own = preview.budget is not None and preview.stopped is None
    return {
        "model": (document.model if document else None) or "",
        "settings": document.settings if document else {},
        "reserve": document.reserve if document else 0,
        "tokens": preview.budget.used if preview.budget and is_own else None,
        "hasOutput": bool(document and document.output),
        "context": preview.context,
    }


def _list_model_names(state: EditorState) -> list[str]:
    """The models that the namespace can use; empty if their list can't be read."""
    try:
        endpoints = list_endpoints(state.namespace.name)
    except Conflict:
        return []
    return sorted({endpoint.model for endpoint in endpoints if endpoint.model and endpoint.model != ECHO})


def _list_part_sizes(preview: Preview) -> list[dict[str, Any]]:
    """The tokens of each rendered part and their change; empty if the text itself wasn't rendered and counted."""
    if preview.budget is None or preview.stopped is not None:
        return []
    return [
        {"name": row.name, "tokens": row.tokens, "change": row.change}
        for row in preview.budget.rows
        if not row.is_markup
    ]


def _describe_version(version: Version | None) -> dict[str, Any] | None:
    return {"number": version.number, "digest": version.digest, "document": version.remaining} if version else None


def _read_base_inputs(state: EditorState) -> dict[str, Any]:
    """The declared inputs of the version that the text is based on."""
    document, _ = documents.inspect_document(state.base.remaining) if state.base else (None, [])
    return dict(document.inputs or {}) if document else {}


def _list_services(state: EditorState) -> list[str]:
    """Services that recently fetched by a label of the template, so that they will get what is published next."""
    callers = usage_queries.find_callers(state.template).of_label if state.template else {}
    return sorted({service for services in callers.values() for service in services})


def _render_budget(preview: Preview, context: dict[str, Any], request: HttpRequest) -> str:
    if preview.budget:
        return render_to_string("frontend/editor/_budget.html", context, request)
    return format_html('<p class="note">{}</p>', translate_finding(preview.uncounted)) if preview.uncounted else ""
