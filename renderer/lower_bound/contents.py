"""The fewest tokens of a content whose values are not known.

Tokens are told apart by where they start. A token that starts in one of the author's texts is counted there and nowhere
else, so the texts of a content can be counted one by one, and added up.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from promptuary.renderer.tokens.base import Estimate, Tokenizer
from promptuary.renderer.tokens.tokenizers import VocabularyTokenizer

__all__ = ["Hole", "Piece", "Ruler"]


@dataclass(frozen=True, slots=True)
class Hole:
    """A value, of which `least` tokens are sure to start in it."""

    least: int = 0


Piece = str | Hole

# Where a vocabulary that separates words has a border whatever comes before and after: letters, digits and signs, then
# a space.
_BORDER = re.compile("(?<=[\\w!-~“”‘’…–—]) ")


class Ruler:
    """Counts with one tokenizer. `trims` says that white space at the ends of a content is not sent."""

    def __init__(self, tokenizer: Tokenizer, *, trims: bool = False) -> None:
        self.tokenizer = tokenizer
        self.trims = trims

    def content(self, pieces: Sequence[Piece], *, tidied: bool) -> int:
        """The fewest tokens of a whole content. `tidied` says that white space next to its ends goes where a value is
        empty.
        """
        merged = _joined(pieces)
        if len(merged) == 1 and isinstance(merged[0], str):
            return self.tokenizer.count(merged[0].strip() if self.trims else merged[0])
        return self._sum(merged, whole=True, tidied=tidied or self.trims)

    def inside(self, pieces: Sequence[Piece]) -> int:
        """The fewest tokens that start in these pieces, wherever they are."""
        return self._sum(_joined(pieces), whole=False, tidied=True)

    def _sum(self, pieces: Sequence[Piece], *, whole: bool, tidied: bool) -> int:
        tokens = 0
        for index, piece in enumerate(pieces):
            if isinstance(piece, Hole):
                tokens += piece.least
                continue
            starts, ends = whole and index == 0, whole and index == len(pieces) - 1
            text = piece
            if tidied:
                text = text if starts and not self.trims else text.lstrip()
                text = text if ends and not self.trims else text.rstrip()
            tokens += self.text(text, starts=starts, ends=ends)
        return tokens

    def text(self, text: str, *, starts: bool = False, ends: bool = False) -> int:
        """The fewest tokens that start in a text. `starts` and `ends` say that nothing comes before it, or after it."""
        if not text or (starts and ends):
            return self.tokenizer.count(text) if text else 0
        if isinstance(self.tokenizer, Estimate):
            return self.tokenizer.least(text)
        borders = self._borders(text)
        first = 0 if starts else borders[0] if borders else None
        last = len(text) if ends else borders[-1] if borders else None
        if first is None or last is None:
            # At the start of a content a token starts, as there is text there.
            return int(starts)
        count = self._count(text[first:last], after_word=not starts)
        return count + (last < len(text))

    def _borders(self, text: str) -> list[int]:
        if isinstance(self.tokenizer, VocabularyTokenizer) and self.tokenizer.separates_words:
            return [match.start() for match in _BORDER.finditer(text)]
        return []

    def _count(self, text: str, *, after_word: bool) -> int:
        if after_word and text and isinstance(self.tokenizer, VocabularyTokenizer):
            return self.tokenizer.count_after_word(text)
        return self.tokenizer.count(text)


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """The same with neighbouring texts as one."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    return merged
