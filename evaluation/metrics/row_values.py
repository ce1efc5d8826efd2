"""The values of one row that metrics compare: answers as text, document keys, expected values."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.evaluation.errors import EvaluationError

__all__ = ["answer_text", "answer_texts", "has_gold", "list_document_keys", "list_gold_gains", "list_golds"]


def has_gold(expected: Any) -> bool:
    """Whether the row has an expected value: None and empty lists don't count, the empty string does."""
    return bool(expected) or (expected is not None and expected not in ([], ()))


def answer_text(answer: Any, row: int) -> str:
    """An answer's text: the string itself, or a Haystack answer's `answer` or `data` field (None becomes "").

    Numbers and booleans are written as JSON writes them.
    """
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Mapping):
        for name in ("answer", "data"):
            if name in answer:
                return "" if answer[name] is None else answer_text(answer[name], row)
    if isinstance(answer, bool | int | float):
        return json.dumps(answer)
    name = type(answer).__name__
    raise EvaluationError(f"row {row + 1}: an answer is a string or a mapping with `answer`, not {name}")


def answer_texts(actual: Any, row: int) -> list[str]:
    """A component's answer or list of answers, as texts."""
    return [answer_text(item, row) for item in (actual if _is_list(actual) else [actual])]


def list_golds(expected: Any, row: int) -> list[str]:
    """The acceptable answers of a row, one or a list, as texts."""
    return [answer_text(item, row) for item in (expected if _is_list(expected) else [expected])]


def list_document_keys(documents: Any, field: str, row: int) -> list[str | None]:
    """The keys that identify documents: the value at `field` (a dotted path), or the document itself if a string.

    None for a document without that value, which then equals no other.
    """
    if not _is_list(documents):
        raise EvaluationError(f"row {row + 1}: documents come as a list, not {type(documents).__name__}")
    return [_read_document_key(document, field) for document in documents]


def list_gold_gains(documents: Sequence[Any], field: str, row: int) -> dict[str, float]:
    """Gain by key: an expected document's `score`, or 1 for each if none has one. Raises if only some have one."""
    keys = list_document_keys(documents, field, row)
    scores = [document.get("score") if isinstance(document, Mapping) else None for document in documents]
    if all(score is None for score in scores):
        scores = [1.0] * len(keys)
    gains: dict[str, float] = {}
    for key, score in zip(keys, scores, strict=True):
        if key is None:
            continue
        if score is None:
            raise EvaluationError(f"row {row + 1}: either every expected document has a score or none has")
        gains[key] = max(gains.get(key, 0.0), float(score))
    if not gains:
        raise EvaluationError(f"row {row + 1}: no expected document has {field!r} to compare by")
    return gains


def _read_document_key(document: Any, field: str) -> str | None:
    if isinstance(document, str | int):
        return str(document)
    if type(document) is dict and field in document and document[field] is not None:
        return str(document[field])
    value: Any = document
    for step in field.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return None if value is None else str(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
