"""Secrets in documents, samples and other user text, which are refused because all of it is stored and mirrored."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.validation.secret_patterns import PATTERNS, Pattern

if TYPE_CHECKING:
    import re2
else:
    re2 = Deferred("re2")

__all__ = ["ADVICE", "Secret", "find_hints", "find_secrets"]

# How to write about a key without writing one; `find_secrets` skips these.
ADVICE = "where only its form matters, cut it short as in AKIA…, or write xxxx in its place"

_ASSIGNED = re.compile(
    r"(?i)(?:\b(?:api[_-]?key|secret|passw(?:or)?d|access[_-]?token|auth[_-]?token)\b[\"']?\s{0,8}[:=]\s{0,8}[\"']?"
    r"|\bbearer\s{1,8})([A-Za-z0-9/+_.=-]{20,200})"
)
# Forty characters of base64: an AWS secret key without its name, among many other things.
_FORTY = re.compile(r"(?<![A-Za-z0-9/+=_.-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_.-])")
_SUSPICIOUS = (_ASSIGNED, _FORTY)
# The dot: without regard to case, Python takes a dotless i for an i.
_HINTS = (
    *("|".join(map(re.escape, pattern.keywords)) for pattern in PATTERNS),
    r"(?i)ap.[_-]?key|secret|passw(?:or)?d|(?:access|auth)[_-]?token|bearer",
    "[A-Za-z0-9/+]{40}",
)
_PLACEHOLDER = re.compile(r"(?i)x{4}|\*{3}|\.{3}|…|your[_-]|placeholder|redacted|change[_-]?me")


@dataclass(frozen=True, slots=True)
class Secret:
    """`start` and `end` are offsets; `sure` is False if it only looks suspicious."""

    kind: str
    start: int
    end: int
    sure: bool = True


def find_secrets(text: str) -> Iterator[Secret]:
    """Find what looks like a credential: first the certain ones, then the others, each in the order of the text.

    Overlapping matches are reported once. A placeholder is skipped: one with `xxxx`, `***`, `...`, `your-` or the like
    in it. Takes linear time.
    """
    hints = find_hints(text, _HINTS)
    return _find(text, [(*PATTERNS, *_SUSPICIOUS)[hint] for hint in hints])


def _find(text: str, patterns: Iterable[Pattern | re.Pattern[str]]) -> Iterator[Secret]:
    """As `find_secrets`, by these patterns only."""
    patterns = list(patterns)
    sure = list(_remove_overlaps(_find_known(text, [pattern for pattern in patterns if isinstance(pattern, Pattern)])))
    yield from sure
    yield from _skip_overlapping(sure, list(_remove_overlaps(_find_suspicious(text, patterns))))


def _find_known(text: str, patterns: Iterable[Pattern]) -> Iterator[Secret]:
    for pattern in patterns:
        for match in pattern.regex.finditer(text):
            start, end = match.span(1 if pattern.regex.groups else 0)
            if not _PLACEHOLDER.search(text, start, end):
                yield Secret(pattern.kind, start, end)


def _find_suspicious(text: str, patterns: Collection[Pattern | re.Pattern[str]]) -> Iterator[Secret]:
    if _ASSIGNED in patterns:
        for match in _ASSIGNED.finditer(text):
            if _is_random(match.group(1)) and not _PLACEHOLDER.search(match.group(1)):
                yield Secret("a secret", *match.span(1), sure=False)
    if _FORTY in patterns:
        for match in _FORTY.finditer(text):
            if _is_base64(match.group()):
                yield Secret("a secret", *match.span(), sure=False)


def _remove_overlaps(secrets: Iterable[Secret]) -> Iterator[Secret]:
    """Sort by position. Of overlapping ones, keep the one that begins first, or of those the one found first."""
    end = 0
    for secret in sorted(secrets, key=lambda secret: secret.start):
        if secret.start >= end:
            end = secret.end
            yield secret


def _skip_overlapping(accepted: list[Secret], secrets: list[Secret]) -> Iterator[Secret]:
    """Those that don't overlap any of `accepted`; both are in the order of the text."""
    index = 0
    for secret in secrets:
        while index < len(accepted) and accepted[index].end <= secret.start:
            index += 1
        if index == len(accepted) or secret.end <= accepted[index].start:
            yield secret


def _is_random(text: str) -> bool:
    """Words have less than three bits of entropy per character; keys have more, and digits."""
    return any(character.isdigit() for character in text) and _compute_entropy(text) > 3.2


def _is_base64(text: str) -> bool:
    """Whether it looks like base64 of random bytes: both cases, digits, a sign, and more entropy than a path."""
    kinds = (str.isupper, str.islower, str.isdigit, lambda character: character in "+/")
    return all(any(map(kind, text)) for kind in kinds) and _compute_entropy(text) > 4.2


def _compute_entropy(text: str) -> float:
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def find_hints(text: str, hints: tuple[str, ...]) -> Sequence[int]:
    """Tell in one scan which patterns a text can match at all: the ascending indices of their hints that match.

    Python's `re` and `str.find` scan a text once for each pattern or word, RE2 once for all. A hint, in RE2's syntax,
    matches at least what its pattern matches, and is simpler: without lookaround, and with few states. If RE2 can't
    tell, for want of memory, the indices are all.
    """
    # No hint matches a lone surrogate, which UTF-8 doesn't have.
    matches = _build_set(hints).Match(text if text.isascii() else text.encode("utf-8", "replace"))
    return range(len(hints)) if matches is None else sorted(matches)[:-1]


@cache
def _build_set(hints: tuple[str, ...]) -> Any:
    built = re2.Set.SearchSet()
    for hint in hints:
        built.Add(hint)
    built.Add("")  # matches always, so that without any match RE2 has failed
    built.Compile()
    return built
