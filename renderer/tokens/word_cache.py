"""Tokens by word: most words of a text have been seen before, and their tokens need not be found again.

Byte level vocabularies cut a text by a pattern before they look for tokens. In the patterns known here a space comes
first in its piece, or after other white space; so before every space that follows something else there is a cut, and
what is between two such cuts has the same tokens wherever it is. New words are encoded by the vocabulary
itself.
"""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple
from unicodedata import is_normalized

__all__ = ["WordMemory", "separates_words", "starts_with_space"]

_CASES = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LEAD, _ENDS = r"[^\r\n\p{L}\p{N}]?", r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n"
_PATTERNS = frozenset(
    [
        *(f"{_CASES}|{_LEAD}\\p{{L}}+|\\p{{N}}{digits}{_SIGNS}]*{_ENDS}" for digits in ("{1,3}", "")),
        *(
            f"{_LEAD}{_UPPER}*{_LOWER}+{cases}|{_LEAD}{_UPPER}+{_LOWER}*{cases}|\\p{{N}}{digits}{_SIGNS}/]*{_ENDS}"
            for cases in (f"{_CASES}?", "")
            for digits in ("{1,3}", "")
        ),
    ]
)
# All that any version of Unicode takes for white space, and what is invisible like it.
_AFTER_BLANK = re.compile("[\\s\u180e\u200b-\u200d\u2060\ufeff] ")
_CUT = re.compile("(?<=[^\\s\u180e\u200b-\u200d\u2060\ufeff]) ")
_SPACE = "\u2581"
"""What stands for a space in vocabularies that look for byte pairs in the whole text."""
_PROBES = [
    "It's WE'LL they'Re 'tis I'd, x've \"quoted\" café Ångström 1234567 3.14 a1b2 naïve/plain e\u0301 \u0301x",
    "  two   spaces\n\n \n\tand\r\n\r\n  tabs\t\tx\u00a0y \u0085 \x1c z/\n//\r a_b-c {}[]()<>|\\ \u2026 \t \n x \r\n",
    "Привет, мир! 你好 世界 \u3000 x 안녕 세계 نعم لا ไทย नमस्ते ② ½ \u2028 y \u2009 z \u180e w \u200b v",
]
_MOST_WORDS = 60_000
_LONGEST_WORD = 48
_MOST_AT_ONCE = 5_000
_TOGETHER = 32

Encode = Callable[[list[str]], Iterable[Sequence[int]]]


class _Waiting(NamedTuple):
    """A text some of whose words are new."""

    place: int
    text: str
    words: list[str]


class WordMemory:
    """The tokens of words seen, bounded. Threads may share it: a full memory is put aside whole, never emptied."""

    def __init__(self, encode: Encode, spelling: Callable[[int], str | None]) -> None:
        self._encode = encode
        self._spelling = spelling
        self._sizes: dict[int, int] = {}
        # By the word without the space before it; the second is for those that start a text and have none.
        self._known: tuple[dict[str, bytes], dict[str, bytes]] = ({}, {})

    @classmethod
    def of(cls, rules: Any, encode: Encode, spelling: Callable[[int], str | None]) -> "WordMemory | None":
        """For a `tokenizers.Tokenizer`, if it cuts as is known here and a look at some texts confirms it.

        `encode` gives the ids of texts, `spelling` how the vocabulary spells an id; `rules` need hold neither.
        """
        if not _cuts_before_spaces(rules):
            return None
        memory = cls(encode, spelling)
        # Learnt from the texts in the first round, put together of words in the second.
        for probes in (_PROBES, _PROBES):
            for words, expected_ids in zip(memory.encode(probes), encode(probes), strict=True):
                if words is None or list(words) != list(expected_ids):
                    return None
        return memory

    def encode(self, texts: Sequence[str]) -> list["array[int] | None"]:
        """The ids of each text, None if the vocabulary has to encode it whole."""
        inner, first = self._known
        encoded: list[array[int] | None] = []
        waiting: list[_Waiting] = []
        for text in texts:
            words = _CUT.split(text) if _AFTER_BLANK.search(text) else text.split(" ")
            try:
                encoded.append(array("i", first[words[0]] + b"".join(map(inner.__getitem__, words[1:]))))
            except KeyError:
                waiting.append(_Waiting(len(encoded), text, words))
                encoded.append(None)
                if len(waiting) == _TOGETHER:  # what these teach, the next may need
                    self._learn(waiting, encoded)
                    inner, first = self._known
                    waiting = []
        if waiting:
            self._learn(waiting, encoded)
        return encoded

    def _learn(self, waiting: list[_Waiting], encoded: list["array[int] | None"]) -> None:
        """Encode what is new: the few new words of a text that has but few, else the text, which also teaches its
        words.
        """
        inner, first = self._known
        if len(inner) + len(first) > _MOST_WORDS:
            inner, first = self._known = ({}, {})
        few: list[_Waiting] = []
        many: list[_Waiting] = []
        for text in waiting:
            missing = sum(word not in inner for word in text.words[1:]) + (text.words[0] not in first)
            # By itself a word takes about twice the time that it takes in its text.
            alone = 2 * missing <= len(text.words) and max(map(len, text.words)) <= _LONGEST_WORD
            (few if alone else many).append(text)
        for text, ids in zip(many, self._encode([text.text for text in many]) if many else (), strict=True):
            encoded[text.place] = packed = array("i", ids)
            self._teach(text, packed)
        new = {word for text in few for word in text.words[1:] if word not in inner}
        starts = {text.words[0] for text in few if text.words[0] not in first}
        single = iter(self._encode([*(f" {word}" for word in new), *starts]) if new or starts else ())
        inner.update((word, array("i", next(single)).tobytes()) for word in new)
        first.update((word, array("i", next(single)).tobytes()) for word in starts)
        for text in few:
            encoded[text.place] = array("i", first[text.words[0]] + b"".join(map(inner.__getitem__, text.words[1:])))

    def _teach(self, text: _Waiting, ids: "array[int]") -> None:
        """Share a text's ids out among its words: a byte level token has as many characters as the text has bytes
        there.
        """
        inner, first = self._known
        if len(inner) > _MOST_WORDS or not 1 < len(text.words) <= _MOST_AT_ONCE:
            return
        if not is_normalized("NFC", text.text):
            return  # some vocabularies encode another spelling of it, with other bytes
        ends = dict(zip(accumulate(self._sizes_of(ids)), range(4, 4 * len(ids) + 4, 4), strict=True))
        packed, start, at, table = ids.tobytes(), 0, -1, first
        for word in text.words:
            size = len(word) if word.isascii() else len(word.encode())
            at += 1 + size
            end = ends.get(at, 0)
            if end <= start and word:
                return
            if size <= _LONGEST_WORD and word not in table:
                table[word] = packed[start:end]
            start, table = end, inner

    def _sizes_of(self, ids: "array[int]") -> list[int]:
        sizes = self._sizes
        try:
            return list(map(sizes.__getitem__, ids))
        except KeyError:
            sizes.update((token, len(self._spelling(token) or "")) for token in set(ids) if token not in sizes)
            return list(map(sizes.__getitem__, ids))


def _cuts_before_spaces(core: Any) -> bool:
    """Whether a vocabulary is nothing but a cut by one of the patterns and byte pairs."""
    if type(core.model).__name__ != "BPE" or core.model.dropout or core.get_added_tokens_decoder():
        return False
    if core.truncation is not None or core.padding is not None or core.pre_tokenizer is None:
        return False
    if core.normalizer is not None and _facts(core.normalizer) != {"type": "NFC"}:
        return False
    steps = _facts(core.pre_tokenizer).get("pretokenizers") or []
    if [step.get("type") for step in steps] != ["Split", "ByteLevel"]:
        return False
    split, level = steps
    if split["behavior"] != "Isolated" or split["invert"] or level["add_prefix_space"] or level["use_regex"]:
        return False
    return split["pattern"].get("Regex") in _PATTERNS


_PIECEWISE = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^""" + "\r\n" + r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+" + "[\r\n]*" + r"|\s*" + "[\r\n]+" + r"|\s+(?!\S)|\s+"
)  # fmt: skip


def separates_words(core: Any) -> bool:
    """Whether no token of a vocabulary holds a letter, digit or sign and then a space.

    The text on each side of such a place has the same tokens whatever the other side is. So it is where the
    text is cut there by a pattern known here, and where byte pairs are looked for in the whole text but none has such a
    place.
    """
    if _cuts_before_spaces(core):
        return True
    if type(core.model).__name__ != "BPE" or core.model.dropout or core.get_added_tokens_decoder():
        return False
    if core.truncation is not None or core.padding is not None:
        return False
    if core.pre_tokenizer is None:
        return not any(_SPACE in piece.lstrip(_SPACE) for piece in core.get_vocab(with_added_tokens=False))
    steps = _facts(core.pre_tokenizer).get("pretokenizers") or []
    return [step.get("type") for step in steps[-2:]] == ["Split", "ByteLevel"] and steps[-2]["pattern"].get(
        "Regex"
    ) == _PIECEWISE


def starts_with_space(core: Any) -> bool:
    """Whether a vocabulary puts a space before each text by itself."""
    return core.normalizer is not None and '"Prepend"' in json.dumps(_facts(core.normalizer))


def _facts(step: Any) -> dict[str, Any]:
    facts = json.loads(step.__getstate__())
    return facts if isinstance(facts, dict) else {}
