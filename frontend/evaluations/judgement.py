"""What a judge said of an answer, sentence by sentence, where a row has it: kept with the row, or as the row's own reply."""

from collections.abc import Mapping, Sequence
from typing import Any

from frontend.evaluations.score_table import TITLES, figure
from promptuary.evaluation.judge import Judgement, read_judgement
from promptuary.evaluation.metrics.judgements import NAMES
from promptuary.renderer.errors import RenderError
from promptuary.renderer.functions.documents import content_of
from registry.evaluations.run_queries import Detail

__all__ = ["judgement_of", "judgement_scores"]

_SAID = ("all_relevant_sentence_keys", "sentence_support_information")


def judgement_of(detail: Detail) -> Judgement | None:
    """The row's judgement; None where nobody judged.

    A run of a judge's own template has the documents and the response among its inputs, and the judgement as its reply.
    """
    row = detail.row
    kept = getattr(row, "judgement", None)
    if isinstance(kept, Mapping):
        return dict(kept)
    reply = (row.actual or {}).get("reply") if row else None
    documents, response = detail.inputs.get("documents"), detail.inputs.get("response")
    if not isinstance(reply, str) or not any(name in reply for name in _SAID):
        return None
    if not isinstance(documents, Sequence) or isinstance(documents, str) or not isinstance(response, str):
        return None
    try:
        return read_judgement(reply, [content_of(document) for document in documents], response)
    except RenderError:
        return None


def judgement_scores(judgement: Judgement) -> list[tuple[str, str, str]]:
    """Title, figure and the reason where there is none, a score."""
    scores: Mapping[str, Any] = judgement["scores"]
    reasons: Mapping[str, str] = judgement["reasons"]
    return [(TITLES[name], figure(scores.get(name)), reasons.get(name, "")) for name in NAMES]
