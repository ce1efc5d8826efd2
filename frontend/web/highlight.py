"""Syntax highlighting of a document: lines of runs, each run with the class for its colour. Pure; no Django.

The editor uses a real parser; patterns suffice for a page that only shows a document. Pygments has a lexer for YAML
with Jinja, but its time grows with the square of a line's length (0.7 s for 8,000 marks), and documents are untrusted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Run", "highlight"]

JINJA = re.compile(r"\{[{%#]")
JINJA_ENDS = {"{{": "}}", "{%": "%}", "{#": "#}"}
YAML = re.compile(
    r"(?P<comment>(?:^|(?<=\s))#.*$)"
    r"|(?P<key>^[ ]*(?:- )?[A-Za-z_][\w-]*(?=:(?:\s|$))|(?<=[{,])[ ]*[A-Za-z_][\w-]*(?=: ))"
    r"|(?P<string>\"(?>(?:[^\"\\\n]|\\.){0,300})\"|'(?>(?:[^'\n]|''){0,300})')"
    r"|(?P<literal>(?<![\w.-])(?:true|false|null|-?\d+(?:\.\d+)?)(?![\w.-]))"
    r"|(?P<mark>^---$)",
    re.MULTILINE,
)
JINJA_CLASS = {"{{": "expression", "{%": "statement", "{#": "comment"}
# Strings are highlighted only within a line and up to a length: otherwise every unclosed quote would scan to the end.
# Longer documents are shown without colours to keep the page fast.
MAX_LENGTH = 200_000


@dataclass(frozen=True)
class Run:
    """A run within one line; `kind` is the end of its CSS class (`syntax-comment`), or empty."""

    text: str
    kind: str = ""


def highlight(text: str) -> list[list[Run]]:
    """The document's lines as runs; joined by newlines, the runs reproduce the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if len(text) > MAX_LENGTH:
        return [[Run(line)] for line in text.split("\n")]
    # One kind per character; Jinja is painted last because it may be inside a YAML string.
    kinds = [""] * len(text)
    for match in YAML.finditer(text):
        _set_kind(kinds, match, str(match.lastgroup))
    for start, end in _find_jinja(text):
        kinds[start:end] = [JINJA_CLASS[text[start : start + 2]]] * (end - start)
    lines: list[list[Run]] = []
    start = 0
    for line in text.split("\n"):
        lines.append(_split_into_runs(line, kinds[start : start + len(line)]))
        start += len(line) + 1
    return lines


def _find_jinja(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of tags and comments. A missing end mark is searched for only once, not for each opening."""
    at, never = 0, set[str]()
    while (opening := JINJA.search(text, at)) is not None:
        mark, end = JINJA_ENDS[opening[0]], -1
        if mark not in never:
            end = text.find(mark, opening.end())
        if end < 0:
            never.add(mark)
            at = opening.start() + 1
        else:
            yield opening.start(), end + 2
            at = end + 2


def _set_kind(kinds: list[str], match: re.Match[str], kind: str) -> None:
    kinds[match.start() : match.end()] = [kind] * (match.end() - match.start())


def _split_into_runs(line: str, kinds: list[str]) -> list[Run]:
    pairs = groupby(zip(line, kinds, strict=True), key=lambda pair: pair[1])
    return [Run("".join(letter for letter, _ in letters), kind) for kind, letters in pairs]
