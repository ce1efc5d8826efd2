"""One sentence on a metric's result in a row: the expected value, the actual value, and where they differ.

Only metrics that compare texts, documents or JSON are explained; a judge gives its own reasons.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.metrics.answers import split_squad_tokens
from promptuary.evaluation.metrics.row_values import answer_texts, list_document_keys, list_golds

__all__ = ["explain_score"]

_MAX_LENGTH = 80  # characters of a value that a sentence quotes
_MAX_WORDS = 8  # items listed


def explain_score(metric: str, expected: Any, actual: Any, score: float | None) -> str:
    """Explain why the row has this score; empty if there is nothing to add to the score.

    Args: as for `scoring.score`, for one row and with the metric's default options. score: the row's score.
    """
    explain = _EXPLANATIONS.get(metric)
    if explain is None or score is None or expected is None or actual is None:
        return ""
    try:
        return explain(expected, actual, score)
    except EvaluationError:  # values of a shape that the metric doesn't take
        return ""


def _explain_equality(expected: Any, actual: Any, score: float) -> str:
    if score:
        return ""
    gold, answer = _find_closest(expected, actual)
    if split_squad_tokens(gold) == split_squad_tokens(answer):
        return "differs only in case, punctuation, articles or blanks"
    return f'expected "{_cut(gold)}", the reply says "{_cut(answer)}"'


def _explain_words(expected: Any, actual: Any, score: float) -> str:
    if score == 1:
        return ""
    gold, answer = (Counter(split_squad_tokens(text)) for text in _find_closest(expected, actual))
    missing, extra = _list_words(gold - answer), _list_words(answer - gold)
    if missing and extra:
        return f'expected but not said: "{missing}"; said but not expected: "{extra}"'
    return f'expected but not said: "{missing}"' if missing else f'said but not expected: "{extra}"'


def _explain_contained(expected: Any, actual: Any, score: float) -> str:
    if not score:
        return f'"{_cut(list_golds(expected, 0)[0])}" is not in the reply'
    contained = [gold for gold in list_golds(expected, 0) if any(gold in answer for answer in answer_texts(actual, 0))]
    return f'"{_cut(contained[0])}" is in the reply' if contained else ""


def _explain_pattern(expected: Any, _actual: Any, score: float) -> str:
    return "" if score else f'the pattern "{_cut(list_golds(expected, 0)[0])}" is not found in the reply'


def _explain_schema(_expected: Any, actual: Any, score: float) -> str:
    if score:
        return ""
    try:
        if isinstance(actual, str):
            json.loads(actual)
    except (ValueError, RecursionError):
        return "the reply is not JSON"
    return "the reply is JSON that the schema does not accept"


def _explain_documents(expected: Any, actual: Any, _score: float) -> str:
    expected_keys = {key for key in list_document_keys(expected, "id", 0) if key is not None}
    places = [place for place, key in enumerate(list_document_keys(actual, "id", 0), start=1) if key in expected_keys]
    if not expected_keys:
        return ""
    if not places:
        return f"none of the {len(expected_keys)} expected documents came"
    count = len({key for key in list_document_keys(actual, "id", 0) if key in expected_keys})
    return f"{count} of {len(expected_keys)} expected documents came, the first at place {places[0]}"


def _find_closest(expected: Any, actual: Any) -> tuple[str, str]:
    """The pair of expected answer and reply with the most words in common."""
    pairs = [(gold, answer) for gold in list_golds(expected, 0) for answer in answer_texts(actual, 0)]
    if not pairs:
        raise EvaluationError("nothing to compare")
    return max(pairs, key=_count_common)


def _count_common(pair: tuple[str, str]) -> int:
    gold, answer = (Counter(split_squad_tokens(text)) for text in pair)
    return (gold & answer).total()


def _list_words(words: Mapping[str, int]) -> str:
    listed = list(words)
    return ", ".join(listed[:_MAX_WORDS]) + (", …" if len(listed) > _MAX_WORDS else "")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_LENGTH else f"{line[:_MAX_LENGTH]}…"


_EXPLANATIONS: dict[str, Callable[[Any, Any, float], str]] = {
    "exact_match": _explain_equality,
    "squad_exact_match": _explain_equality,
    "squad_f1": _explain_words,
    "contains": _explain_contained,
    "regex": _explain_pattern,
    "json_schema": _explain_schema,
    **dict.fromkeys(("recall_single_hit", "recall_multi_hit", "precision", "mrr", "map", "ndcg"), _explain_documents),
}
