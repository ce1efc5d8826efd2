"""Suggestions on rendered lines: the document lines they map to, or why they can't be made there."""

from collections.abc import Mapping
from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from promptuary.renderer.errors import RenderError
from promptuary.renderer.origins.edit_outcomes import Reason, RefusedEdit
from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.changes.places import Place, read_sample, refuse_lines, refuse_unrendered
from registry.changes.thread_models import Thread
from registry.core.errors import Invalid
from registry.core.input_checks import DOCUMENT_BYTES, check_text
from registry.core.renderer_pool import borrow_renderer
from registry.templates import version_queries

__all__ = ["explain_refusal", "place_suggestion"]


def place_suggestion(
    actor: Actor, change: ChangeRequest, place: Place, suggestion: str | None
) -> tuple[Place, str | None]:
    """The place and text of a suggestion on the document's lines; one on rendered lines is mapped to them.

    With it, the document renders the same sample to exactly the suggested lines, and changes nothing else. Other
    suggestions are returned unchanged. May render, so call it before a transaction. Raises Invalid with the reason,
    under `suggestion`, if the lines don't come from the document's own text.
    """
    if suggestion is None or place.side != Thread.RENDERED:
        return place, suggestion
    check_text("suggestion", suggestion, DOCUMENT_BYTES)
    version = version_queries.get_version(actor, change.template.name, place.version)
    data = read_sample(change, place)
    bundle = version.unpacked()
    try:
        with borrow_renderer() as bounded:
            outcome = bounded.edit_lines(
                bundle["document"],
                data,
                part=place.part,
                line=place.line,
                end_line=place.last_line,
                text=suggestion,
                fragments=bundle["fragments"],
                profile=bundle["profile"],
            )
    except RenderError as error:
        raise refuse_unrendered(version, place) from error
    if outcome is None:
        raise refuse_lines(place)
    if isinstance(outcome, RefusedEdit):
        raise Invalid(fields={"suggestion": explain_refusal(outcome)})
    source = replace(place, side=Thread.SOURCE, line=outcome.line, end_line=outcome.end_line, sample="", part=0)
    return source, outcome.text


_REASONS: Mapping[Reason, Promise] = {
    "input": gettext_lazy(
        "this text comes from the sample: {source} prints it, on source line {line}. Change the text around it, or "
        "suggest on source line {line}."
    ),
    "fragment": gettext_lazy("this text comes from the fragment {source}. Propose a change of that template."),
    "repeated": gettext_lazy(
        "source line {line} prints this text {count} times, in a loop or as a macro: other lines would change with it. "
        "Suggest on source line {line}."
    ),
    "shortened": gettext_lazy("this part was shortened to fit the token limit. Suggest on the source."),
    "elsewhere": gettext_lazy(
        "with source line {line} changed like this, other lines would change too. Suggest on the source."
    ),
    "broken": gettext_lazy(
        "written on source line {line}, this text would not come out as you typed it. Suggest on the source."
    ),
    "unfaithful": gettext_lazy(
        "written on source line {line}, this text would not come out as you typed it. Suggest on the source."
    ),
    "untraced": gettext_lazy("these lines can't be followed back to the source. Suggest on the source."),
    "same": gettext_lazy("these are the lines as they are."),
}


def explain_refusal(refused: RefusedEdit) -> str:
    """Why rendered lines can't be changed in the document, and where to change them instead."""
    return str(_REASONS[refused.reason]).format(line=refused.line, source=refused.source, count=refused.count)
