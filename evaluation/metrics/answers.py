"""Answer metrics: answers compared with expected answers, each row in 0..1, scored by its best pair.

Sources: SQuAD's evaluation (Rajpurkar et al. 2016) for the normalised exact match and F1, Haystack 1.x for taking the
best answer of a query.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import eq
from typing import Any

from promptuary.evaluation.errors import EvaluationError, MetricError
from promptuary.evaluation.metrics.row_values import answer_texts, list_golds
from promptuary.renderer.syntax.regular_expressions import PatternError, TooLong, compile_pattern

__all__ = [
    "contains",
    "exact_match",
    "normalise",
    "regex",
    "span_f1",
    "split_squad_tokens",
    "squad_exact_match",
    "squad_f1",
]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = frozenset(("a", "an", "the"))
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def normalise(text: str) -> str:
    """Normalise as SQuAD does: lower case, no ASCII punctuation, no articles a/an/the, single spaces."""
    return " ".join(split_squad_tokens(text))


def split_squad_tokens(text: str) -> list[str]:
    """The words of the normalised text."""
    stripped = text.lower().translate(_PUNCTUATION)
    if stripped.isascii() and stripped.isprintable():
        # Only letters, digits and spaces are left, so comparing words with articles is three times as fast as a regex.
        return [word for word in stripped.split() if word not in _ARTICLES]
    return _ARTICLE.sub(" ", stripped).split()


def exact_match(expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int]) -> tuple[None, list[float]]:
    """1 when an answer equals an expected answer character for character."""
    if {*map(type, expected), *map(type, actual)} <= {str}:
        return None, list(map(float, map(eq, expected, actual)))
    return None, [
        _choose_best(gold, answer_value, row, lambda gold, answer: float(gold == answer))
        for gold, answer_value, row in zip(expected, actual, rows, strict=True)
    ]


def squad_exact_match(expected: Any, actual: Any, row: int) -> float:
    """1 when an answer equals an expected answer after SQuAD normalisation."""
    return _choose_best(
        expected, actual, row, lambda gold, answer: float(split_squad_tokens(gold) == split_squad_tokens(answer))
    )


def squad_f1(expected: Any, actual: Any, row: int) -> float:
    """Harmonic mean of precision and recall over the multisets of words after SQuAD normalisation."""
    return _choose_best(expected, actual, row, _compute_f1)


def contains(expected: Any, actual: Any, row: int, *, ignore_case: bool = False) -> float:
    """1 when an answer contains an expected answer."""
    if ignore_case:
        return _choose_best(expected, actual, row, lambda gold, answer: float(gold.casefold() in answer.casefold()))
    return _choose_best(expected, actual, row, lambda gold, answer: float(gold in answer))


def regex(
    expected: Any, actual: Any, row: int, *, pattern: str | None = None, ignore_case: bool = False, full: bool = False
) -> float:
    """1 when an expected answer, as a regular expression, matches in an answer; with `full`, when it matches all of it.

    The option `pattern` replaces the expected answers of all rows.
    """
    patterns = expected if pattern is None else pattern
    try:
        compiled = {gold: compile_pattern(gold, ignore_case=ignore_case) for gold in list_golds(patterns, row)}
    except PatternError as error:
        raise MetricError(f"row {row + 1}: a gold is not a regular expression: {error}") from error
    try:
        return _choose_best(
            patterns,
            actual,
            row,
            lambda gold, answer: float(
                (compiled[gold].fullmatch if full else compiled[gold].search)(answer) is not None
            ),
        )
    except TooLong as error:
        raise MetricError(f"row {row + 1}: {error}") from error


def span_f1(expected: Any, actual: Any, row: int) -> float:
    """Character overlap of extractive answers, as F1; the best pair counts.

    A span is (document, start, end), read from either form of Haystack's extractive answers: `offsets_in_document` with
    `document_ids`, or `document_offset` with `document`. Spans in different documents don't overlap. An answer that
    says there is no answer (no text, no offsets) matches only an expected answer that says so too.
    """
    gold_spans = [span for gold in _to_list(expected) for span in _read_spans(gold, row)]
    answer_spans = [span for answer in _to_list(actual) for span in _read_spans(answer, row)]
    return max((_compute_overlap(gold, answer) for gold in gold_spans for answer in answer_spans), default=0.0)


def _choose_best(expected: Any, actual: Any, row: int, compare: Callable[[str, str], float]) -> float:
    if type(expected) is str and type(actual) is str:
        return compare(expected, actual)
    answers = answer_texts(actual, row)
    return max((compare(gold, answer) for gold in list_golds(expected, row) for answer in answers), default=0.0)


def _compute_f1(gold: str, answer: str) -> float:
    gold_tokens, answer_tokens = split_squad_tokens(gold), split_squad_tokens(answer)
    if gold_tokens == answer_tokens:
        return 1.0
    if not gold_tokens or not answer_tokens:
        return 0.0
    left, common = Counter(gold_tokens), 0
    for word in answer_tokens:
        if left.get(word, 0):
            left[word] -= 1
            common += 1
    return 2 * common / (len(gold_tokens) + len(answer_tokens))


def _to_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


Span = tuple[str, int, int] | None  # None: the answer says that there is none


def _read_spans(answer: Any, row: int) -> list[Span]:
    needs = f"row {row + 1}: an extractive answer needs offsets_in_document: [{{start, end}}], or document_offset"
    if not isinstance(answer, Mapping):
        raise EvaluationError(needs)
    offsets = answer.get("offsets_in_document") or answer.get("document_offset")
    if not offsets:
        if answer.get("answer", answer.get("data", "?")) in (None, ""):
            return [None]
        raise EvaluationError(needs)
    document = answer.get("document")
    ids = answer.get("document_ids") or [document.get("id") if isinstance(document, Mapping) else document or ""]
    ranges = offsets if isinstance(offsets, Sequence) else [offsets]
    try:
        return [
            (str(ids[min(place, len(ids) - 1)]), int(span["start"]), int(span["end"]))
            for place, span in enumerate(ranges)
        ]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise EvaluationError(needs) from error


def _compute_overlap(gold: Span, answer: Span) -> float:
    if gold is None or answer is None:
        return float(gold == answer)
    if gold[0] != answer[0]:
        return 0.0
    common = max(0, min(gold[2], answer[2]) - max(gold[1], answer[1]))
    total = (gold[2] - gold[1]) + (answer[2] - answer[1])
    return 2 * common / total if total else float(gold == answer)
