"""Judge metrics: TRACe, faithfulness and context relevance, from a judge's reply to each row.

Sources: TRACe is RAGBench's (Friel and others, arXiv 2407.11005). Faithfulness is the share of an answer's statements
that the documents support, and context relevance is whether anything in the documents helps at all, both as Haystack 2
defines them. `actual` is a judgement made by `evaluation.judge`, or the judge's reply; for a reply with sentence keys,
`expected` holds the row's documents. A score that the reply doesn't contain is None: the row is not scored, rather than
counted as 0.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from promptuary.evaluation.errors import EvaluationError
from promptuary.renderer.errors import OutputError
from promptuary.renderer.replies import json_reader
from promptuary.renderer.replies.trace_scores import Mode, Trace, Unit, trace

__all__ = ["NAMES", "context_relevance", "faithfulness", "find_score", "list_scores", "trace_score"]

_TRACE = ("relevance", "utilization", "completeness", "adherence")
NAMES = (*(f"trace_{name}" for name in _TRACE), "faithfulness", "context_relevance")
_KEYED = ("all_relevant_sentence_keys", "all_utilized_sentence_keys", "sentence_support_information")
Tokenizer = str | Callable[[str], Sequence[Any]]


def trace_score(
    name: str,
    expected: Any,
    actual: Any,
    row: int,
    *,
    unit: Unit = "sentence",
    tokenizer: Tokenizer | None = None,
    mode: Mode = "distinct",
) -> float | None:
    """One TRACe score of a row; adherence is 1 or 0."""
    scores = _read_score(actual, f"trace_{name}")
    if scores is not None:
        return scores[0]
    value = _read(expected, actual, row, unit, tokenizer, mode).values.get(name)
    return None if value is None else float(value)


def faithfulness(expected: Any, actual: Any, row: int) -> float | None:
    """The share of supported sentences of the answer (or the mean of the judge's `statement_scores`); 0 if empty."""
    scores = _read_score(actual, "faithfulness")
    if scores is not None:
        return scores[0]
    mapping = _read_mapping(actual)
    if mapping is not None and "statement_scores" in mapping:
        return _compute_mean(mapping["statement_scores"])
    return find_score("faithfulness", _read(expected, actual, row))


def context_relevance(expected: Any, actual: Any, row: int) -> float | None:
    """1 if some sentence (or one of the judge's `relevant_statements`) helps with the question, else 0."""
    scores = _read_score(actual, "context_relevance")
    if scores is not None:
        return scores[0]
    mapping = _read_mapping(actual)
    if mapping is not None and "relevant_statements" in mapping:
        statements = mapping["relevant_statements"]
        return float(bool(statements)) if isinstance(statements, list) else None
    return find_score("context_relevance", _read(expected, actual, row))


def list_scores(scored: Trace) -> dict[str, float | None]:
    """Return all six scores of a parsed reply, by metric."""
    return {name: find_score(name, scored) for name in NAMES}


def find_score(name: str, scored: Trace) -> float | None:
    """Return one score of a parsed reply; None if the reply doesn't contain it."""
    if name == "context_relevance":
        relevant = scored.judgement.relevant
        return None if relevant is None else float(bool(relevant))
    if name == "faithfulness":
        sentences = scored.judgement.sentences
        if any(sentence.fully is None for sentence in sentences):
            return None
        if not sentences:
            return 0.0 if scored.mapping.get("sentence_support_information") == [] else None
        return sum(bool(sentence.fully) for sentence in sentences) / len(sentences)
    value = scored.values.get(name.removeprefix("trace_"))
    return None if value is None else float(value)


def _read_score(actual: Any, name: str) -> tuple[float | None] | None:
    """The score that a judgement already contains, in a tuple; None if `actual` is a reply."""
    if isinstance(actual, Mapping) and isinstance(actual.get("scores"), Mapping) and name in actual["scores"]:
        value = actual["scores"][name]
        return (None if value is None else float(value),)
    return None


def _read_mapping(actual: Any) -> Mapping[str, Any] | None:
    if isinstance(actual, Mapping):
        return actual
    try:
        value = json_reader.read_reply(str(actual)).value
    except OutputError:
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, Mapping) else None


def _compute_mean(values: Any) -> float | None:
    if not isinstance(values, list) or not all(isinstance(value, bool | int | float) for value in values):
        return None
    return sum(values) / len(values) if values else 0.0


def _read(
    documents: Any,
    actual: Any,
    row: int,
    unit: Unit = "sentence",
    tokenizer: Tokenizer | None = None,
    mode: Mode = "distinct",
) -> Trace:
    mapping = _read_mapping(actual)
    if documents is None:
        if mapping is not None and any(name in mapping for name in _KEYED):
            raise EvaluationError(f"row {row + 1}: the judge's sentence keys need the row's documents, as `expected`")
        documents = []
    try:
        return trace(actual, documents, unit, tokenizer, mode)
    except OutputError as error:
        raise EvaluationError(f"row {row + 1}: {error.message}") from error
