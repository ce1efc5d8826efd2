r"""Regular expressions written by authors, with protection against slow matching.

RE2 runs in linear time. What it doesn't support (lookaround, backreferences, counts above 1,000) needs a backtracking
engine, whose time can be exponential: such a pattern is accepted with a warning on save, and texts of more than
MAX_BACKTRACKED characters are refused.

The semantics are those of JSON Schema, which are Python's `re` with two exceptions: `$` doesn't match before a final
newline, and `\b` considers ASCII letters only. `\d`, `\w` and `\s` cover all of Unicode.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    import re2
else:
    re2 = Deferred("re2")

__all__ = ["MAX_BACKTRACKED", "Pattern", "PatternError", "TooLong", "compile_pattern"]

MAX_BACKTRACKED = 1_000
"""The maximum characters of a text for a pattern that needs backtracking."""

_MAX_PATTERN = 10_000
_MAX_MEMORY = 8 << 20
_KEPT = 256


class PatternError(Exception):
    """The pattern isn't a valid regular expression; the message says why."""


class TooLong(Exception):
    """A text is too long for a pattern that needs backtracking; the message has the lengths, never the text."""


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern. `reason` says why it isn't linear, None if it is."""

    source: str
    groups: int
    reason: str | None
    _engine: Any

    @property
    def is_linear(self) -> bool:
        """Whether it runs in linear time on any text."""
        return self.reason is None

    def search(self, text: str) -> Any:
        """Return the first match (with `re`'s `[n]`, `lastindex`, `span()`), or None. Raises TooLong."""
        return self._engine.search(self._check_length(text))

    def finditer(self, text: str) -> Iterator[Any]:
        """Yield all matches. Raises TooLong."""
        return iter(self._engine.finditer(self._check_length(text)))

    def fullmatch(self, text: str) -> Any:
        """Return the match of the whole text, or None. Raises TooLong."""
        return self._engine.fullmatch(self._check_length(text))

    def _check_length(self, text: str) -> str:
        if self.is_linear:
            # RE2 reads UTF-8, which can't encode half of a surrogate pair.
            return text if text.isascii() else _HALVES.sub("\ufffd", text)
        if len(text) > MAX_BACKTRACKED:
            raise TooLong(
                f"the text has {len(text):,} characters; its pattern needs backtracking, so at most "
                f"{MAX_BACKTRACKED:,} are looked at"
            )
        return text


_HALVES = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=_KEPT)
def compile_pattern(source: str, *, ignore_case: bool = False) -> Pattern:
    """Compile the pattern. The result is thread-safe. Raises PatternError."""
    if len(source) > _MAX_PATTERN:
        raise PatternError(f"a pattern has at most {_MAX_PATTERN:,} characters")
    try:
        reference = re.compile(source, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(str(error)) from None
    try:
        engine = _compile_linear(_translate_source(source), ignore_case)
        if engine.groups == reference.groups:
            return Pattern(source, reference.groups, None, engine)
        reason = "its groups are counted otherwise"
    except _Unknown as error:
        reason = str(error)
    return Pattern(source, reference.groups, reason, reference)


class _Unknown(Exception):
    """RE2 doesn't support something; the message names it."""


def _compile_linear(source: str, ignore_case: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(source, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise _Unknown(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None


# Inside a character class, and the same in its own brackets.
_CLASSES = {
    "d": r"\p{Nd}",
    "D": r"\P{Nd}",
    "w": r"\p{L}\p{N}_",
    "s": r"\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}",
    "S": r"\x00-\x08\x0e-\x1b\x21-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"
    r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}",
}
_PIECE = re.compile(
    r"\\(?:u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|x(?P<x>[0-9a-fA-F]{2})|(?P<octal>0[0-7]{0,2})|(?P<escaped>.))"
    r"|(?P<all>\[(?:\\s\\S|\\S\\s|\\d\\D|\\D\\d|\\w\\W|\\W\\w)\])|\{,(?P<most>\d+)\}|\[\^?\]?|.",
    re.DOTALL,
)


def _translate_source(source: str) -> str:
    """The pattern in RE2's syntax. Raises _Unknown."""
    text: list[str] = []
    is_class = False
    for piece in _PIECE.finditer(source):
        code = piece["u"] or piece["U"] or piece["x"]
        if code or piece["octal"]:
            text.append(rf"\x{{{int(code, 16) if code else int(piece['octal'], 8):x}}}")
        elif piece["escaped"]:
            text.append(_escape(piece["escaped"], is_class))
        elif is_class:
            is_class = piece[0] != "]"
            text.append(piece[0].replace("[", r"\["))
        elif piece["all"]:
            text.append("(?s:.)")
        elif piece["most"]:
            text.append(f"{{0,{piece['most']}}}")
        else:
            is_class = piece[0].startswith("[")
            text.append(piece[0].replace("]", r"\]") if is_class else piece[0])
    return "".join(text)


def _escape(letter: str, is_class: bool) -> str:
    if letter in _CLASSES:
        return _CLASSES[letter] if is_class else f"[{_CLASSES[letter]}]"
    if letter == "W":
        if is_class:
            raise _Unknown(r"`\W` inside brackets")
        return f"[^{_CLASSES['w']}]"
    if letter == "Z" and not is_class:
        return r"\z"
    if letter == "b" and is_class:
        return r"\x08"
    return letter if letter == "_" or not letter.isascii() else "\\" + letter
