"""The catalogue of metrics: by name, with their outputs, range and requirements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Literal

from promptuary.evaluation.errors import MetricError
from promptuary.evaluation.metrics import answers, documents, embedding_similarity, judgements, texts
from promptuary.evaluation.metrics import json_schema as metrics_json_schema

__all__ = ["Definition", "Metric", "OutputType", "check_options", "find_metric", "list_names", "metrics_for"]

OutputType = Literal["answer", "extractive_answer", "text", "documents", "json", "judgement"]


class Metric(StrEnum):
    """The built-in metrics. F1, EM, RECALL, MRR, MAP and SAS are the names in Haystack's proposal."""

    EXACT_MATCH = "exact_match"
    EM = "squad_exact_match"
    SQUAD_EXACT_MATCH = "squad_exact_match"
    F1 = "squad_f1"
    SQUAD_F1 = "squad_f1"
    SPAN_F1 = "span_f1"
    CONTAINS = "contains"
    REGEX = "regex"
    JSON_SCHEMA = "json_schema"
    RECALL = "recall_multi_hit"
    RECALL_SINGLE_HIT = "recall_single_hit"
    RECALL_MULTI_HIT = "recall_multi_hit"
    PRECISION = "precision"
    MRR = "mrr"
    MAP = "map"
    NDCG = "ndcg"
    BLEU = "bleu"
    CHRF = "chrf"
    ROUGE1 = "rouge1"
    ROUGE2 = "rouge2"
    ROUGE_L = "rougeL"
    SAS = "sas"
    TRACE_RELEVANCE = "trace_relevance"
    TRACE_UTILIZATION = "trace_utilization"
    TRACE_COMPLETENESS = "trace_completeness"
    TRACE_ADHERENCE = "trace_adherence"
    FAITHFULNESS = "faithfulness"
    CONTEXT_RELEVANCE = "context_relevance"


RowMetric = Callable[..., float | None]
CorpusMetric = Callable[..., tuple[float | None, list[float]]]


@dataclass(frozen=True)
class Definition:
    """A metric: a function of one row, or of all rows at once.

    `by_corpus` returns the corpus value (None if it is the mean of the rows' values) and each row's value.
    """

    metric: Metric
    output_types: tuple[OutputType, ...]
    top: float
    by_row: RowMetric | None = None
    by_corpus: CorpusMetric | None = None
    options: tuple[str, ...] = ()
    needs_gold: bool = True


_RANKED = ("field", "k")
_ANSWERS: tuple[OutputType, ...] = ("answer", "extractive_answer", "text")
_BLEU = ("lowercase", "force", "tokenize", "smooth_method", "smooth_value", "max_ngram_order")
_CHRF = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")

_DEFINITIONS = [
    Definition(Metric.EXACT_MATCH, _ANSWERS, 1, by_corpus=answers.exact_match),
    Definition(Metric.SQUAD_EXACT_MATCH, _ANSWERS, 1, answers.squad_exact_match),
    Definition(Metric.SQUAD_F1, _ANSWERS, 1, answers.squad_f1),
    Definition(Metric.SPAN_F1, ("extractive_answer",), 1, answers.span_f1),
    Definition(Metric.CONTAINS, _ANSWERS, 1, answers.contains, options=("ignore_case",)),
    Definition(Metric.REGEX, _ANSWERS, 1, answers.regex, options=("pattern", "ignore_case", "full")),
    Definition(
        Metric.JSON_SCHEMA, ("json",), 1, metrics_json_schema.json_schema, options=("schema",), needs_gold=False
    ),
    Definition(Metric.RECALL_SINGLE_HIT, ("documents",), 1, by_corpus=documents.recall_single_hit, options=_RANKED),
    Definition(Metric.RECALL_MULTI_HIT, ("documents",), 1, by_corpus=documents.recall_multi_hit, options=_RANKED),
    Definition(Metric.PRECISION, ("documents",), 1, by_corpus=documents.precision, options=_RANKED),
    Definition(Metric.MRR, ("documents",), 1, by_corpus=documents.reciprocal_rank, options=_RANKED),
    Definition(Metric.MAP, ("documents",), 1, by_corpus=documents.average_precision, options=_RANKED),
    Definition(Metric.NDCG, ("documents",), 1, by_corpus=documents.ndcg, options=_RANKED),
    Definition(Metric.BLEU, ("text", "answer"), 100, by_corpus=texts.bleu, options=_BLEU),
    Definition(Metric.CHRF, ("text", "answer"), 100, by_corpus=texts.chrf, options=_CHRF),
    Definition(Metric.ROUGE1, ("text", "answer"), 1, by_corpus=partial(texts.rouge, "rouge1"), options=("stem",)),
    Definition(Metric.ROUGE2, ("text", "answer"), 1, by_corpus=partial(texts.rouge, "rouge2"), options=("stem",)),
    Definition(Metric.ROUGE_L, ("text", "answer"), 1, by_corpus=partial(texts.rouge, "rougeL"), options=("stem",)),
    Definition(Metric.SAS, ("text", "answer"), 1, by_corpus=embedding_similarity.sas),
    *(
        Definition(
            Metric(f"trace_{name}"),
            ("judgement",),
            1,
            partial(judgements.trace_score, name),
            options=("unit", "tokenizer", "mode"),
            needs_gold=False,
        )
        for name in ("relevance", "utilization", "completeness", "adherence")
    ),
    Definition(Metric.FAITHFULNESS, ("judgement",), 1, judgements.faithfulness, needs_gold=False),
    Definition(Metric.CONTEXT_RELEVANCE, ("judgement",), 1, judgements.context_relevance, needs_gold=False),
]
_BY_NAME = {definition.metric.value: definition for definition in _DEFINITIONS}


def find_metric(metric: str) -> Definition:
    """Return the metric of that name. Raises MetricError, listing the known names, for an unknown one."""
    name = metric.value if isinstance(metric, Metric) else metric
    if name not in _BY_NAME:
        raise MetricError(f"there is no metric {name!r}; there are {', '.join(sorted(_BY_NAME))}")
    return _BY_NAME[name]


def list_names() -> frozenset[str]:
    """The names of all metrics."""
    return frozenset(_BY_NAME)


def metrics_for(output_type: str) -> Sequence[Metric]:
    """The metrics that suit an output type: answer, extractive_answer, text, documents, json, judgement."""
    kinds = {kind for definition in _DEFINITIONS for kind in definition.output_types}
    if output_type not in kinds:
        raise MetricError(f"there is no output type {output_type!r}; there are {', '.join(sorted(kinds))}")
    return [definition.metric for definition in _DEFINITIONS if output_type in definition.output_types]


def check_options(definition: Definition, options: dict[str, Any]) -> None:
    """Raise MetricError for an option the metric doesn't take, listing those it does."""
    for option in options:
        if option not in definition.options:
            takes = ", ".join(definition.options) or "no options"
            raise MetricError(f"{definition.metric.value} takes {takes}; {option!r} is none of them")
