"""The judgement in a judge's reply, with its keys and booleans normalised."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["SPECIAL", "Judgement", "Support", "parse_judgement", "strip_key"]

SPECIAL = frozenset(("supported_without_sentence", "general", "well_known_fact", "numerical_reasoning"))
"""What a judge may write in place of a sentence key: supported, but not by a sentence."""


@dataclass(frozen=True, slots=True)
class Support:
    """What the judge says about one response sentence: fully supported or not (None: no verdict), and by what.

    `reasons` are the words of `SPECIAL` used in place of sentence keys.
    """

    key: str
    fully: bool | None
    keys: tuple[str, ...]
    reasons: tuple[str, ...]
    explanation: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Keys of document sentences, without unknown ones and duplicates; None if the reply has no such list.

    `supported` is None if no response sentence is judged; `unsupported` are the response sentences that aren't fully
    supported; `trouble` describes what is wrong with them.
    """

    relevant: list[str] | None
    utilized: list[str] | None
    unsupported: list[str]
    supported: bool | None
    overall: bool | None
    unknown: list[str]
    duplicates: list[str]
    trouble: str = ""
    sentences: tuple[Support, ...] = ()


def parse_judgement(reply: Mapping[str, Any], sentence_keys: frozenset[str], repairs: list[str]) -> Judgement:
    """Parse a judge's mapping. `known` are the keys of the documents' sentences; corrections are added to `repairs`."""
    keys = _Keys(sentence_keys)
    relevant = keys.read(reply.get("all_relevant_sentence_keys"))
    utilized = keys.read(reply.get("all_utilized_sentence_keys"))
    sentences = _Sentences(keys, repairs, reply.get("unsupported_response_sentence_keys"))
    sentences.read(reply.get("sentence_support_information"))
    overall = read_boolean(reply.get("overall_supported"), "overall_supported", repairs)
    if keys.mended:
        repairs.append(f"read the keys {', '.join(keys.mended)} without their dots, quotes, capitals or space")
    return Judgement(
        relevant,
        utilized,
        list(sentences.unsupported),
        not sentences.unsupported if sentences.judged else None,
        overall,
        list(keys.unknown),
        list(keys.duplicates),
        "; ".join(sentences.troubles),
        tuple(sentences.found),
    )


_TRUE, _FALSE = frozenset(("true", "yes", "1")), frozenset(("false", "no", "0"))


def read_boolean(value: Any, name: str, repairs: list[str]) -> bool | None:
    """Read a boolean, which may be written as text; None for anything else."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().strip("\"'").lower() if isinstance(value, str | int) else ""
    if word in _TRUE or word in _FALSE:
        note = f"read {value!r} in `{name}` as {str(word in _TRUE).lower()}"
        if note not in repairs:
            repairs.append(note)
        return word in _TRUE
    return None


class _Keys:
    """Reads lists of sentence keys and records the unknown, duplicate and malformed ones."""

    def __init__(self, sentence_keys: frozenset[str]) -> None:
        self._known = sentence_keys
        self._folded = {key.lower(): key for key in sentence_keys}
        self.unknown: dict[str, None] = {}
        self.duplicates: dict[str, None] = {}
        self.mended: dict[str, None] = {}

    def read(self, value: Any) -> list[str] | None:
        """Return the known keys of a list, without duplicates; None for other values. "0a, 0b" is a list too."""
        items = _list_items(value)
        if items is None:
            return None
        keys: dict[str, None] = {}
        for item in items:
            key = self._read_key(item)
            if key in SPECIAL:
                continue
            if key not in self._known:
                self.unknown[key] = None
            elif key in keys:
                self.duplicates[key] = None
            else:
                keys[key] = None
        return list(keys)

    def _read_key(self, item: Any) -> str:
        text = str(item)
        if text in self._known:
            return text
        stripped = strip_key(text)
        key = self._folded.get(stripped.lower(), stripped)
        if key in self._known:
            self.mended[repr(text)] = None
        return stripped.lower() if stripped.lower() in SPECIAL else key


def strip_key(text: str) -> str:
    """Strip the dot, quotes, brackets and space that a judge may put around a key."""
    return re.sub(r"\s+", "", text).strip("\"'`‘’“”()[]<>.,:;")


def _list_items(value: Any) -> Iterable[Any] | None:
    if isinstance(value, str):
        return [item for item in re.split(r"[,;\s]+", value) if item]
    if isinstance(value, Sequence):
        return value
    return None


class _Sentences:
    """Reads the judgement of each response sentence; `listed` are the unsupported ones that RAGBench's rows list."""

    def __init__(self, keys: _Keys, repairs: list[str], unsupported: Any) -> None:
        self._keys = keys
        self._repairs = repairs
        items = _list_items(unsupported)
        self._listed = None if items is None else [strip_key(str(item)) for item in items]
        self.judged = self._listed is not None
        self.unsupported: dict[str, None] = dict.fromkeys(self._listed or ())
        self.troubles: list[str] = []
        self.found: list[Support] = []

    def read(self, value: Any) -> None:
        if isinstance(value, Mapping):  # keyed by sentence, or a single sentence without its list
            value = (
                [value]
                if "response_sentence_key" in value or "fully_supported" in value
                else [
                    {"response_sentence_key": key, **item} for key, item in value.items() if isinstance(item, Mapping)
                ]
            )
            self._repairs.append("read `sentence_support_information` as a list")
        if not isinstance(value, Sequence) or isinstance(value, str):
            missing = "is missing in the reply" if value is None else "is not a list"
            self.troubles.append(f"`sentence_support_information` {missing}")
            return
        for number, item in enumerate(value, start=1):
            if isinstance(item, Mapping):
                self._read_sentence(item, number)
            else:
                self.troubles.append(f"item {number} of `sentence_support_information` is not an object")
        if not value:
            self.troubles.append("`sentence_support_information` is empty")

    def _read_sentence(self, item: Mapping[str, Any], number: int) -> None:
        self.judged = True
        sentence_key = item.get("response_sentence_key")
        key = f"sentence {number}" if sentence_key is None else strip_key(str(sentence_key)) or f"sentence {number}"
        support = self._support(item.get("supporting_sentence_keys"))
        fully = read_boolean(item.get("fully_supported"), "fully_supported", self._repairs)
        if fully is None and self._listed is not None:
            fully = key not in self._listed
        if fully is None:
            self.troubles.append(f"{key} has no verdict")
        elif fully and support == []:
            self.troubles.append(f"{key} is called fully supported, but by no sentence that there is")
        if not fully or support == []:
            self.unsupported[key] = None
        support_keys = tuple(support or ())
        self.found.append(
            Support(
                key,
                None if fully is None else fully and support != [],
                tuple(item for item in support_keys if item not in SPECIAL),
                tuple(item for item in support_keys if item in SPECIAL),
                str(item.get("explanation") or ""),
            )
        )

    def _support(self, value: Any) -> list[str] | None:
        """The sentences and special reasons that support a sentence; None if the reply doesn't say."""
        items = _list_items(value)
        if items is None:
            return None
        item_list = list(items)
        words = [strip_key(str(item)).lower() for item in item_list]
        return [*(self._keys.read(item_list) or []), *(word for word in words if word in SPECIAL)]
