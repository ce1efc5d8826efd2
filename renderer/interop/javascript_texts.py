"""Texts in JavaScript code: strings, template literals, their sums and joined lists, and what names hold."""

import re
import textwrap

from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.javascript_tokens import Code, Token, pair_brackets
from promptuary.renderer.interop.pieces import Piece, Slot
from promptuary.renderer.interop.python_texts import CodeText

__all__ = ["JavaScriptTexts"]

_PATH = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*")
_OWNERS = ("this.", "props.", "params.", "args.")
_DEDENTS = ("dedent", "outdent", "stripIndent", "codeBlock")
_ENDS = (",", ";", ")", "]", "}", ":")
_MARK = re.compile("\ue000(\\d+)\ue001")


class JavaScriptTexts:
    """Reads the texts of one file's tokens. `texts` are those assigned to names so far; `used`, the names read."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.pairs = pair_brackets(tokens)
        self.texts: dict[str, CodeText] = {}
        self.used: set[str] = set()
        self.names = InputNames()

    def source_at(self, index: int) -> str:
        """The token's spelling; empty past the end."""
        return self.tokens[index].source if 0 <= index < len(self.tokens) else ""

    def kind_at(self, index: int) -> str:
        """The token's kind; empty past the end."""
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def read_text(self, index: int) -> tuple[CodeText, int] | None:
        """The text of the expression at a token, and the index after it; None if it is no text, or more than one."""
        pieces: list[Piece] = []
        has_text = False
        while True:
            operand = self._read_operand(index)
            if operand is None:
                return None
            read, index, is_text = operand
            pieces += read
            has_text = has_text or is_text
            if self.source_at(index) != "+":
                break
            index += 1
        while self.source_at(index) in ("as", "satisfies") and self.kind_at(index + 1) == "name":
            index += 2
        is_ended = self.source_at(index) in ("", *_ENDS) or self._starts_line(index)
        return (_build_text(pieces), index) if has_text and is_ended else None

    def read_constant(self, index: int) -> str:
        """The text of a string without expressions; empty for anything else."""
        parts = self.tokens[index].parts if self.kind_at(index) == "text" else ()
        return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else ""

    def read_name(self, index: int) -> tuple[CodeText, int] | None:
        """A name or a path as a text: what it holds, or an input."""
        end = index
        while self.kind_at(end) == "name" and self.source_at(end + 1) in (".", "?."):
            end += 2
        if self.kind_at(end) != "name" or self.source_at(end + 1) == "(":
            return None
        source = "".join(token.source for token in self.tokens[index : end + 1])
        return _build_text(self._read_code(source)), end + 1

    def _read_operand(self, index: int) -> tuple[list[Piece], int, bool] | None:
        tag = ""
        if self.kind_at(index) == "name" and self.kind_at(index + 1) == "text":
            tag, index = self.source_at(index), index + 1
            if tag not in (*_DEDENTS, "raw"):
                return None
        if self.kind_at(index) == "text":
            return self._read_methods(self._read_parts(self.tokens[index], tag), index + 1)
        if self.source_at(index) == "[" and (joined := self._read_joined(index)):
            return joined
        if named_text := self.read_name(index):
            text, end = named_text
            is_known = text.template is not None or self.source_at(index) in self.texts
            return [text.template] if text.template is not None else list(text.pieces), end, is_known
        return None

    def _read_methods(self, pieces: list[Piece], index: int) -> tuple[list[Piece], int, bool] | None:
        while self.source_at(index) == "." and self.source_at(index + 2) == "(":
            if self.source_at(index + 1) != "trim" or self.source_at(index + 3) != ")":
                return None
            pieces, index = _trim(pieces), index + 4
        return pieces, index, True

    def _read_joined(self, index: int) -> tuple[list[Piece], int, bool] | None:
        """A list of texts, and how it is joined: `["a", `b`].join("\\n")`."""
        end = self.pairs.get(index, 0)
        if [self.source_at(end + step) for step in (1, 2, 3)] != [".", "join", "("] or self.source_at(end + 5) != ")":
            return None
        between = self.read_constant(end + 4)
        pieces: list[Piece] = []
        position = index + 1
        while position < end:
            item = self.read_text(position)
            if item is None or self.source_at(item[1]) not in (",", "]"):
                return None
            text, position = item[0], item[1] + 1
            pieces += [between] if pieces else []
            pieces += [text.template] if text.template is not None else list(text.pieces)
        return self._read_methods(pieces, end + 6)

    def _read_parts(self, token: Token, tag: str) -> list[Piece]:
        pieces: list[Piece] = []
        for part in token.parts:
            pieces += self._read_code(part.source) if isinstance(part, Code) else [part]
        return _unindent(pieces) if tag in _DEDENTS else pieces

    def _read_code(self, source: str) -> list[Piece]:
        """What an expression prints: a known text, a path of names, or an input named after it."""
        if text := self.texts.get(source):
            self.used.add(source)
            return [text.template] if text.template is not None else list(text.pieces)
        path = source
        for owner in _OWNERS:
            path = path.removeprefix(owner)
        if _PATH.fullmatch(path) and not path.endswith(".length"):
            first, *steps = path.replace("?.", ".").split(".")
            return [Slot(".".join([self.names.input_name(first), *steps]))]
        name = re.sub(r"\W+", "_", source)[:40].strip("_").lower()
        code = "${" + source + "}"
        return [Slot(self.names.input_name(f"{name} ", shown=code, reason="give its text"))]

    def _starts_line(self, index: int) -> bool:
        """Whether a token is the first of its line, where a statement may end without a semicolon."""
        token, before = self.tokens[index], self.tokens[index - 1]
        if token.source in (".", "?.", "?", "(", "[", "=", "&&", "||", "??"):
            return False
        return token.kind == "name" or token.start > before.start + len(before.source)


def _build_text(pieces: list[Piece]) -> CodeText:
    texts = [piece for piece in pieces if isinstance(piece, str)]
    return CodeText("".join(texts)) if len(texts) == len(pieces) else CodeText(pieces=tuple(pieces))


def _trim(pieces: list[Piece]) -> list[Piece]:
    trimmed = list(pieces)
    if trimmed and isinstance(trimmed[0], str):
        trimmed[0] = trimmed[0].lstrip()
    if trimmed and isinstance(trimmed[-1], str):
        trimmed[-1] = trimmed[-1].rstrip()
    return trimmed


def _unindent(pieces: list[Piece]) -> list[Piece]:
    """The pieces without their common indentation and the blank lines around, as `dedent` prints them."""
    slots = [piece for piece in pieces if not isinstance(piece, str)]
    numbers = iter(range(len(slots)))
    marked = "".join(piece if isinstance(piece, str) else f"\ue000{next(numbers)}\ue001" for piece in pieces)
    split = _MARK.split(textwrap.dedent(marked).strip())
    return [slots[int(part)] if number % 2 else part for number, part in enumerate(split)]
