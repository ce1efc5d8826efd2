"""Parts of a text that look like some program's placeholders but stay text, each reported with its line.

Formulas and code blocks have their own braces and dollars, which aren't placeholders.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from promptuary.renderer.interop.imported import Difference

__all__ = ["FENCED", "JSON_KEY", "LATEX", "LATEX_COMMAND", "find_unread", "is_formula"]

JSON_KEY = r"[A-Za-z]+\"[ \t]*:"  # as in `"$ref": …`
LATEX_COMMAND = re.compile(r"\\(?![nrt](?![A-Za-z]))[A-Za-z]+\*?(?:\[[^\]\n]*\])?(?:\{[^{}]*\})+")
LATEX = re.compile(LATEX_COMMAND.pattern + r"|[_^]\{[^{}]*\}")
FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CLOSES_FORMULA = re.compile(r"[^\s$]\$(?![\w{$])")
_UNREAD_BRACES = re.compile(
    r"(?<!\{)(?:\{\{[^{}\n]{1,60}\}\}|(?<!\$)\{[^\W\d]\w*(?:[.\[][^{}\s]{1,40})?(?:![rsa])?(?::[^{}\s]{1,20})?\})(?!\})"
)
_EXPRESSION = r"[A-Za-z_]\w*(?::-|\.|\[|[ ]\?)[^{}\n]{0,60}"  # of a shell or JavaScript
_UNREAD_SIGNS = (
    re.compile(r"\{%[-+]?[ \t]*[^\W\d][^%{}\n]{0,60}%\}"),
    re.compile(r"<%[=-]?[ \t]*[^\W\d][^%\n]{0,60}%>"),
    re.compile(rf"(?<![\w$\\])\$(?:(?!{JSON_KEY})[A-Za-z_]\w*|\{{(?:[a-z_]\w*|{_EXPRESSION})\}})"),
    re.compile(r"(?<![\w%])%\([^\W\d]\w*\)[sd]|(?<![\w%\"'])%s(?![\w\"'%])"),
    re.compile(r"(?<!<)<<[ \t]*(?!/?SYS\b|EOF\b)[^\W\d]\w*[ \t]*>>(?!>)"),
    re.compile(r"(?<![\w\[])\[\[[ \t]*[a-z_]\w*[ \t]*\]\](?![\](])"),
)


def find_unread(text: str, *, braces: bool = True) -> Iterator[Difference]:
    """Report parts of a text, its placeholders removed, that look like placeholders too: the first of each notation.

    braces: whether braces may be placeholders; those printed by `str.format` are not.
    """
    fences = [fence.span() for fence in FENCED.finditer(text)]
    formulas = [formula.span() for formula in LATEX.finditer(text)] if LATEX_COMMAND.search(text) else []
    for pattern in (_UNREAD_BRACES, *_UNREAD_SIGNS) if braces else _UNREAD_SIGNS:
        for match in pattern.finditer(text):
            own = fences if match[0].startswith("$") else formulas
            if not is_formula(match) and not any(start <= match.start() < end for start, end in own):
                line = text.count("\n", 0, match.start()) + 1
                yield Difference(f"`{match[0]}` stays text: nothing is filled in there", line)
                break


def is_formula(match: re.Match[str]) -> bool:
    """Whether the match starts with the dollar of a formula, which a dollar on the same line closes."""
    if not match[0].startswith("$") or match[0].startswith("${"):
        return False
    ends = _find_formula_ends(match.string)
    following = bisect_left(ends, match.end() - 1)
    return following < len(ends) and "\n" not in match.string[match.end() : ends[following]]


@lru_cache(maxsize=4)  # one search of a text, not one after each of its dollars: that would take quadratic time
def _find_formula_ends(text: str) -> list[int]:
    return [end.start() for end in _CLOSES_FORMULA.finditer(text)]
