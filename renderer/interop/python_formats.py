"""Python's formats and conversions, as in `{price:.2f}` and `{name!r}`: those allowed in a placeholder, and their
equivalents in Jinja.
"""

import re

__all__ = ["CODE_STRING", "CONVERSION", "NUMBER_FORMAT", "write_format"]

NUMBER_FORMAT = r"(?:\d{0,2},?\.\d{1,2}[fge%]|,|,[df]|,?\.\d{1,2}|d|0\d{1,2}d|%)"
"""Formats that are recognisably Python's; `{a:1}` could also be a JavaScript object."""
CONVERSION = r"![rsa]"
"""How a value becomes text first: `!r` as Python writes it in code, `!a` so in ASCII, `!s` as it is printed."""
# A Python string with fields, on a line of code inside the prompt.
CODE_STRING = re.compile(r"\b[rR]?[fF](\"|')(?:\\.|(?!\1)[^\\\n])*\1")
_WIDTH = re.compile(r"[<>^]\d{1,3}")
_PERCENT_FORMAT = re.compile(r"(?:\.\d+)?[dfeg]|\d*\.\d+f")


def write_format(expression: str, spec: str, conversion: str = "") -> str | None:
    """Return the Jinja expression that prints a value as a field does; None if the format has no counterpart.

    spec: what follows the colon of the field. conversion: `r`, `a`, `s` or empty.
    """
    if conversion in ("r", "a"):
        width = f":{spec}" if spec else ""
        return f"'{{!{conversion}{width}}}'.format({expression})" if not spec or _WIDTH.fullmatch(spec) else None
    if not spec:
        return expression
    if _PERCENT_FORMAT.fullmatch(spec):
        return f"'%{spec}'|format({expression})"
    if re.fullmatch(NUMBER_FORMAT, spec) or _WIDTH.fullmatch(spec):
        return f"'{{:{spec}}}'.format({expression})"
    return None
