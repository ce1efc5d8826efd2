"""Python's number formats, as in `{price:.2f}`: those allowed in a placeholder, and their equivalents in Jinja."""

import re

__all__ = ["CODE_STRING", "NUMBER_FORMAT", "write_number_format"]

NUMBER_FORMAT = r"(?:\d{0,2},?\.\d{1,2}[fge%]|,|,[df]|,?\.\d{1,2}|d|0\d{1,2}d|%)"
"""Formats that are recognisably Python's; `{a:1}` could also be a JavaScript object."""
# A Python string with fields, on a line of code inside the prompt.
CODE_STRING = re.compile(r"\b[rR]?[fF](\"|')(?:\\.|(?!\1)[^\\\n])*\1")
_PERCENT_FORMAT = re.compile(r"(?:\.\d+)?[dfeg]|\d*\.\d+f")


def write_number_format(expression: str, spec: str) -> str | None:
    """Return the Jinja expression that prints a number in a format; None if it isn't a number format."""
    if _PERCENT_FORMAT.fullmatch(spec):
        return f"'%{spec}'|format({expression})"
    if re.fullmatch(NUMBER_FORMAT, spec):
        return f"'{{:{spec}}}'.format({expression})"
    return None
