"""Answers compared with golds, row by row, each value in 0..1; the best pair of answer and gold counts.

Sources: SQuAD's evaluation (Rajpurkar et al. 2016) for the normalised exact match and F1, Haystack 1.x for taking the
best answer of a query.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluation.errors import EvaluationError, MetricError
from evaluation.metrics.rows import answer_texts, golds

__all__ = ["contains", "exact_match", "normalise", "regex", "span_f1", "squad_exact_match", "squad_f1", "squad_tokens"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalise(text: str) -> str:
    """SQuAD's form: lower case, ASCII punctuation gone, articles a/an/the gone, runs of space made one."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def squad_tokens(text: str) -> list[str]:
    """The words of SQuAD's form."""
    return normalise(text).split()


def exact_match(expected: Any, actual: Any, row: int) -> float:
    """1 when an answer equals a gold to the character."""
    return _best(expected, actual, row, lambda gold, answer: float(gold == answer))


def squad_exact_match(expected: Any, actual: Any, row: int) -> float:
    """1 when an answer equals a gold in SQuAD's form."""
    return _best(expected, actual, row, lambda gold, answer: float(normalise(gold) == normalise(answer)))


def squad_f1(expected: Any, actual: Any, row: int) -> float:
    """Harmonic mean of precision and recall over the multisets of words in SQuAD's form."""
    return _best(expected, actual, row, _f1)


def contains(expected: Any, actual: Any, row: int, *, ignore_case: bool = False) -> float:
    """1 when an answer has a gold in it."""
    if ignore_case:
        return _best(expected, actual, row, lambda gold, answer: float(gold.casefold() in answer.casefold()))
    return _best(expected, actual, row, lambda gold, answer: float(gold in answer))


def regex(expected: Any, actual: Any, row: int) -> float:
    """1 when a gold, read as a regular expression, is found in an answer."""
    try:
        patterns = {gold: re.compile(gold) for gold in golds(expected, row)}
    except re.error as error:
        raise MetricError(f"row {row}: {error.pattern!r} is no regular expression: {error}") from error
    return _best(expected, actual, row, lambda gold, answer: float(patterns[gold].search(answer) is not None))


def span_f1(expected: Any, actual: Any, row: int) -> float:
    """Overlap of character spans of extractive answers, as F1 over characters; of several, the best pair.

    A span is (document, start, end): the first of `offsets_in_document`, and of `document_ids` where given. Spans in
    different documents don't overlap.
    """
    pairs = [(_span(gold, row), _span(answer, row)) for gold in _listed(expected) for answer in _listed(actual)]
    return max((_overlap(gold, answer) for gold, answer in pairs), default=0.0)


def _best(expected: Any, actual: Any, row: int, compare: Callable[[str, str], float]) -> float:
    if type(expected) is str and type(actual) is str:
        return compare(expected, actual)
    answers = answer_texts(actual, row)
    return max((compare(gold, answer) for gold in golds(expected, row) for answer in answers), default=0.0)


def _f1(gold: str, answer: str) -> float:
    wanted, given = squad_tokens(gold), squad_tokens(answer)
    if not wanted or not given:
        return float(wanted == given)
    common = sum((Counter(wanted) & Counter(given)).values())
    return 2 * common / (len(wanted) + len(given))


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _span(answer: Any, row: int) -> tuple[str, int, int]:
    offsets = answer.get("offsets_in_document") if isinstance(answer, Mapping) else None
    if not offsets:
        raise EvaluationError(f"row {row}: an extractive answer needs offsets_in_document: [{{start, end}}]")
    documents = answer.get("document_ids") or [""]
    return str(documents[0]), int(offsets[0]["start"]), int(offsets[0]["end"])


def _overlap(gold: tuple[str, int, int], answer: tuple[str, int, int]) -> float:
    if gold[0] != answer[0]:
        return 0.0
    common = max(0, min(gold[2], answer[2]) - max(gold[1], answer[1]))
    total = (gold[2] - gold[1]) + (answer[2] - answer[1])
    return 2 * common / total if total else float(gold == answer)
