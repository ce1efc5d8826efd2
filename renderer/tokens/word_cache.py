"""Tokens by word: most words of a text have been seen before, and need not be tokenized again.

Byte-level vocabularies split a text by a pattern before they look for tokens. In the patterns supported here, a space
is the first character of its piece or follows other white space. So the text is split before every space that follows
anything else, and the text between two such splits has the same tokens wherever it occurs. New words are encoded by the
vocabulary itself.
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
# Everything that any version of Unicode considers white space, and similar invisible characters.
_AFTER_BLANK = re.compile("[\\s\u180e\u200b-\u200d\u2060\ufeff] ")
_CUT = re.compile("(?<=[^\\s\u180e\u200b-\u200d\u2060\ufeff]) ")
_SPACE = "\u2581"
"""The character for a space in vocabularies that look for byte pairs in the whole text."""
_PROBES = [
    "It's WE'LL they'Re 'tis I'd, x've \"quoted\" café Ångström 1234567 3.14 a1b2 naïve/plain e\u0301 \u0301x",
    "  two   spaces\n\n \n\tand\r\n\r\n  tabs\t\tx\u00a0y \u0085 \x1c z/\n//\r a_b-c {}[]()<>|\\ \u2026 \t \n x \r\n",
    "Привет, мир! 你好 世界 \u3000 x 안녕 세계 نعم لا ไทย नमस्ते ② ½ \u2028 y \u2009 z \u180e w \u200b v",
]
_MAX_WORDS = 60_000
_MAX_WORD_LENGTH = 48
_MAX_AT_ONCE = 5_000
_TOGETHER = 32

Encode = Callable[[list[str]], Iterable[Sequence[int]]]


class _Waiting(NamedTuple):
    """A text with some new words."""

    place: int
    text: str
    words: list[str]


class WordMemory:
    """The tokens of known words, bounded. Thread-safe: a full cache is replaced as a whole, never cleared."""

    def __init__(self, encode: Encode, spelling: Callable[[int], str | None]) -> None:
        self._encode = encode
        self._spelling = spelling
        self._sizes: dict[int, int] = {}
        # By the word without the space before it; the second is for words at the start of a text, which have none.
        self._known: tuple[dict[str, bytes], dict[str, bytes]] = ({}, {})

    @classmethod
    def of(cls, rules: Any, encode: Encode, spelling: Callable[[int], str | None]) -> "WordMemory | None":
        """Make one for a `tokenizers.Tokenizer` if it splits in a known way, verified on some texts.

        `encode` returns the ids of texts, `spelling` the vocabulary's spelling of an id; `rules` needs neither.
        """
        if not _cuts_before_spaces(rules):
            return None
        memory = cls(encode, spelling)
        # In the first round they are learned from the texts, in the second put together from words.
        for probes in (_PROBES, _PROBES):
            for words, expected_ids in zip(memory.encode(probes), encode(probes), strict=True):
                if words is None or list(words) != list(expected_ids):
                    return None
        return memory

    def encode(self, texts: Sequence[str]) -> list["array[int] | None"]:
        """Return the ids of each text, None if the vocabulary has to encode it as a whole."""
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
                if len(waiting) == _TOGETHER:  # the next texts may need what these teach
                    self._learn(waiting, encoded)
                    inner, first = self._known
                    waiting = []
        if waiting:
            self._learn(waiting, encoded)
        return encoded

    def _learn(self, waiting: list[_Waiting], encoded: list["array[int] | None"]) -> None:
        """Encode what is new: words of texts with few new ones, otherwise whole texts, from which words are learned."""
        inner, first = self._known
        if len(inner) + len(first) > _MAX_WORDS:
            inner, first = self._known = ({}, {})
        few: list[_Waiting] = []
        many: list[_Waiting] = []
        for text in waiting:
            unknown_count = sum(word not in inner for word in text.words[1:]) + (text.words[0] not in first)
            # A single word takes about twice as long by itself as in a text.
            alone = 2 * unknown_count <= len(text.words) and max(map(len, text.words)) <= _MAX_WORD_LENGTH
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
        """Split a text's ids by word: a byte-level token has as many characters as it has bytes in the text."""
        inner, first = self._known
        if len(inner) > _MAX_WORDS or not 1 < len(text.words) <= _MAX_AT_ONCE:
            return
        if not is_normalized("NFC", text.text):
            return  # some vocabularies encode a normalised spelling, with other bytes
        ends = dict(zip(accumulate(self._list_sizes(ids)), range(4, 4 * len(ids) + 4, 4), strict=True))
        packed, start, at, table = ids.tobytes(), 0, -1, first
        for word in text.words:
            size = len(word) if word.isascii() else len(word.encode())
            at += 1 + size
            end = ends.get(at, 0)
            if end <= start and word:
                return
            if size <= _MAX_WORD_LENGTH and word not in table:
                table[word] = packed[start:end]
            start, table = end, inner

    def find_ends(self, text: str, ids: Sequence[int]) -> list[int] | None:
        """Return the offset at which each of the text's tokens ends, None if the vocabulary has to find them.

        The tokens of an ASCII text have as many characters as bytes, and each begins where the one before it ends.
        """
        ends = list(accumulate(self._list_sizes(ids))) if text.isascii() else []
        return ends if ends and ends[-1] == len(text) else None

    def _list_sizes(self, ids: Sequence[int]) -> list[int]:
        sizes = self._sizes
        try:
            return list(map(sizes.__getitem__, ids))
        except KeyError:
            sizes.update((token, len(self._spelling(token) or "")) for token in set(ids) if token not in sizes)
            return list(map(sizes.__getitem__, ids))


def _cuts_before_spaces(core: Any) -> bool:
    """Whether a vocabulary consists only of a split by one of the patterns and byte pairs."""
    if type(core.model).__name__ != "BPE" or core.model.dropout or core.get_added_tokens_decoder():
        return False
    if core.truncation is not None or core.padding is not None or core.pre_tokenizer is None:
        return False
    if core.normalizer is not None and _read_facts(core.normalizer) != {"type": "NFC"}:
        return False
    steps = _read_facts(core.pre_tokenizer).get("pretokenizers") or []
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
    """Whether no token of a vocabulary spans a letter, digit or sign and the space after it.

    The text on each side of such a place has the same tokens whatever the other side is. That holds if a pattern
    supported here splits the text there, or if byte pairs are looked for in the whole text but none contains such a
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
    steps = _read_facts(core.pre_tokenizer).get("pretokenizers") or []
    return [step.get("type") for step in steps[-2:]] == ["Split", "ByteLevel"] and steps[-2]["pattern"].get(
        "Regex"
    ) == _PIECEWISE


def starts_with_space(core: Any) -> bool:
    """Whether a vocabulary puts a space before each text."""
    return core.normalizer is not None and '"Prepend"' in json.dumps(_read_facts(core.normalizer))


def _read_facts(step: Any) -> dict[str, Any]:
    facts = json.loads(step.__getstate__())
    return facts if isinstance(facts, dict) else {}
