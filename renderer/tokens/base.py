"""The base class of tokenizers: a bounded cache of encodings, chat markup, and spans. Needs no vocabulary."""

import re
import threading
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from promptuary.renderer.errors import TokenizerError

__all__ = ["UNKNOWN_ID", "Estimate", "FunctionTokenizer", "RememberingTokenizer", "Span", "Tokenizer", "by_function"]

# Stands in the ids for a counted token without a known id: in an estimate, or for a mark without a published id.
UNKNOWN_ID = -1

# Limits of one tokenizer's cache; a text longer than the second number is never cached.
_MEMORY_BYTES = 48 * 1024 * 1024
_MAX_REMEMBERED_LENGTH = 1024 * 1024

Span = tuple[int, int]
Ids = Sequence[Any]


@runtime_checkable
class Tokenizer(Protocol):
    """The renderer's interface to tokenizers. Offsets and spans count code points; a span's end is exclusive."""

    @property
    def name(self) -> str: ...
    @property
    def revision(self) -> str:
        """Identifies the vocabulary: its sha256, or empty for a function or an estimate."""

    @property
    def exact(self) -> bool:
        """Whether counts are exact rather than estimated."""

    def encode(self, text: str) -> list[Any]:
        """Encode data; never returns a control token."""

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """Encode several texts separately. The results are shared, so callers must not modify them."""

    def encode_markup(self, text: str, marks: Mapping[str, int | None]) -> Ids:
        """Encode a profile's own markup; its marks and the vocabulary's control tokens become single ids."""

    def count(self, text: str) -> int: ...
    def count_spans(self, text: str, spans: Iterable[Span]) -> int:
        """Count the tokens of `text` that overlap any of the spans."""

    def find_boundaries(self, text: str) -> list[int]:
        """Return the ascending offsets at which tokens of `text` end: the places where it can be cut."""


class Memory:
    """A bounded cache of encodings by text. When the younger generation fills its half, the older is dropped."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._cost = 0
        self._young: dict[str, Ids] = {}
        self._old: dict[str, Ids] = {}
        self._lock = threading.Lock()

    def get(self, text: str) -> Ids | None:
        ids = self._young.get(text)
        if ids is None:
            ids = self._old.get(text)
            if ids is not None:
                self.put(text, ids)
        return ids

    def get_many(self, texts: Sequence[str]) -> list[Ids | None]:
        """Return the result of `get` for each text; recently used ones are found at the speed of a dict."""
        known_ids = list(map(self._young.get, texts))
        if self._old:
            return [self.get(text) if ids is None else ids for text, ids in zip(texts, known_ids, strict=True)]
        return known_ids

    def put(self, text: str, ids: Ids) -> None:
        # Python stores a string in 1 to 4 bytes per character, an array of ids in 4 bytes each, a tuple in far more.
        cost = 250 + 2 * len(text) + (4 if isinstance(ids, array) else 64) * len(ids)
        with self._lock:
            if self._cost + cost > self._half:
                self._old, self._young, self._cost = self._young, {}, 0
            self._young[text] = ids
            self._cost += cost


class RememberingTokenizer(ABC):
    """A tokenizer with a cache of recent encodings. Thread-safe."""

    name: str
    revision: str
    exact: bool

    def __init__(self, marks: Mapping[str, int] | None = None) -> None:
        self._marks = dict(marks or {})
        self._memory = Memory(_MEMORY_BYTES)
        self._markup: dict[tuple[str, tuple[tuple[str, int | None], ...]], list[Any]] = {}

    @abstractmethod
    def encode_new(self, texts: list[str]) -> Iterable[Sequence[Any]]:
        """Encode texts that aren't cached, in order."""

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        known_ids = self._memory.get_many(texts)
        missing = list(dict.fromkeys(text for text, ids in zip(texts, known_ids, strict=True) if ids is None))
        new = dict(zip(missing, map(_pack_ids, self.encode_new(missing)), strict=True)) if missing else {}
        for text, ids in new.items():
            if len(text) <= _MAX_REMEMBERED_LENGTH:
                self._memory.put(text, ids)
        return [new[text] if ids is None else ids for text, ids in zip(texts, known_ids, strict=True)]

    def encode(self, text: str) -> list[Any]:
        return list(self.encode_many((text,))[0])

    def count(self, text: str) -> int:
        return len(self.encode_many((text,))[0])

    def encode_markup(self, text: str, marks: Mapping[str, int | None]) -> Ids:
        key = (text, tuple(marks.items()))
        ids = self._markup.get(key)
        if ids is None:
            ids = self._encode_markup(text, {**marks, **self._marks})
            if len(self._markup) < 4096:
                self._markup[key] = ids
        return ids

    def _encode_markup(self, text: str, marks: Mapping[str, int | None]) -> list[Any]:
        marks_in_text = sorted((mark for mark in marks if mark and mark in text), key=len, reverse=True)
        pieces = re.split("(" + "|".join(map(re.escape, marks_in_text)) + ")", text) if marks_in_text else [text]
        ids: list[Any] = []
        for piece in pieces:
            if piece in marks:
                mark = marks[piece]
                ids.append(UNKNOWN_ID if mark is None else mark)
            elif piece:
                ids.extend(self.encode(piece))
        return ids


class FunctionTokenizer(RememberingTokenizer):
    """A caller's function from text to a sequence, whose items are the tokens, whatever they are."""

    exact = True
    revision = ""

    def __init__(self, function: Callable[[str], Sequence[Any]]) -> None:
        super().__init__()
        self.name = str(getattr(function, "__qualname__", type(function).__name__))
        self._function = function

    def encode_new(self, texts: list[str]) -> Iterable[Sequence[Any]]:
        for text in texts:
            tokens = self._function(text)
            if isinstance(tokens, str) or not isinstance(tokens, Sequence):
                raise TokenizerError(
                    f"The tokenizer {self.name} must return a list of tokens, not {type(tokens).__name__}."
                )
            yield tokens

    def count_spans(self, text: str, spans: Iterable[Span]) -> int:
        """A function has no offsets, so this counts how many tokens fewer there are without the spans."""
        span_list = merge_spans(spans)
        edges = [0, *(edge for span in span_list for edge in span), len(text)]
        rest = "".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
        return max(0, self.count(text) - self.count(rest)) if span_list else 0

    def find_boundaries(self, text: str) -> list[int]:
        return list(range(1, len(text) + 1))


class Estimate(RememberingTokenizer):
    """An estimate without a vocabulary: a number of characters per token, and one token per CJK character or emoji.

    Its ids are all UNKNOWN_ID and `exact` is False, so that they can't be mistaken for real ones.
    """

    exact = False
    revision = ""
    _wide = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U0001f000-\U0003ffff]")

    def __init__(self, of: str = "", characters: float = 4.0) -> None:
        super().__init__()
        self.name = f"estimate of {of}" if of else "estimate"
        self._characters = characters

    def encode_new(self, texts: list[str]) -> Iterable[Sequence[int]]:
        return ([UNKNOWN_ID] * self._estimate(text) for text in texts)

    def _estimate(self, text: str) -> int:
        wide = len(self._wide.findall(text))
        return wide - int(-(len(text) - wide) // self._characters)

    def least(self, text: str) -> int:
        """Return the minimum that `text` adds to the estimate of any text containing it."""
        wide = len(self._wide.findall(text))
        return wide + int((len(text) - wide) // self._characters)

    def count_spans(self, text: str, spans: Iterable[Span]) -> int:
        return min(self.count(text), sum(self._estimate(text[start:end]) for start, end in merge_spans(spans)))

    def find_boundaries(self, text: str) -> list[int]:
        return list(range(1, len(text) + 1))


def _pack_ids(ids: Sequence[Any]) -> Ids:
    """Store ids in four bytes each; tokens that aren't such numbers stay as they are."""
    if type(ids) is array:
        return ids
    try:
        return array("i", ids)
    except (TypeError, OverflowError):
        return tuple(ids)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans and merge adjacent ones; empty ones are dropped."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def count_overlapping(offsets: Sequence[Span], spans: list[Span]) -> int:
    """Count the tokens, given by their offsets in order, that overlap any of the merged spans."""
    count = place = 0
    for start, end in offsets:
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        if place == len(spans):
            break
        count += spans[place][0] < end
    return count


def count_overlapping_ends(ends: Sequence[int], spans: list[Span]) -> int:
    """As `count_overlapping`, for tokens without gaps between them, given by the ascending offsets of their ends."""
    count = counted = 0
    for start, end in spans:
        first = max(bisect_right(ends, start), counted)
        counted = min(bisect_left(ends, end), len(ends) - 1) + 1
        count += max(counted - first, 0)
    return count


@lru_cache(maxsize=16)
def by_function(function: Callable[[str], Sequence[Any]]) -> FunctionTokenizer:
    """Return the tokenizer of a function, always the same one, so that its cache is kept."""
    return FunctionTokenizer(function)
