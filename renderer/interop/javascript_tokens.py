"""JavaScript and TypeScript as tokens: names, signs, strings, and template literals with their expressions.

The code is never run. JSX, types and regular expressions are read as signs and names, as far as they have brackets.
"""

import re
from dataclasses import dataclass, field

from promptuary.renderer.interop.imported import LossError

__all__ = ["Code", "Token", "pair_brackets", "read_tokens"]

_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    rf"|(?P<string>{_STRING})"
    r"|(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)"
    r"|(?P<sign>=>|\?\.|\.\.\.|[=!]==?|<=|>=|&&|\|\||\?\?|.)",
    re.DOTALL,
)
_TOKEN_WITHOUT_STRINGS = re.compile(_TOKEN.pattern.replace(_STRING, "(?!)"), re.DOTALL)
_STRING_BODIES = {quote: re.compile(rf"(?:\\.|[^{quote}\\\n])*", re.DOTALL) for quote in "\"'"}
_TEXT = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*", re.DOTALL)
_REGULAR_EXPRESSION = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 20


@dataclass(frozen=True)
class Code:
    """An expression in a template literal, as it is spelled."""

    source: str


@dataclass(frozen=True)
class Token:
    """A piece of code. kind: `name`, `number`, `sign`, or `text` for a string or a template literal, with its parts."""

    kind: str
    source: str
    start: int
    parts: tuple[str | Code, ...] = field(default=())


def read_tokens(text: str, start: int = 0, *, depth: int = 0) -> tuple[list[Token], int]:
    """Read to the end, or inside an expression to the brace that ends it. Return the tokens, and the offset of the end.

    Raises LossError with the line for a template literal without an end, or one that is nested too deeply.
    """
    tokens: list[Token] = []
    position, braces = start, 0
    unclosed = {"'": 0, '"': 0}  # by quote: up to where none begins a string
    while position < len(text):
        sign = text[position]
        if sign == "`":
            parts, end = _read_template(text, position, depth)
            tokens.append(Token("text", text[position:end], position, parts))
            position = end
            continue
        if sign == "/" and _may_begin_expression(tokens) and (regular := _REGULAR_EXPRESSION.match(text, position)):
            tokens.append(Token("sign", "/", position))
            position = regular.end()
            continue
        match = _match_token(text, position, unclosed)
        if match is None:
            break
        if depth and sign in "{}":
            braces += 1 if sign == "{" else -1
            if braces < 0:
                return tokens, position
        if match["string"]:
            tokens.append(Token("text", match[0], position, (_unescape(match[0][1:-1]),)))
        elif not match["space"]:
            tokens.append(Token(str(match.lastgroup), match[0], position))
        position = match.end()
    return tokens, position


def _match_token(text: str, position: int, unclosed: dict[str, int]) -> re.Match[str] | None:
    """The token there. A quote without an end is a sign; so are those of its kind up to where its end was searched."""
    if position < unclosed.get(text[position], 0):
        return _TOKEN_WITHOUT_STRINGS.match(text, position)
    match = _TOKEN.match(text, position)
    if match and match["sign"] in unclosed and (searched := _STRING_BODIES[match["sign"]].match(text, position + 1)):
        unclosed[match["sign"]] = searched.end()
    return match


def _read_template(text: str, start: int, depth: int) -> tuple[tuple[str | Code, ...], int]:
    line = text.count("\n", 0, start) + 1
    if depth > _DEEPEST:
        raise LossError("its template literals are nested too deeply", line)
    parts: list[str | Code] = []
    position = start + 1
    while True:
        literal = _TEXT.match(text, position)
        position = literal.end() if literal else position
        if literal and literal[0]:
            parts.append(_unescape(literal[0]))
        if text.startswith("`", position):
            return tuple(parts), position + 1
        if not text.startswith("${", position):
            raise LossError("a template literal has no end", line)
        _, end = read_tokens(text, position + 2, depth=depth + 1)
        parts.append(Code(text[position + 2 : end].strip()))
        position = end + 1


def pair_brackets(tokens: list[Token]) -> dict[int, int]:
    """The index of the closing bracket of each opening one; those without a counterpart are left out."""
    pairs: dict[int, int] = {}
    open_ones: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.source in _CLOSING:
            open_ones.append(index)
        elif open_ones and _CLOSING[tokens[open_ones[-1]].source] == token.source:
            pairs[open_ones.pop()] = index
    return pairs


def _may_begin_expression(tokens: list[Token]) -> bool:
    """Whether a slash after the tokens begins a regular expression, and is no division."""
    if not tokens:
        return True
    last = tokens[-1]
    return last.source == "return" or (last.kind == "sign" and last.source not in (")", "]", "}"))


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_unescape_sign, text) if "\\" in text else text


def _unescape_sign(match: re.Match[str]) -> str:
    if code := match[1] or match[2] or match[3]:
        number = int(code, 16)
        return chr(number) if number < 0x110000 else match[0]
    return "" if match[4] else _ESCAPED.get(match[5], match[5])
