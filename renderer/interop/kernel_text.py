"""Semantic Kernel's own template format: `{{$name}}`, constants, and function calls, whose results become inputs."""

import re

from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Piece, Slot
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.tag_search import STRINGS

__all__ = ["read_kernel_text"]

_BLOCK = re.compile(rf"\{{\{{\s*+(?P<body>(?>(?:{STRINGS}|[^'\"{{}}\s]++|\s++(?!\}}\}}))*))\s*+\}}\}}", re.DOTALL)
_STRING = re.compile(r"'((?:\\.|[^'\\])*)'|\"((?:\\.|[^\"\\])*)\"", re.DOTALL)


def read_kernel_text(text: str, names: InputNames) -> PlainText:
    """Read the text as pieces; each call is reported as a difference."""
    pieces: list[Piece] = []
    end = 0
    for block in _BLOCK.finditer(text):
        pieces.append(text[end : block.start()])
        end = block.end()
        body = block["body"]
        line = text.count("\n", 0, block.start()) + 1
        if not body:
            pieces.append(block[0])
        elif body.startswith("$") and re.fullmatch(r"\$\w+", body):
            pieces.append(Slot(names.input_name(body[1:], shown=block[0])))
        elif constant := _STRING.fullmatch(body):
            pieces.append(re.sub(r"\\(.)", r"\1", constant[1] if constant[1] is not None else constant[2]))
        else:
            reason = "give it what that call returns"
            pieces.append(Slot(names.input_name(body, shown=block[0], reason=reason, line=line)))
    return PlainText((*pieces, text[end:]), names.differences())
