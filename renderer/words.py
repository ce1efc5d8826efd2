"""Tokens by word: most words of a text have been seen before, and their tokens need not be found again.

Byte level vocabularies cut a text by a pattern before they look for tokens. In the patterns known here a space comes first in
its piece, or after other white space; so before every space that follows something else there is a cut, and what stands
between two such cuts has the same tokens wherever it stands. New words are encoded by the vocabulary itself.
"""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

__all__ = ["WordMemory"]

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
_PROBES = [
    "It's WE'LL they'Re 'tis I'd, x've \"quoted\" café Ångström 1234567 3.14 a1b2 naïve/plain e\u0301 \u0301x",
    "  two   spaces\n\n \n\tand\r\n\r\n  tabs\t\tx\u00a0y \u0085 \x1c z/\n//\r a_b-c {}[]()<>|\\ \u2026 \t \n x \r\n",
    "Привет, мир! 你好 世界 \u3000 x 안녕 세계 نعم لا ไทย नमस्ते ② ½ \u2028 y \u2009 z \u180e w \u200b v",
]
_MOST_WORDS = 60_000
_LONGEST_WORD = 48
_FEW = 5_000

Encode = Callable[[list[str]], Iterable[Sequence[int]]]


class WordMemory:
    """The tokens of words seen, bounded. Threads may share it: a full memory is put aside whole, never emptied."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        # By the word without the space before it; the second is for those that start a text and have none.
        self._known: tuple[dict[str, bytes], dict[str, bytes]] = ({}, {})

    @classmethod
    def of(cls, core: Any, encode: Encode) -> "WordMemory | None":
        """For a `tokenizers.Tokenizer`, if it cuts as is known here and a look at some texts confirms it."""
        if not _cuts_before_spaces(core):
            return None
        made = cls(encode)
        for words, whole in zip(made.encode(_PROBES), encode(_PROBES), strict=True):
            if words is None or list(words) != list(whole):
                return None
        return made

    def encode(self, texts: Sequence[str]) -> list["array[int] | None"]:
        """The ids of each text, None where the vocabulary has to encode it whole."""
        known, first = self._known
        found: list[array[int] | None] = []
        waiting: list[tuple[int, list[str]]] = []
        for text in texts:
            words = _CUT.split(text) if _AFTER_BLANK.search(text) else text.split(" ")
            try:
                found.append(array("i", first[words[0]] + b"".join(map(known.__getitem__, words[1:]))))
            except KeyError:
                waiting.append((len(found), words))
                found.append(None)
        if waiting:
            self._learn(waiting, found)
        return found

    def _learn(self, waiting: list[tuple[int, list[str]]], found: list["array[int] | None"]) -> None:
        """Encode the new words and so the texts that wait, but for those with a long word; none if most words are new."""
        waiting = [(place, words) for place, words in waiting if max(map(len, words)) <= _LONGEST_WORD]
        known, first = self._known
        new = {word for _, words in waiting for word in words[1:]} - known.keys()
        if len(known) > _FEW and 2 * len(new) > sum(len(words) for _, words in waiting):
            return
        starts = {words[0] for _, words in waiting} - first.keys()
        if len(known) + len(first) + len(new) + len(starts) > _MOST_WORDS:
            known, first = self._known = ({}, {})
            new = {word for _, words in waiting for word in words[1:]}
            starts = {words[0] for _, words in waiting}
        ids = iter(self._encode([*(f" {word}" for word in new), *starts]))
        known.update((word, array("i", next(ids)).tobytes()) for word in new)
        first.update((word, array("i", next(ids)).tobytes()) for word in starts)
        for place, words in waiting:
            found[place] = array("i", first[words[0]] + b"".join(map(known.__getitem__, words[1:])))


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


def _facts(step: Any) -> dict[str, Any]:
    facts = json.loads(step.__getstate__())
    return facts if isinstance(facts, dict) else {}
