"""Texts in the syntax tree of Python code: constants, f-strings, their sums, and calls that only trim or fill them.

Nothing is run. Anything beyond a text and names - a call in an f-string, a condition - becomes an input, whose value is
the text that the expression would return.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Piece, Slot

__all__ = ["CodeText", "CodeTexts", "find_called_name", "join_texts"]

_TRIMS = {"strip", "lstrip", "rstrip", "lower", "upper"}
_NUMBER_FORMAT = re.compile(r"\d*(?:\.\d+)?[dfeg]")


@dataclass(frozen=True)
class CodeText:
    """A text in the code: a `template` in some language, or the finished `pieces` of an f-string."""

    template: str | None = None
    pieces: tuple[Piece, ...] = ()
    language: str = ""
    is_filled_later: bool = False

    @property
    def literal(self) -> str:
        """The text without its slots, for deciding what it is."""
        return self.template if self.template is not None else "".join(p for p in self.pieces if isinstance(p, str))


class CodeTexts:
    """Reads the expressions of one module. Texts assigned to names are recorded as it is read from top to bottom.

    `calls` are the calls that were assigned to names, such as those that make a message. `used` are the names whose
    text is part of another prompt.
    """

    def __init__(self) -> None:
        self.texts: dict[str, CodeText] = {}
        self.calls: dict[str, ast.Call] = {}
        self.used: list[str] = []
        self.names = InputNames()

    def read_text(self, node: ast.expr | None) -> CodeText | None:
        """Return the text of an expression; None if it isn't a text."""
        if isinstance(node, ast.Constant):
            return CodeText(node.value) if isinstance(node.value, str) else None
        if isinstance(node, ast.JoinedStr):
            return _build_text(self._read_joined(node))
        if isinstance(node, ast.Name):
            return self.texts.get(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            text = self.read_text(node.left)
            if text is None or text.template is None:
                return None
            return (
                CodeText(text.template, language="percent") if "%(" in text.template else self._fill(text, node.right)
            )
        if isinstance(node, ast.Call):
            return self._call(node)
        return None

    def _fill(self, text: CodeText, values: ast.expr) -> CodeText | None:
        """The text of `"… %s" % value` or `"… %s %s" % (value, value)`."""
        parts = re.split(r"%[sd]", text.template or "")
        filled = values.elts if isinstance(values, ast.Tuple) else [values]
        if len(filled) != len(parts) - 1 or any("%" in part.replace("%%", "") for part in parts):
            return None
        pieces: list[Piece] = [parts[0].replace("%%", "%")]
        for value, part in zip(filled, parts[1:], strict=True):
            known = self.read_text(value)
            if known is None:
                pieces.append(self._build_slot(value))
            else:
                pieces += [known.template] if known.template is not None else known.pieces
            pieces.append(part.replace("%%", "%"))
        return _build_text(pieces)

    def use_text(self, node: ast.expr | None) -> CodeText | None:
        """Return the text of an expression that a prompt consists of; a name's text is then no prompt of its own."""
        if isinstance(node, ast.Name):
            self.used.append(node.id)
        return self.read_text(node)

    def read_unknown(self, node: ast.expr) -> CodeText:
        """The text of a name that the module doesn't define, as an input."""
        return CodeText(pieces=(self._build_slot(node),))

    def _sum(self, node: ast.BinOp) -> CodeText | None:
        left, right = self.read_text(node.left), self.read_text(node.right)
        if left is None and right is None:
            return None
        if left is not None and right is not None and left.template is not None and right.template is not None:
            return CodeText(left.template + right.template, language=left.language or right.language)
        pieces: list[Piece] = []
        for part, text in ((node.left, left), (node.right, right)):
            if text is None:
                pieces.append(self._build_slot(part, "the text that is there"))
            else:
                pieces += [text.template] if text.template is not None else text.pieces
        return _build_text(pieces)

    def _call(self, node: ast.Call) -> CodeText | None:
        name = find_called_name(node)
        if name in ("dedent", "cleandoc") and len(node.args) == 1:
            return self._unindent(name, node.args[0])
        if not isinstance(node.func, ast.Attribute):
            return None
        if name == "join" and len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple):
            return self._join(node.func.value, node.args[0].elts)
        text = self.read_text(node.func.value)
        if text is None or (name in _TRIMS and node.args):
            return None
        if text.template is None:
            return CodeText(pieces=_trim_pieces(text.pieces, name)) if name in _TRIMS else None
        if name in _TRIMS:
            return CodeText(getattr(text.template, name)(), language=text.language)
        return CodeText(text.template, language="str.format") if name == "format" else None

    def _unindent(self, name: str, argument: ast.expr) -> CodeText | None:
        text = self.read_text(argument)
        if text is None or text.template is None:
            return None  # the values of an f-string count for its common indentation
        call = textwrap.dedent if name == "dedent" else inspect.cleandoc
        return CodeText(call(text.template), language=text.language)

    def _join(self, separator: ast.expr, items: list[ast.expr]) -> CodeText | None:
        between = self.read_text(separator)
        texts = [self.read_text(item) for item in items]
        if between is None or between.template is None:
            return None
        parts = [text.template for text in texts if text is not None and text.template is not None]
        return CodeText(between.template.join(parts)) if parts and len(parts) == len(texts) else None

    def _read_joined(self, node: ast.JoinedStr) -> list[Piece]:
        pieces: list[Piece] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                pieces.append(str(part.value))
            elif isinstance(part, ast.FormattedValue):
                pieces += self._read_field(part)
        return pieces

    def _read_field(self, field: ast.FormattedValue) -> list[Piece]:
        text = self.read_text(field.value) if field.conversion == -1 and field.format_spec is None else None
        if text is not None:
            return [text.template] if text.template is not None else list(text.pieces)
        spec = field.format_spec
        if field.conversion not in (-1, ord("s")):
            return [self._build_slot(field, "its representation as text")]
        if spec is None:
            return [self._build_slot(field.value)]
        parts = spec.values if isinstance(spec, ast.JoinedStr) else []
        written = parts[0].value if len(parts) == 1 and isinstance(parts[0], ast.Constant) else None
        if isinstance(written, str) and _NUMBER_FORMAT.fullmatch(written):
            return [Slot(f"'%{written}'|format({self._build_slot(field.value).expression})")]
        return [self._build_slot(field, "the formatted text")]

    def _build_slot(self, node: ast.expr, reason: str = "") -> Slot:
        """A slot for an expression: dotted names as they are, without `self`; otherwise an input named after it."""
        path: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and not reason and not any(step.startswith("_") for step in path):
            steps = path if inner.id in ("self", "cls") and path else [inner.id, *path]
            first = self.names.input_name(steps[0])
            return Slot(".".join([first, *steps[1:]]))
        source = ast.unparse(ast.JoinedStr([node])) if isinstance(node, ast.FormattedValue) else ast.unparse(node)
        code = source[2:-1] if isinstance(node, ast.FormattedValue) else f"{{{source}}}"
        line = getattr(node, "lineno", None)
        name = re.sub(r"\W+", "_", source.strip("f'\"{}"))[:40].strip("_").lower()
        reason = reason or "give its text"
        return Slot(self.names.input_name(f"{name} ", shown=code, reason=reason, line=line))


def _build_text(pieces: list[Piece]) -> CodeText:
    texts = [piece for piece in pieces if isinstance(piece, str)]
    return CodeText("".join(texts)) if len(texts) == len(pieces) else CodeText(pieces=tuple(pieces))


def join_texts(texts: Sequence[CodeText]) -> CodeText:
    """The texts as one, a line each; if they are in several languages, in the first one's."""
    if all(text.template is not None for text in texts):
        language = next((text.language for text in texts if text.language), "")
        return CodeText("\n".join(text.template or "" for text in texts), language=language)
    pieces: list[Piece] = []
    for number, text in enumerate(texts):
        pieces += ["\n"] if number else []
        pieces += [text.template] if text.template is not None else text.pieces
    return _build_text(pieces)


def find_called_name(node: ast.Call) -> str:
    """The last name of the called function; empty without one."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _trim_pieces(pieces: tuple[Piece, ...], name: str) -> tuple[Piece, ...]:
    trimmed = list(pieces)
    if name in ("strip", "lstrip") and trimmed and isinstance(trimmed[0], str):
        trimmed[0] = trimmed[0].lstrip()
    if name in ("strip", "rstrip") and trimmed and isinstance(trimmed[-1], str):
        trimmed[-1] = trimmed[-1].rstrip()
    return tuple(trimmed)
