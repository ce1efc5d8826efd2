"""Shapers that read JSON out of replies."""

from collections.abc import Mapping, Sequence
from typing import Any

from promptuary.renderer.errors import OutputError
from promptuary.renderer.replies import json_reader
from promptuary.renderer.replies import trace_scores as replies_trace_scores
from promptuary.renderer.replies.shapers.context import Reader, wanted_texts

__all__ = ["json", "trace_scores"]


def json(strings: str | Sequence[str], schema: Mapping[str, Any] | None = None, *, reader: Reader) -> Any:
    """The value in each reply, in a list; of a single text, the value itself.

    Fences, prose around and broken punctuation are mended and noted. Each value must fit `schema`, or the document's
    `output.schema` where none is given.
    """
    one = isinstance(strings, str)
    texts = [str(strings)] if one else wanted_texts(strings, "strings")
    values = [
        _value(text, "the reply" if one else f"reply {number}", schema, reader) for number, text in _numbered(texts)
    ]
    return values[0] if one else values


def _numbered(texts: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(texts, start=1))


def _value(text: str, what: str, schema: Mapping[str, Any] | None, reader: Reader) -> Any:
    wanted = reader.schema if schema is None else schema
    try:
        reading = json_reader.read_reply(text)
        fitted = (
            json_reader.conform(reading.value, wanted) if wanted is not None else json_reader.Reading(reading.value)
        )
    except OutputError as error:
        raise OutputError(f"{what}: {error.message}") from error
    reader.notes.extend(f"{what}: {repair}" for repair in (*reading.repairs, *fitted.repairs))
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
