"""TRACe scores of a judge's reply: which sentences of the documents mattered, were used, and support the response.

Method: RAGBench (Friel and others, arXiv 2407.11005). R are the sentences relevant to the question, U those used in the
response, D all sentences of all documents. relevance = |R| / |D|, utilization = |U| / |D|, completeness = |R and U| /
|R|, measured in sentences, characters or tokens. Adherence says whether every response sentence is fully supported.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from promptuary.renderer.errors import OutputError
from promptuary.renderer.functions.sentences import split_documents
from promptuary.renderer.replies import json_reader
from promptuary.renderer.replies.judgement import Judgement, parse_judgement, strip_key
from promptuary.renderer.tokens import tokenizers

__all__ = ["Mode", "Trace", "Unit", "trace", "trace_scores"]

Unit = Literal["sentence", "character", "token"]
Mode = Literal["distinct", "ragbench"]


@dataclass(frozen=True, slots=True)
class Trace:
    """A parsed judge's reply (`mapping`, empty if unreadable), its judgement, and its scores."""

    mapping: Mapping[str, Any]
    judgement: Judgement
    values: Mapping[str, float | bool | None]
    repairs: list[str]
    reasons: dict[str, str]


def trace_scores(
    reply: str | Mapping[str, Any],
    documents: Sequence[Any],
    unit: Unit = "sentence",
    tokenizer: str | Callable[[str], Sequence[Any]] | None = None,
    mode: Mode = "distinct",
) -> dict[str, Any]:
    """Score a judge's reply: its text, or the mapping already read from it.

    `documents` has for each document its list of (key, sentence) pairs, as `document_sentences` returns them; plain
    documents are split here. Duplicate and unknown keys are dropped and listed. `tokenizer` is needed for the
    unit token. Returns relevance, utilization and completeness between 0 and 1, adherence as a boolean, each None if
    it is not defined, with the reason under `reasons`; and unsupported_keys, unknown_keys, duplicate_keys, repairs.

    `mode="ragbench"` counts like the values shipped with RAGBench: keys as often as they are listed, unknown
    ones too, completeness 1 if nothing is relevant, and adherence by `unsupported_response_sentence_keys` alone
    if the reply has it. By sentences only.
    """
    reading = trace(reply, documents, unit, tokenizer, mode)
    judgement = reading.judgement
    return {
        **reading.values,
        "unsupported_keys": judgement.unsupported,
        "unknown_keys": judgement.unknown,
        "duplicate_keys": judgement.duplicates,
        "repairs": reading.repairs,
        "reasons": reading.reasons,
    }


def trace(
    reply: str | Mapping[str, Any],
    documents: Sequence[Any],
    unit: Unit = "sentence",
    tokenizer: str | Callable[[str], Sequence[Any]] | None = None,
    mode: Mode = "distinct",
) -> Trace:
    """Parse and score, as `trace_scores` does; also returns the judgement of each sentence."""
    if mode not in ("distinct", "ragbench"):
        raise OutputError(f"`mode` is distinct or ragbench, not {mode!r}")
    if mode == "ragbench" and unit != "sentence":
        raise OutputError("the mode ragbench counts sentences")
    lengths = _measure_lengths(_list_pairs(documents), _measure(unit, tokenizer))
    reasons: dict[str, str] = {}
    repairs: list[str] = []
    mapping = _read_mapping(reply, repairs, reasons)
    judgement = parse_judgement(mapping, frozenset(lengths), repairs)
    scores = _Scores(lengths, reasons)
    scores.share("relevance", judgement.relevant, mapping, "all_relevant_sentence_keys")
    scores.share("utilization", judgement.utilized, mapping, "all_utilized_sentence_keys")
    scores.completeness(judgement, mapping)
    scores.adherence(judgement, mapping)
    if mode == "ragbench":
        scores.recount(mapping)
    return Trace(mapping, judgement, scores.values, repairs, reasons)


def _read_mapping(reply: str | Mapping[str, Any], repairs: list[str], reasons: dict[str, str]) -> Mapping[str, Any]:
    if isinstance(reply, Mapping):
        return reply
    try:
        reading = json_reader.read_reply(str(reply))
    except OutputError as error:
        reasons.update(dict.fromkeys(("relevance", "utilization", "completeness", "adherence"), error.message))
        return {}
    repairs.extend(reading.repairs)
    value = reading.value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, Mapping):
        reason = "the reply is JSON, but no object"
        reasons.update(dict.fromkeys(("relevance", "utilization", "completeness", "adherence"), reason))
        return {}
    return value


def _list_pairs(documents: Sequence[Any]) -> Iterable[tuple[str, str]]:
    """The (key, sentence) pairs of all documents."""
    if isinstance(documents, str | Mapping) or not isinstance(documents, Sequence):
        raise OutputError("`documents` must be a list with a list of (key, sentence) pairs for each document")
    keyed = documents
    if any(isinstance(document, str | Mapping) for document in documents):
        keyed = split_documents(documents)
    for document in keyed:
        for pair in document:
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
                raise OutputError("a sentence of a document must be a pair: its key and its text")
            yield str(pair[0]), str(pair[1])


def _measure(unit: str, tokenizer: Any) -> Callable[[str], int]:
    if unit == "sentence":
        return lambda sentence: 1
    if unit == "character":
        return len
    if unit != "token":
        raise OutputError(f"`unit` is sentence, character or token, not {unit!r}")
    if tokenizer is None:
        raise OutputError("the unit token needs a tokenizer")
    return tokenizers.find_tokenizer(tokenizer).count


def _measure_lengths(pairs: Iterable[tuple[str, str]], measure: Callable[[str], int]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for key, sentence in pairs:
        if key in lengths:
            raise OutputError(f"the documents have two sentences with the key {key}")
        lengths[key] = measure(sentence)
    return lengths


@dataclass
class _Scores:
    """The scores so far; `reasons` says why one is None, or what is wrong with it."""

    lengths: Mapping[str, int]
    reasons: dict[str, str]
    values: dict[str, float | bool | None] = field(default_factory=dict)

    def _sum_lengths(self, keys: Iterable[str]) -> int:
        return sum(self.lengths[key] for key in keys)

    def _mark_undefined(self, metric: str, reason: str) -> None:
        self.values[metric] = None
        self.reasons.setdefault(metric, reason)

    def share(self, metric: str, keys: Sequence[str] | None, mapping: Mapping[str, Any], name: str) -> None:
        total_length = self._sum_lengths(self.lengths)
        if keys is None:
            self._mark_undefined(
                metric, f"`{name}` {'is not a list' if name in mapping else 'is missing in the reply'}"
            )
        elif not total_length:
            self._mark_undefined(metric, "the documents have no sentences")
        else:
            self.values[metric] = self._sum_lengths(keys) / total_length

    def completeness(self, judgement: Judgement, mapping: Mapping[str, Any]) -> None:
        if judgement.relevant is None or judgement.utilized is None:
            names = ("all_relevant_sentence_keys", "all_utilized_sentence_keys")
            name = names[judgement.relevant is not None]
            self._mark_undefined(
                "completeness", f"`{name}` {'is not a list' if name in mapping else 'is missing in the reply'}"
            )
        elif not self._sum_lengths(judgement.relevant):
            self._mark_undefined("completeness", "no sentence is relevant")
        else:
            both = set(judgement.relevant) & set(judgement.utilized)
            self.values["completeness"] = self._sum_lengths(both) / self._sum_lengths(judgement.relevant)

    def adherence(self, judgement: Judgement, mapping: Mapping[str, Any]) -> None:
        if judgement.supported is None:
            self._mark_undefined("adherence", judgement.trouble or "the reply judges no response sentence")
            return
        self.values["adherence"] = judgement.supported
        verdict = judgement.overall
        notes = [judgement.trouble] if judgement.trouble else []
        if verdict is not None and verdict != judgement.supported:
            sentences = ", ".join(judgement.unsupported)
            notes.append(
                f"`overall_supported` says {str(verdict).lower()}, but "
                + (
                    f"not fully supported: {sentences}"
                    if judgement.unsupported
                    else "every sentence is fully supported"
                )
            )
        if notes:
            self.reasons["adherence"] = "; ".join(notes)

    def recount(self, mapping: Mapping[str, Any]) -> None:
        """Count the way RAGBench does: lists as they are, and common keys once."""
        relevant, utilized = (
            _read_list(mapping, "all_relevant_sentence_keys"),
            _read_list(mapping, "all_utilized_sentence_keys"),
        )
        if self.lengths and relevant is not None:
            self.values["relevance"] = len(relevant) / len(self.lengths)
        if self.lengths and utilized is not None:
            self.values["utilization"] = len(utilized) / len(self.lengths)
        if relevant is not None and utilized is not None:
            both = set(relevant) & set(utilized)
            self.values["completeness"] = len(both) / len(relevant) if relevant else 1.0
            self.reasons.pop("completeness", None)
        unsupported = _read_list(mapping, "unsupported_response_sentence_keys")
        if unsupported is not None:
            self.values["adherence"] = not unsupported
            self.reasons.pop("adherence", None)


def _read_list(mapping: Mapping[str, Any], name: str) -> list[str] | None:
    value = mapping.get(name)
    return [strip_key(str(key)) for key in value] if isinstance(value, list | tuple) else None
