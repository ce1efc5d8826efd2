"""Shapers that read JSON out of replies."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.renderer.errors import OutputError
from promptuary.renderer.replies import json_reader, schema_coercion
from promptuary.renderer.replies import trace_scores as replies_trace_scores
from promptuary.renderer.replies.shapers.context import Reader, require_texts

__all__ = ["json", "trace_scores"]


def json(strings: str | Sequence[str], schema: Mapping[str, Any] | None = None, *, reader: Reader) -> Any:
    """The value in each reply, in a list; of a single text, the value itself.

    Fences, prose around and broken punctuation are mended and noted. Each value must fit `schema`, or the document's
    `output.schema` if none is given.
    """
    is_single = isinstance(strings, str)
    texts = [str(strings)] if is_single else require_texts(strings, "strings")
    values = [
        _read_value(text, "the reply" if is_single else f"reply {number}", schema, reader)
        for number, text in _number_texts(texts)
    ]
    return values[0] if is_single else values


def _number_texts(texts: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(texts, start=1))


def _read_value(text: str, subject: str, schema: Mapping[str, Any] | None, reader: Reader) -> Any:
    effective_schema = reader.schema if schema is None else schema
    try:
        reading = json_reader.read_reply(text)
        fitted = (
            schema_coercion.conform_value(reading.value, effective_schema)
            if effective_schema is not None
            else json_reader.Reading(reading.value)
        )
    except OutputError as error:
        raise OutputError(f"{subject}: {error.message}") from error
    reader.notes.extend(f"{subject}: {repair}" for repair in (*reading.repairs, *fitted.repairs))
    return fitted.value


def trace_scores(
    reply: str | Mapping[str, Any],
    documents: Sequence[Any],
    unit: replies_trace_scores.Unit = "sentence",
    *,
    reader: Reader,
) -> dict[str, Any]:
    """The TRACe scores of a judge's reply about these documents."""
    scores = replies_trace_scores.trace_scores(reply, documents, unit, reader.tokenizer)
    reader.notes.extend(scores["repairs"])
    return scores
