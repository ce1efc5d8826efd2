"""Titles of metrics: what pages and messages call a metric and its thresholds instead of the code name."""

import re
from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.gates import Gate, parse_gate

__all__ = ["TITLES", "describe_finding", "describe_gate", "name_gates", "title_metric"]

TITLES: Mapping[str, str | Promise] = {
    "exact_match": gettext_lazy("Same to the letter"),
    "squad_exact_match": gettext_lazy("Same answer"),
    "squad_f1": gettext_lazy("Words in common"),
    "span_f1": gettext_lazy("Spans in common"),
    "contains": gettext_lazy("Contains the answer"),
    "regex": gettext_lazy("Fits the pattern"),
    "json_schema": gettext_lazy("Fits the schema"),
    "recall_single_hit": gettext_lazy("Any expected document found"),
    "recall_multi_hit": gettext_lazy("Expected documents found"),
    "precision": gettext_lazy("Found documents expected"),
    "mrr": gettext_lazy("Rank of the first hit"),
    "map": gettext_lazy("Ranks of all hits"),
    "ndcg": gettext_lazy("Gain by rank"),
    "bleu": "BLEU",
    "chrf": "chrF",
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "sas": gettext_lazy("Alike in meaning"),
    "trace_relevance": gettext_lazy("Documents that matter"),
    "trace_utilization": gettext_lazy("Documents used"),
    "trace_completeness": gettext_lazy("What matters was used"),
    "trace_adherence": gettext_lazy("Answers wholly supported"),
    "faithfulness": gettext_lazy("Sentences supported"),
    "context_relevance": gettext_lazy("Documents that help"),
    "reviewed_by_people": gettext_lazy("Reviewed by people"),
}
_PLAIN_OUTPUTS = ("", "answer", "judgement", "people")  # the output that a metric measures by default
_GATE = re.compile(rf"\b(?:{'|'.join(TITLES)})(?:\[[^\]\s]+\])? (?:>=|-) \d*\.?\d+(?=: |$)")


def title_metric(metric: str, target: str = "") -> str:
    """A metric's title, with the output that it measures unless that is the answer: `Same answer`, `BLEU, summary`.

    A metric without a title keeps its code name.
    """
    title = str(TITLES.get(metric, metric))
    return title if target in _PLAIN_OUTPUTS else f"{title}, {target}"


def describe_gate(gate: str, target: str = "") -> str:
    """A threshold in words: `Same answer, at least 0.95`. Text that isn't a threshold is returned unchanged.

    target: the output that it was measured on, if the threshold names none.
    """
    try:
        parsed = parse_gate(gate)
    except EvaluationError:
        return gate
    title = title_metric(parsed.metric, parsed.output or target)
    if parsed.floor is not None:
        return gettext("{metric}, at least {bound}").format(metric=title, bound=f"{parsed.floor:g}")
    return gettext("{metric}, at most {bound} less").format(metric=title, bound=f"{parsed.fall:g}")


def describe_finding(finding: str, translate: Callable[[str], str] = str) -> str:
    """A finding, `<threshold>: <what was measured>`, with its threshold in words. translate: for what was measured."""
    gate, colon, measured = finding.partition(": ")
    return f"{describe_gate(gate)}{colon}{translate(measured)}"


def name_gates(text: str) -> str:
    """The text with each threshold replaced by the title of its metric: `<threshold>: <finding>`, or one alone.

    Findings such as `squad_f1 >= 0.8: 0.75, at least 0.8 is asked for` contain the bound themselves.
    """
    return _GATE.sub(lambda match: _write_gate_title(parse_gate(match[0])), text)


def _write_gate_title(gate: Gate) -> str:
    return title_metric(gate.metric, gate.output or "")
