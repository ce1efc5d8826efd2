"""The body of a `shaped` document as a Haystack template.

There a text is the inside of a Python string in double quotes: a double quote in it has a name, and so has every line
break inside an expression; other strings with a backslash or a single quote cannot be written at all.
"""

import re

from promptuary.renderer.formats.shaped import parser
from promptuary.renderer.formats.shaped.parser import Call, Dict, Field, Items, Literal, Name, Node
from promptuary.renderer.interop.imported import LossError

__all__ = ["FUNCTIONS", "shaped_to_haystack"]

FUNCTIONS = ("join", "to_strings", "str")
"""What both have, with the same arguments in the same order."""

_NAMED = {sign: name for name, sign in parser.CONSTANTS.items()}
_SPECIAL = re.compile('([\n\t\r"])')
_LONE_BACKSLASH = re.compile(r"(\\[ntr\\])|\\")


def shaped_to_haystack(body: str) -> str:
    """The text that gives the same there. Raises LossError for what it cannot say."""
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
        return _string(node.value) if isinstance(node.value, str) else repr(node.value)
    if isinstance(node, Items):
        return f"[{', '.join(map(_write, node.items))}]"
    if isinstance(node, Dict):
        return "{" + ", ".join(f"{_write(key)}: {_write(value)}" for key, value in node.pairs) + "}"
    return _call(node)


def _call(node: Call) -> str:
    if node.name not in FUNCTIONS:
        raise LossError(f"Haystack has no function {node.name} in its templates")
    return f"{node.name}({', '.join(map(_write, node.arguments))})"


def _string(text: str) -> str:
    if "'" in text or "\\" in text:
        raise LossError(f"Haystack cannot write the string {text!r} inside an expression")
    pieces = [_NAMED.get(piece) or f"'{piece}'" for piece in _SPECIAL.split(text) if piece]
    return "+".join(pieces) or "''"
