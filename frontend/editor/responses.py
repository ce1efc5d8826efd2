"""The editor's answers: what its page starts from, and what its script is told, as plain JSON with fragments."""

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from frontend.diff import text
from frontend.editor.actions import ActionResult
from frontend.editor.preview import Preview
from frontend.editor.state import EditorState
from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.jinja.operators import FILTERS
from registry.templates.models import Version

__all__ = ["action_response", "fragment_context", "preview_response", "script_data", "source_diff"]

# Offered while typing; the two one-letter names are aliases that read badly.
FILTER_NAMES = sorted({*FILTERS, *FUNCTIONS} - {"d", "e"})


def fragment_context(desk: EditorState, seen: Preview) -> dict[str, Any]:
    """What the fragments need, on the page and in a script's answer alike."""
    return {"look": seen, "budget": seen.budget, "desk": desk}


def script_data(desk: EditorState, seen: Preview) -> dict[str, Any]:
    """What the script starts from."""
    return {
        "name": desk.name,
        "base": _base_of(desk.base),
        "samples": desk.samples,
        "sample": desk.sample,
        "data": desk.data,
        "inputs": dict(seen.inputs or {}),
        "names": seen.names,
        "problems": [problem.to_dict() for problem in seen.problems],
        "rendered": seen.stopped is None,
        "standIn": seen.stand_in,
        "draftSavedAt": int(desk.draft.updated_at.timestamp() * 1000) if desk.draft else None,
        "filters": FILTER_NAMES,
        "functions": {name: function.signature for name, function in FUNCTIONS.items()},
        "urls": {name: reverse(name, args=[desk.name]) for name in ("edit", "preview", "draft")},
    }


def source_diff(old: str, new: str) -> dict[str, Any]:
    """Two documents for `_diff_source.html`."""
    lines, counts = text.folded_diff(old, new)
    return {"lines": lines, "counts": counts}


def preview_response(request: HttpRequest, desk: EditorState, seen: Preview) -> dict[str, Any]:
    """One look, for the script."""
    context = fragment_context(desk, seen)
    stopped = seen.stopped
    return {
        "problems": [problem.to_dict() for problem in seen.problems],
        "rendered": stopped is None,
        "standIn": seen.stand_in,
        "preview": render_to_string("frontend/editor/_editor_preview.html", context, request),
        "budget": _budget(seen, context, request),
        "summary": render_to_string("frontend/editor/_editor_summary.html", context, request),
        "stopped": f"{stopped.message} {stopped.code}" if stopped else "",
        "stoppedAt": {"line": stopped.line, "column": stopped.column} if stopped else None,
        "inputs": None if seen.inputs is None else dict(seen.inputs),
        "names": seen.names,
    }


def action_response(request: HttpRequest, desk: EditorState, outcome: ActionResult | None) -> dict[str, Any]:
    """What a button came to, for the script."""
    problems = outcome.problems if outcome else None
    saved = outcome.version if outcome and outcome.kind == "saved" else None
    return {
        "html": render_to_string("frontend/editor/_editor_outcome.html", {"outcome": outcome, "desk": desk}, request),
        "problems": None if problems is None else [problem.to_dict() for problem in problems],
        "saved": _base_of(saved),
    }


def _base_of(version: Version | None) -> dict[str, Any] | None:
    return {"number": version.number, "digest": version.digest, "document": version.remaining} if version else None


def _budget(seen: Preview, context: dict[str, Any], request: HttpRequest) -> str:
    if seen.budget:
        return render_to_string("frontend/editor/_budget.html", context, request)
    return format_html('<p class="note">{}</p>', seen.uncounted) if seen.uncounted else ""
