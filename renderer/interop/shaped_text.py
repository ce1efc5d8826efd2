"""The body of a `shaped` document as a Haystack template.

A Haystack template is the inside of a Python string in double quotes. A double quote in it is written by name, and so
is a line break inside an expression. Other strings with a backslash or a single quote can't be written at all.
"""

import re

from promptuary.renderer.formats.shaped import parser
from promptuary.renderer.formats.shaped.parser import Call, Dict, Field, Items, Literal, Name, Node
from promptuary.renderer.interop.imported import LossError

__all__ = ["FUNCTIONS", "convert_to_haystack"]

FUNCTIONS = ("join", "to_strings", "str")
"""Functions of both, with the same arguments in the same order."""

_NAMED = {sign: name for name, sign in parser.CONSTANTS.items()}
_SPECIAL = re.compile('([\n\t\r"])')
_LONE_BACKSLASH = re.compile(r"(\\[ntr\\])|\\")


def convert_to_haystack(body: str) -> str:
    """Return the equivalent template. Raises LossError for anything that it can't express."""
    pieces = []
    for piece in parser.parse_shaped(body):
        if isinstance(piece, Field):
            pieces.append("{" + _write(piece.node) + "}")
        else:
            source = _LONE_BACKSLASH.sub(lambda match: match[1] or "\\\\", body[piece.start : piece.end])
            pieces.append(source.replace('"', "{double_quote}"))
    return "".join(pieces)


def _write(node: Node) -> str:
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Literal):
        return _write_string(node.value) if isinstance(node.value, str) else repr(node.value)
    if isinstance(node, Items):
        return f"[{', '.join(map(_write, node.items))}]"
    if isinstance(node, Dict):
        return "{" + ", ".join(f"{_write(key)}: {_write(value)}" for key, value in node.pairs) + "}"
    return _call(node)


def _call(node: Call) -> str:
    if node.name not in FUNCTIONS:
        raise LossError(f"Haystack has no function {node.name} in its templates")
    return f"{node.name}({', '.join(map(_write, node.arguments))})"


def _write_string(text: str) -> str:
    if "'" in text or "\\" in text:
        raise LossError(f"Haystack cannot write the string {text!r} inside an expression")
    pieces = [_NAMED.get(piece) or f"'{piece}'" for piece in _SPECIAL.split(text) if piece]
    return "+".join(pieces) or "''"
