"""Python's formats of numbers, as in `{price:.2f}`: which ones a placeholder may have, and the same in Jinja."""

import re

__all__ = ["CODE_STRING", "NUMBER_FORMAT", "write_number_format"]

NUMBER_FORMAT = r"(?:\d{0,2},?\.\d{1,2}[fge%]|,|,[df]|,?\.\d{1,2}|d|0\d{1,2}d|%)"
"""Formats that say by their look that they are Python's; `{a:1}` may as well be an object of JavaScript."""
# A string of Python with fields, on a line of code that the prompt shows.
CODE_STRING = re.compile(r"\b[rR]?[fF](\"|')(?:\\.|(?!\1)[^\\\n])*\1")
_PERCENT_FORMAT = re.compile(r"(?:\.\d+)?[dfeg]|\d*\.\d+f")


def write_number_format(expression: str, spec: str) -> str | None:
    """The Jinja expression that prints a number in a format; None if it is no format of numbers."""
    if _PERCENT_FORMAT.fullmatch(spec):
        return f"'%{spec}'|format({expression})"
    if re.fullmatch(NUMBER_FORMAT, spec):
        return f"'{{:{spec}}}'.format({expression})"
    return None
