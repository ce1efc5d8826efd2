"""Calls of helpers in Handlebars tags, such as `eq role "user"` or `upper (lookup user "name")`.

Handlebars itself has few helpers, so each program adds its own. Those with a usual name have a Jinja form here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["HelperCall", "parse_call", "parse_condition", "write_literal", "write_usual_helper"]

_TOKEN = re.compile(r"""\s*(?:(?P<sign>[()])|(?P<word>"[^"]*"|'[^']*'|[^\s()"']+))""")
_NAME = re.compile(r"[^\W\d][\w./-]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_COMPARISONS = {
    **dict.fromkeys(("eq", "equal", "equals", "is", "==", "==="), "=="),
    **dict.fromkeys(("ne", "neq", "noteq", "notequals", "isnt", "!=", "!=="), "!="),
    **dict.fromkeys(("gt", ">"), ">"),
    **dict.fromkeys(("gte", "ge", ">="), ">="),
    **dict.fromkeys(("lt", "<"), "<"),
    **dict.fromkeys(("lte", "le", "<="), "<="),
    **dict.fromkeys(("add", "plus", "+"), "+"),
    **dict.fromkeys(("sub", "subtract", "minus"), "-"),
}
_FILTERS = {
    **dict.fromkeys(("upper", "uppercase", "toupper", "touppercase"), "upper"),
    **dict.fromkeys(("lower", "lowercase", "tolower", "tolowercase"), "lower"),
    **dict.fromkeys(("len", "length", "size", "count"), "length"),
    "trim": "trim",
}


@dataclass(frozen=True)
class HelperCall:
    """A helper and its arguments: paths, literals, and further calls."""

    name: str
    arguments: tuple["HelperCall | str", ...]

    def __str__(self) -> str:
        """The call as it is spelled, without parentheses around it."""
        return " ".join(
            [self.name, *(f"({part})" if isinstance(part, HelperCall) else part for part in self.arguments)]
        )

    def paths(self) -> list[str]:
        """The paths and literals in it, those of calls in it too."""
        return [
            path
            for part in self.arguments
            for path in (part.paths() if isinstance(part, HelperCall) else [part])
            if "=" not in path
        ]


def parse_call(text: str) -> HelperCall | None:
    """Parse a call, with or without parentheses around it; None if it is none."""
    tokens, end = [], 0
    for match in _TOKEN.finditer(text):
        if match.start() != end:
            return None
        tokens.append(match["sign"] or match["word"])
        end = match.end()
    if text[end:].strip():
        return None
    if tokens[:1] != ["("]:
        tokens = ["(", *tokens, ")"]
    tokens.reverse()
    try:
        call = _take_argument(tokens)
    except (IndexError, ValueError, RecursionError):  # parentheses without their counterpart, or without a name
        return None
    return call if isinstance(call, HelperCall) and not tokens else None


def _take_argument(tokens: list[str]) -> HelperCall | str:
    """Take the next argument from the end of the tokens. Raises IndexError or ValueError if there is none."""
    word = tokens.pop()
    if word != "(":
        return word
    inner: list[HelperCall | str] = []
    while tokens[-1] != ")":
        inner.append(_take_argument(tokens))
    tokens.pop()
    name, *arguments = inner
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(name)
    return HelperCall(name, tuple(arguments))


def write_literal(text: str) -> str:
    """The Jinja form of a text in quotes or of a number; empty for others."""
    if text[:1] in ("'", '"') and text[:1] == text[-1:] and len(text) > 1:
        return repr(text[1:-1])
    return text if _NUMBER.fullmatch(text) else ""


def write_usual_helper(call: HelperCall, resolve: Callable[[HelperCall | str], str]) -> str:
    """The Jinja form of a helper with a usual name; empty for others. `resolve` writes an argument."""
    name, count = call.name.lower().replace("_", ""), len(call.arguments)
    if name in ("and", "or") and count > 1:
        return "(" + f" {name} ".join(map(resolve, call.arguments)) + ")"
    if name == "not" and count == 1:
        return f"({name} {resolve(call.arguments[0])})"
    if name in _COMPARISONS and count == 2:
        left, right = map(resolve, call.arguments)
        return f"({left} {_COMPARISONS[name]} {right})"
    if name in ("inc", "increment", "addone") and count == 1:
        return f"({resolve(call.arguments[0])} + 1)"
    if name in _FILTERS and count == 1:
        return f"({resolve(call.arguments[0])} | {_FILTERS[name]})"
    if name == "join" and count == 2:
        return f"({resolve(call.arguments[0])} | join({resolve(call.arguments[1])}))"
    if name == "lookup" and count in (1, 2):
        keys = "".join(f"[{resolve(key)}]" for key in call.arguments[1:])
        return f"{resolve(call.arguments[0])}{keys}"
    return ""


def parse_condition(call: HelperCall) -> HelperCall | None:
    """The comparison that a section such as `{{#ifEquals a b}}` makes; None for other sections."""
    arguments = call.arguments
    if call.name in ("ifCond", "compare") and len(arguments) == 3 and isinstance(arguments[1], str):
        return HelperCall(arguments[1].strip("\"'"), (arguments[0], arguments[2]))
    name = call.name.lower().replace("_", "")
    if name.startswith("unless"):
        return HelperCall("not", (HelperCall(name.removeprefix("unless"), arguments),))
    if name in _COMPARISONS or name in ("and", "or", "not"):
        return call
    return HelperCall(name.removeprefix("if"), arguments) if name.startswith("if") else None
