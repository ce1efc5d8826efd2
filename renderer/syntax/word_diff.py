"""Which words differ between two short texts, such as two lines or two answers."""

import re
from typing import NamedTuple

from promptuary.renderer.syntax import sequence_diff
from promptuary.renderer.syntax.alignment import Effort

__all__ = ["WORD", "WORD_STEPS", "Word", "diff_words"]

WORD = re.compile(r"\w+|[^\S\n]+|[^\w\s]")
"""A word, a run of spaces, or one mark: what a person would call one changed thing."""

WORD_STEPS = 500_000
"""Steps that all word marks of one comparison may take together; after that texts are marked as a whole."""

_MOST_WORDS = 600
"""Marks inside longer texts would cost more than they tell."""


class Word(NamedTuple):
    """A run of a text, marked where it is not in the other text."""

    text: str
    changed: bool = False


def diff_words(
    old: str, new: str, effort: Effort | None = None, *, most_words: int = _MOST_WORDS
) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Both texts as runs, with what differs marked; joined, the runs of a side give its text again.

    effort: what several comparisons may cost together. most_words: texts with more words than this, counted together,
    are marked as a whole.
    """
    before, after = _split_words(old), _split_words(new)
    effort = effort or Effort(WORD_STEPS)
    if len(before) + len(after) > most_words or not effort.left:
        return (Word(old, True),), (Word(new, True),)
    left: list[Word] = []
    right: list[Word] = []
    for kind, i1, i2, j1, j2 in sequence_diff.steps(before, after, effort):
        changed = kind != "equal"
        _push(left, "".join(before[i1:i2]), changed)
        _push(right, "".join(after[j1:j2]), changed)
    return _join_islands(left), _join_islands(right)


def _split_words(text: str) -> list[str]:
    return WORD.findall(text)


def _push(words: list[Word], text: str, changed: bool) -> None:
    if text:
        words.append(Word(text, changed))


def _join_islands(words: list[Word]) -> tuple[Word, ...]:
    """A lone space between two changed words is part of the change: one mark reads better than three."""
    words_joined: list[Word] = []
    for index, word in enumerate(words):
        between = 0 < index < len(words) - 1 and words[index - 1].changed and words[index + 1].changed
        changed = word.changed or (between and word.text.isspace())
        if words_joined and words_joined[-1].changed == changed:
            words_joined[-1] = Word(words_joined[-1].text + word.text, changed)
        else:
            words_joined.append(Word(word.text, changed))
    return tuple(words_joined)
