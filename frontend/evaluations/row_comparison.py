"""Rows of a run for display: inputs, expected output, the replies of one or two runs, and a judge's reasons."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from frontend.evaluations.score_table import format_change, format_score
from promptuary.evaluation.judge import Judgement, read_judgement
from promptuary.evaluation.metrics.judgements import NAMES
from promptuary.renderer.errors import RenderError
from promptuary.renderer.functions.documents import read_content
from promptuary.renderer.syntax.sequence_diff import Word, diff_words
from registry.evaluations import run_queries
from registry.evaluations.metric_titles import TITLES
from registry.evaluations.models import Run
from registry.evaluations.run_queries import RunComparison, RunRowDetail

__all__ = [
    "ComparedRow",
    "Excerpt",
    "answer_text",
    "compare_replies",
    "compare_row",
    "find_row_judgement",
    "list_failed_rows",
    "list_judgement_scores",
    "list_lowest_rows",
    "list_readable_values",
    "list_worst_regressions",
    "name_row",
    "shorten_text",
]

SHOWN = 12
_MAX_LENGTH = 320
_ALIKE = 0.5  # share of the shorter reply that both must have in common for marks to be useful
LEADS = ("question", "query", "q", "text", "message", "input")


@dataclass(frozen=True)
class Excerpt:
    """The beginning of a text, and how many characters are omitted."""

    text: str
    more: int = 0


@dataclass(frozen=True)
class ComparedRow:
    """A row with its reply, and the reply of another run if there is one; differing words are marked."""

    index: int
    name: str
    question: Excerpt
    other_count: int
    expected: Excerpt
    before: tuple[Word, ...]
    after: tuple[Word, ...]
    change: float | None
    problem: Mapping[str, str] | None
    faults: tuple[str, ...]
    is_change: bool = False

    @property
    def formatted_change(self) -> str:
        """The change with its sign, or the score."""
        return format_change(self.change) if self.is_change else format_score(self.change)


def list_worst_regressions(run: Run, against: Run, compared: RunComparison) -> tuple[list[ComparedRow], int]:
    """The rows with the largest drop in a metric, and how many rows dropped."""
    change = {
        index: after - was
        for index, (was, after) in enumerate(zip(compared.before, compared.after, strict=True))
        if was is not None and after is not None and after < was
    }
    order = [index for index in compared.order if index in change]
    before = {detail.index: detail for detail in run_queries.list_run_rows(against, order=order, limit=SHOWN).items}
    page = run_queries.list_run_rows(run, order=order, limit=SHOWN)
    return [compare_row(detail, before.get(detail.index), change[detail.index]) for detail in page.items], len(order)


def list_lowest_rows(run: Run, metric: str, target: str) -> list[ComparedRow]:
    """The rows with the lowest score."""
    details = run_queries.list_run_rows(run, only=f"worst:{metric} {target}", limit=SHOWN).items
    return [
        compare_row(detail, change=detail.row.scores.get(f"{metric} {target}") if detail.row else None)
        for detail in details
    ]


def list_failed_rows(run: Run) -> list[ComparedRow]:
    """The first rows without a reply."""
    return [compare_row(detail) for detail in run_queries.list_run_rows(run, only="failed", limit=SHOWN).items]


def compare_row(detail: RunRowDetail, before: RunRowDetail | None = None, change: float | None = None) -> ComparedRow:
    """Prepare one row."""
    row = detail.row
    answer, earlier_answer = _read_reply(detail), _read_reply(before) if before else ""
    left, right = compare_replies(earlier_answer, answer) if before else ((Word(earlier_answer),), (Word(answer),))
    lead, other_count = _choose_lead(detail.inputs)
    return ComparedRow(
        detail.index,
        name_row(detail.id, detail.index),
        lead,
        other_count,
        shorten_text(answer_text(detail.expected)),
        left,
        right,
        change,
        row.problem if row else None,
        tuple(row.faults) if row else (),
        before is not None,
    )


def name_row(name: str, index: int) -> str:
    """The display name of a row: its own name, or `row 3` for index 2."""
    return name or gettext("row {number}").format(number=index + 1)


def compare_replies(before: str, after: str) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Two replies with the differing words marked; unmarked if they have too little in common."""
    left, right = diff_words(before, after)
    same = sum(len(word.text) for word in right if not word.changed)
    if same < _ALIKE * min(len(before), len(after)):
        return (Word(before),), (Word(after),)
    return left, right


def list_readable_values(values: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Names with their values as readable texts: lists of texts or documents as numbered lines, plain mappings as
    `name: value`.
    """
    return [(name, _write_value(value)) for name, value in (values or {}).items()]


def answer_text(outputs: Mapping[str, Any] | None) -> str:
    """The answer among the outputs, or all of them, as text."""
    if not outputs:
        return ""
    value = outputs.get("answer", next(iter(outputs.values())) if len(outputs) == 1 else outputs)
    if isinstance(value, Mapping) and isinstance(value.get("answer"), str):
        return str(value["answer"])
    return value if isinstance(value, str) else _write_json(value)


def shorten_text(text: str, longest: int = _MAX_LENGTH) -> Excerpt:
    """Cut a text that is much longer than a cell can hold."""
    return Excerpt(text) if len(text) <= longest * 1.2 else Excerpt(text[:longest], len(text) - longest)


def _read_reply(detail: RunRowDetail | None) -> str:
    row = detail.row if detail else None
    return shorten_text(answer_text(row.actual), 700).text if row else ""


def _choose_lead(inputs: Mapping[str, Any]) -> tuple[Excerpt, int]:
    """The most informative input of a row, and how many more there are."""
    values = list_readable_values(inputs)
    texts = [name for name in LEADS if isinstance(inputs.get(name), str)]
    name = next(iter(texts), values[0][0] if values else "")
    return shorten_text(dict(values).get(name, ""), 200), max(0, len(values) - 1)


def _write_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(f"{number}. {item}" for number, item in enumerate(value, start=1))
    if isinstance(value, list) and value and all(_is_document(item) for item in value):
        return "\n".join(f"{number}. {_write_document(item)}" for number, item in enumerate(value, start=1))
    if isinstance(value, dict) and value and all(isinstance(item, str | int | float) for item in value.values()):
        return "\n".join(f"{name}: {item}" for name, item in value.items())
    return _write_json(value)


def _is_document(value: Any) -> bool:
    """Whether it is a passage with plain metadata, as returned by retrieval."""
    is_passage = isinstance(value, dict) and isinstance(value.get("content"), str)
    return is_passage and all(isinstance(item, str | int | float | None) for item in value.values())


def _write_document(document: Mapping[str, Any]) -> str:
    others = {name: "null" if item is None else item for name, item in document.items() if name != "content"}
    facts = ", ".join(f"{name}: {item}" for name, item in others.items())
    return f"{document['content']} ({facts})" if facts else str(document["content"])


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=None if _is_flat(value) else 1)


def _is_flat(value: Any) -> bool:
    return not isinstance(value, list | dict) or len(json.dumps(value)) < 100


_SAID = ("all_relevant_sentence_keys", "sentence_support_information")


def find_row_judgement(detail: RunRowDetail) -> Judgement | None:
    """The row's judgement; None if there isn't one.

    A run of a judge's own template has the documents and the response among its inputs, and the judgement as its reply.
    """
    row = detail.row
    judgement = getattr(row, "judgement", None)
    if isinstance(judgement, Mapping):
        return dict(judgement)
    reply = (row.actual or {}).get("reply") if row else None
    documents, response = detail.inputs.get("documents"), detail.inputs.get("response")
    if not isinstance(reply, str) or not any(name in reply for name in _SAID):
        return None
    if not isinstance(documents, Sequence) or isinstance(documents, str) or not isinstance(response, str):
        return None
    try:
        return read_judgement(reply, [read_content(document) for document in documents], response)
    except RenderError:
        return None


def list_judgement_scores(judgement: Judgement) -> list[tuple[str, str, str]]:
    """Title, figure, and reason if there is one, for each score."""
    scores: Mapping[str, Any] = judgement["scores"]
    reasons: Mapping[str, str] = judgement["reasons"]
    return [(str(TITLES[name]), format_score(scores.get(name)), reasons.get(name, "")) for name in NAMES]
