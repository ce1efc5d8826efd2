"""The syntax of a text's placeholders, detected by their look, and the placeholders in a syntax."""

import re
import string
from collections.abc import Sequence

from promptuary.renderer.interop.imported import Difference
from promptuary.renderer.interop.placeholder_patterns import (
    ANGLE,
    BRACED_DOLLAR,
    CAPITALS,
    DOLLAR,
    DOLLAR_BRACE,
    DOUBLE,
    NUMBERED,
    PATH,
    PERCENT,
    RUBY,
    SINGLE,
    SPACED,
    SQUARE,
    TAG,
    TRIPLE,
    find_placeholders,
    name_of,
)
from promptuary.renderer.interop.python_formats import CODE_STRING, NUMBER_FORMAT, write_format
from promptuary.renderer.interop.unread_signs import LATEX_COMMAND

__all__ = ["describe_guess", "describe_inputs", "find_syntax", "list_placeholders"]

_PATTERNS = {
    "single": SINGLE,
    "ruby": RUBY,
    "braced_dollar": BRACED_DOLLAR,
    "dollar": DOLLAR,
    "angle": ANGLE,
    "percent": PERCENT,
    "square": SQUARE,
    "tag": TAG,
    "capitals": CAPITALS,
}


# What a `#` may stand before as a sign of its own: `issue #{number}`, `color: #{hex}`, `#{hashtag}`.
_AFTER_NUMBER_SIGN = re.compile(
    r"(?:^|_|\.)(?:number|num|no|nr|ids?|index|idx|count|issue|ticket|order|pr|rank|pos|position|step|page|version"
    r"|colou?r|hex|tag|hashtag|channel|i|j|k|n)(?:_id|_code)?$",
    re.IGNORECASE,
)


_NUMBERED_NOUN = re.compile(
    r"\b(?:issue|ticket|pr|request|order|case|bug|task|item|step|no|number|question|page|chapter|invoice|comment"
    r"|room|rank|version)s?\b[ \t]*\Z",
    re.IGNORECASE,
)


def find_syntax(text: str) -> str:
    """Detect the syntax of a text's placeholders, a key of SYNTAXES; `none` if it has none."""
    if NUMBERED.search(text):
        return "numbered"
    if _is_spaced_double(text):
        return "double"
    if _is_ruby(text):
        return "ruby"
    if not DOLLAR_BRACE.search(text) and not TRIPLE.search(text) and _is_str_format(text):
        return "str.format"
    if DOUBLE.search(text):
        return "double"
    guessed = ("single", "angle", "braced_dollar", "dollar", "percent", "square")
    return next((syntax for syntax in guessed if find_placeholders(_PATTERNS[syntax], text)), "none")


def describe_guess(text: str, syntax: str) -> Difference | None:
    """Report which parts of a text became inputs because of their look; None if they have Promptuary's own form."""
    pattern = _PATTERNS.get("single" if syntax == "str.format" else syntax)
    if pattern is None or syntax == "double":
        return None
    return describe_inputs([match[0] for match in find_placeholders(pattern, text)])


def describe_inputs(spellings: Sequence[str]) -> Difference | None:
    """Report which parts of a text became inputs, by their spellings; None if there are none."""
    spelled = list(dict.fromkeys(spellings))
    if not spelled:
        return None
    if len(spelled) == 1:
        return Difference(f"`{spelled[0]}` is read as an input")
    return Difference(f"`{spelled[0]}` and {len(spelled) - 1} more are read as inputs")


def list_placeholders(text: str, syntax: str) -> list[tuple[str, str]]:
    """List the placeholders of a text in a syntax, each as name and spelling."""
    pattern = {**_PATTERNS, "str.format": SINGLE, "double": DOUBLE, "numbered": NUMBERED}.get(syntax)
    matches = find_placeholders(pattern, text) if pattern else []
    prefix = "input_" if syntax == "numbered" else ""
    return [(prefix + name_of(match), match[0]) for match in matches]


def _is_spaced_double(text: str) -> bool:
    """Whether it has `{{ name }}`, with spaces, and no other double braces than those of names."""
    rest = DOUBLE.sub("", text)
    return bool(SPACED.search(text)) and "{{" not in rest and "}}" not in rest


def _is_ruby(text: str) -> bool:
    """Whether all names in single braces follow the same Ruby sign.

    `#{x}` may be a number, a colour or a tag after its sign, so a single name, or the word before it, must not say so.
    """
    matches = list(RUBY.finditer(text))
    signs = {match["sign"] for match in matches}
    if len(signs) != 1 or len(matches) != len(SINGLE.findall(RUBY.sub("{x}", text))):
        return False
    if signs == {"%"} or len({match[2] for match in matches}) > 1:
        return True
    return not any(
        _AFTER_NUMBER_SIGN.search(m[2]) or _NUMBERED_NOUN.search(text, max(m.start() - 20, 0), m.start())
        for m in matches
    )


def _is_str_format(text: str) -> bool:
    """Whether it is a valid `str.format` string with only plain names and number formats in its braces.

    None of these may be in a formula or in a string of code.
    """
    foreign = (*LATEX_COMMAND.finditer(text), *CODE_STRING.finditer(text))
    if any(SINGLE.search(match[0]) for match in foreign):
        return False
    try:
        read = [(field, spec, sign) for _, field, spec, sign in string.Formatter().parse(text) if field is not None]
    except ValueError:
        return False
    return bool(read) and all(
        PATH.fullmatch(field)
        and (not spec or re.fullmatch(NUMBER_FORMAT, spec) or (sign and write_format("x", spec, sign)))
        for field, spec, sign in read
    )
