"""The little language of shaped documents: text with `{expressions}` in it, parsed by recursive descent.

    body        = { text | "{{" | "}}" | "{" expression "}" }
    expression  = name | name "(" [ expression { "," expression } ] ")" | literal
    literal     = string | number | "True" | "False" | "None" | list | dict

Strings, numbers, lists and dicts are written as in Python; a string may contain line breaks. Evaluation only looks up
names and calls registered functions. In the text `\\n`, `\\t`, `\\r` and `\\\\` are escapes of
these characters, as in Haystack; any other backslash is kept.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from promptuary.renderer.formats.shaped.ast import (
    Call,
    Dict,
    Items,
    Literal,
    Name,
    Node,
    Scalar,
    walk,
    write_expressions,
)
from promptuary.renderer.formats.shaped.python_literals import LiteralReader, SyntaxFault

__all__ = [
    "CONSTANTS",
    "Call",
    "Dict",
    "Field",
    "Items",
    "Literal",
    "Name",
    "Node",
    "SyntaxFault",
    "Text",
    "parse_shaped",
    "walk",
    "write_expressions",
]

MAX_DEPTH = 24
CONSTANTS: Mapping[str, str] = {"new_line": "\n", "tab": "\t", "carriage_return": "\r", "double_quote": '"'}
"""Haystack's names for characters; a document's own input of the same name takes precedence."""


@dataclass(frozen=True, slots=True)
class Text:
    """The author's text, with escapes resolved."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Field:
    """`{node}`; `start` and `end` include the braces. `joined` says that constants were concatenated with `+`."""

    node: Node
    start: int
    end: int
    joined: bool = False


_TEXT = re.compile(r"[^{}\\]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def parse_shaped(body: str) -> list[Text | Field]:
    """Parse a body. Raises only SyntaxFault, whatever the text; its places are offsets in `body`."""
    return _Parser(body).body()


class _Parser(LiteralReader):
    """A recursive-descent parser: every method reads from position `at` and leaves it after what it read."""

    joined = False

    def body(self) -> list[Text | Field]:
        pieces: list[Text | Field] = []
        text: list[str] = []
        start = 0
        while self.at < len(self.source):
            if self.source[self.at] == "{" and self.source[self.at + 1 : self.at + 2] != "{":
                if text:
                    pieces.append(Text("".join(text), start, self.at))
                pieces.append(self._parse_field())
                text, start = [], self.at
            else:
                text.append(self._parse_text())
        if text:
            pieces.append(Text("".join(text), start, self.at))
        return pieces

    def _parse_text(self) -> str:
        match = _TEXT.match(self.source, self.at)
        if match:
            self.at = match.end()
            return match[0]
        sign, following = self.source[self.at], self.source[self.at + 1 : self.at + 2]
        if sign == "\\":
            self.at += 2 if following in _ESCAPES else 1
            return _ESCAPES.get(following, "\\")
        if following != sign:
            raise SyntaxFault(
                "this `}` closes nothing; write `}}` for a brace in the text",
                self.at,
                self.at + 1,
                ("Write `}}`", "}}"),
            )
        self.at += 2
        return sign

    def _parse_field(self) -> Field:
        start, self.joined = self.at, False
        self.at += 1
        self._skip_space()
        if not self._peek():
            raise self._build_unclosed_error(start)
        if self._peek() == "}":
            raise SyntaxFault(
                "there is nothing between these braces; write `{{}}` for braces in the text",
                start,
                self.at + 1,
                ("Write `{{}}`", "{{}}"),
            )
        node = self._parse_expression(1)
        self._skip_space()
        if self._peek() != "}":
            raise self._build_unclosed_error(start)
        self.at += 1
        return Field(node, start, self.at, self.joined)

    def _build_unclosed_error(self, start: int) -> SyntaxFault:
        sign = self._peek()
        if not sign:
            return SyntaxFault("this `{` is never closed; write `{{` for a brace in the text", start, start + 1, _BRACE)
        if sign in ".[":
            return SyntaxFault(
                "a value is shown whole; give what is inside it as an input of its own", self.at, self.at + 1
            )
        if sign in "!:=":
            return SyntaxFault(f"`{sign}` starts a Python format, which has no meaning here", self.at, self.at + 1)
        return SyntaxFault(
            f"expected `}}` here, found `{sign}`; write `{{{{` for a brace in the text", self.at, self.at + 1
        )

    def _parse_expression(self, depth: int) -> Node:
        """One term, or several constants joined by `+`, which are kept only so that they can be rewritten."""
        node = self._parse_term(depth)
        self._skip_space()
        while self._peek() == "+":
            place = self.at
            self.at += 1
            self._skip_space()
            node = self._sum(node, self._parse_term(depth), place)
            self._skip_space()
        return node

    def _sum(self, left: Node, right: Node, place: int) -> Literal:
        first, second = _read_constant(left), _read_constant(right)
        if first is None or second is None:
            raise SyntaxFault("values cannot be added up; put them side by side, or use join", place, place + 1)
        self.joined = True
        return Literal(first + second, left.start, right.end)

    def _parse_term(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise SyntaxFault(f"expressions are nested deeper than {MAX_DEPTH} levels", self.at, self.at + 1)
        start, sign = self.at, self._peek()
        if sign == "[":
            return self._list(depth)
        if sign == "{":
            return self._parse_dict(depth)
        if sign in ("'", '"'):
            return Literal(self._read_strings(), start, self.at)
        if sign and (sign in "+-." or sign in "0123456789"):
            return Literal(self._read_number(), start, self.at)
        word = self._read_word()
        if word in _WORDS:
            return Literal(_WORDS[word], start, self.at)
        self._skip_space()
        return self._call(word, start, depth) if self._peek() == "(" else Name(word, start, start + len(word))

    def _call(self, name: str, start: int, depth: int) -> Call:
        arguments: list[Node] = []
        keywords: list[tuple[str, Node]] = []
        for _ in self._iterate_until(")"):
            keyword = self._read_keyword()
            node = self._parse_expression(depth + 1)
            if keyword is not None:
                keywords.append((keyword, node))
            elif keywords:
                raise SyntaxFault("arguments go by position; this one comes after a named one", node.start, node.end)
            else:
                arguments.append(node)
        return Call(name, tuple(arguments), tuple(keywords), start, self.at)

    def _list(self, depth: int) -> Items:
        start = self.at
        items = [self._parse_expression(depth + 1) for _ in self._iterate_until("]")]
        return Items(tuple(items), start, self.at)

    def _parse_dict(self, depth: int) -> Dict:
        start, pairs = self.at, []
        for _ in self._iterate_until("}"):
            key = self._parse_expression(depth + 1)
            self._skip_space()
            if self._peek() != ":":
                raise SyntaxFault(
                    "expected `:` and a value here; a dict is written {'key': 'value'}", self.at, self.at + 1
                )
            self.at += 1
            self._skip_space()
            pairs.append((key, self._parse_expression(depth + 1)))
        return Dict(tuple(pairs), start, self.at)

    def _iterate_until(self, closing: str) -> Iterator[None]:
        """Iterate over the comma-separated items of the bracket that opens at `at`; end after its closing bracket."""
        opening = self.at
        self.at += 1
        self._skip_space()
        while self._peek() != closing:
            if not self._peek():
                sign = self.source[opening]
                raise SyntaxFault(f"this `{sign}` is never closed with `{closing}`", opening, opening + 1)
            yield
            self._skip_space()
            if self._peek() == ",":
                self.at += 1
                self._skip_space()
            elif self._peek() and self._peek() != closing:
                raise SyntaxFault(f"expected `,` or `{closing}` here", self.at, self.at + 1)
        self.at += 1


_BRACE = ("Write `{{`", "{{")
_WORDS: dict[str, Scalar] = {"True": True, "False": False, "None": None}


def _read_constant(node: Node) -> str | None:
    if isinstance(node, Name):
        return CONSTANTS.get(node.name)
    return node.value if isinstance(node, Literal) and isinstance(node.value, str) else None
