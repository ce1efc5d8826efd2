"""Patterns of the placeholders of plain texts, and the matches that print a value.

LaTeX formulas and strings such as `f"{x}"` in code have their own braces and dollars, so they stay text. So do
`$x` in a fenced code block and `$X` in capitals.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.javascript_tokens import read_tokens
from promptuary.renderer.interop.python_formats import CODE_STRING, CONVERSION, NUMBER_FORMAT
from promptuary.renderer.interop.unread_signs import FENCED, JSON_KEY, LATEX, LATEX_COMMAND, is_formula

__all__ = [
    "ANGLE",
    "BRACED_DOLLAR",
    "CAPITALS",
    "DOLLAR",
    "DOLLAR_BRACE",
    "DOUBLE",
    "NUMBERED",
    "PATH",
    "PERCENT",
    "RUBY",
    "SINGLE",
    "SPACED",
    "SQUARE",
    "TAG",
    "TRIPLE",
    "find_expressions",
    "find_foreign_spans",
    "find_placeholders",
    "is_foreign",
    "name_of",
]

SINGLE = re.compile(
    rf"(?<![{{$])\{{([^\W\d]\w*)(?P<conversion>{CONVERSION})?(?::(?P<format>{NUMBER_FORMAT}))?\}}(?!\}})"
)
RUBY = re.compile(r"(?<![\w\\{])(?P<sign>[#%])\{@?([^\W\d]\w*(?:\.[^\W\d]\w*)*)\}(?!\})")
# A brace after it closes a JSON object. A dash joins the words of a name.
DOUBLE = re.compile(r"(?<!\{)\{\{[ \t]*(?!else\b)([^\W\d][\w.]*(?:-[^\W\d][\w.]*)*)[ \t]*\}\}")
DOLLAR_BRACE = re.compile(r"\$\{(?!\{)")
TRIPLE = re.compile(r"(?<!\{)\{\{\{\s*[^\W\d][\w.]*\s*\}\}\}(?!\})")
DOLLAR = re.compile(
    rf"\$\$|\$\{{(?![\w.]*\.length\}})([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\}}|\$(?!{JSON_KEY})([A-Za-z_]\w*)", re.ASCII
)
BRACED_DOLLAR = re.compile(r"(?<!\{)\{\$([A-Za-z_]\w*)\}(?!\})", re.ASCII)
"""`{$name}`, as Anthropic's prompt generator and PHP write it."""
ANGLE = re.compile(r"(?<!<)<<[ \t]*([^\W\d][\w .-]*?)[ \t]*>>(?!>)")
NUMBERED = re.compile(r"!<INPUT (\d+)>!")
PERCENT = re.compile(r"%%|%\(([^()]+)\)[sd]")
SQUARE = re.compile(r"(?<![\w\[])\[\[[ \t]*([^\W\d][\w .-]*?)[ \t]*\]\](?![\](])")
TAG = re.compile(r"(?<![\w<])<([^\W\d][\w .-]*?)>(?!>)")
CAPITALS = re.compile(r"(?<![\w\[\\])\[([A-Z][A-Z0-9_ -]*)\](?![(\[\]])", re.ASCII)
SPACED = re.compile(r"(?<!\{)\{\{[ \t]+[^\W\d][\w.]*[ \t]+\}\}")
_SHELL = re.compile(r"[A-Z_][A-Z0-9_]*\b|[A-Za-z_]\w*(?::[-=?+]|%|#|/|\})|[#!]")
_EXPRESSION = re.compile(r"^[^\W\d]\w*(?:\??\.[^\W\d]\w*)*(?:\.length$|[(\[]|\s*(?:[?+*|&=<>-]|!=))|^[(!`'\"]")
_ARGUMENTS = "ARGUMENTS"  # in capitals, but no variable of a shell: what a command of a coding agent was called with
_MAX_EXPRESSION_LENGTH = 400  # characters
_MAX_FAILURES = 100  # in a row: text with that many is no template literal
# A name with its path, as in `order.items[0]`.
PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[(?:\d+|[^\W\d]\w*)\])*")


def name_of(match: re.Match[str]) -> str:
    """The name of the value that a match prints; empty for a doubled sign."""
    names = set(match.re.groupindex.values())
    return next((group for index, group in enumerate(match.groups(), start=1) if group and index not in names), "")


def find_placeholders(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """The matches that print a value: not a doubled sign, a formula, or a shell variable in a code block."""
    spans = find_foreign_spans(pattern, text)
    return [match for match in pattern.finditer(text) if any(match.groups()) and not is_foreign(match, spans)]


def find_expressions(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, end and source of each `${…}` with more than a path of names, except in code blocks.

    `${HOME}` and `${name:-nobody}` of a shell are none.
    """
    fences = find_foreign_spans(DOLLAR, text)
    position = failures = 0
    while failures < _MAX_FAILURES and (start := text.find("${", position)) >= 0:
        position = start + 2
        if DOLLAR.match(text, start) or text[start - 1 : start] == "\\" or _SHELL.match(text, position):
            continue
        if any(first <= start < last for first, last in fences):
            continue
        window = text[position : position + _MAX_EXPRESSION_LENGTH]
        if "}" not in window:
            continue
        failures += 1
        try:
            _, end = read_tokens(window, 0, depth=1)
        except LossError:
            continue
        source = window[:end].strip()
        if end < len(window) and _EXPRESSION.search(source):
            yield start, position + end + 1, source
            position += end + 1
            failures = 0


def find_foreign_spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The spans of formulas and code, whose own braces and dollars stay text: in order, without overlaps."""
    if pattern is SINGLE:
        formulas = LATEX.finditer(text) if LATEX_COMMAND.search(text) else ()
        return _join_spans(match.span() for match in (*formulas, *CODE_STRING.finditer(text)))
    if pattern in (DOLLAR, BRACED_DOLLAR):
        return [match.span() for match in FENCED.finditer(text)]
    return []


def _join_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _read_start(span: tuple[int, int]) -> int:
    return span[0]


def is_foreign(match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    """Whether a match lies in one of the spans of `find_foreign_spans`, or is a shell variable or a formula."""
    index = bisect_right(spans, match.start(), key=_read_start)
    if index and match.start() < spans[index - 1][1] and not match[0].startswith("${"):
        return True
    if match.re is not DOLLAR or match[2] is None or match[2] == _ARGUMENTS:
        return False
    return match[2].isupper() or is_formula(match)
