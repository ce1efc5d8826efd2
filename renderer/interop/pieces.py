"""Pieces of a foreign template - text, slots and Jinja statements - and Promptuary bodies that print the same.

A reader splits a foreign text into pieces and resolves what its format writes differently (braces, escapes, names).
This module turns the pieces into the body of a `text` document, or of a `parts` document with one part per message.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptuary import renderer
from promptuary.renderer.interop.imported import LossError

__all__ = ["History", "Message", "Piece", "Slot", "Statement", "prove_parts", "write_parts_body", "write_text_body"]


@dataclass(frozen=True)
class Slot:
    """A value printed at this point; `expression` is Jinja."""

    expression: str


@dataclass(frozen=True)
class Statement:
    """Jinja copied verbatim, tags and text."""

    source: str


Piece = str | Slot | Statement


@dataclass(frozen=True)
class Message:
    """A message of a conversation; `items` are content items other than text (`{type: image_url, ...}`)."""

    role: str
    pieces: tuple[Piece, ...]
    items: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class History:
    """A placeholder for the messages of an input: a list of mappings with `role` and `content`."""

    name: str


_BRACES = re.compile(r"\{[{%#]|\r|\{\Z")
# What a part's YAML can't contain, and the escapes that have a meaning in a part. Includes the braces before it,
# because its replacement begins with a brace too.
_UNSAFE = re.compile(
    r"\{*(?:\{[{%#]|\{(?=\s*\Z)|\\(?=[nr])|<\|space\|>"
    r"|[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff])"
)
_BROKEN = re.compile("[\x00\ud800-\udfff]")
_PLAIN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def write_text_body(pieces: Iterable[Piece]) -> str:
    """Write a body of format `text`. Raises LossError for characters that no document can contain."""
    return "".join(_write_piece(piece, following) for piece, following in _pair_pieces(pieces))


def write_parts_body(messages: Sequence[Message | History]) -> str:
    """Write a lossless body of format `parts`, one part per message."""
    return "".join(
        _write_history(message) if isinstance(message, History) else _write_part(number, message)
        for number, message in enumerate(messages, start=1)
    )


def prove_parts(document: str, messages: Sequence[Message | History]) -> None:
    """Render with a unique mark for each slot, and compare the texts of the messages. Raises LossError.

    A message with statements is compared with its pieces rendered as a text; if that fails on the marks, it is left to
    the checks of the document.
    """
    if any(isinstance(message, History) or message.items for message in messages):
        return
    texts = [message for message in messages if isinstance(message, Message)]
    bodies = [write_text_body(message.pieces) for message in texts]
    data = _count_marks(piece for message in texts for piece in message.pieces)
    try:
        expected = [_render_text(body, data) for body in bodies]
    except renderer.RenderError:
        return
    try:
        rendered = renderer.load(document).render(data, token_limit=-1).parts
    except renderer.RenderError as error:
        raise LossError(f"it would not render: {error.message}") from error
    if [part.content for part in rendered] != expected:
        raise LossError("its messages would not render to the same texts")


def _render_text(body: str, data: Mapping[str, Any]) -> str:
    return renderer.load(f"---\nformat: text\n---\n{body}").render(data, token_limit=-1).text if body else ""


def _count_marks(pieces: Iterable[Piece]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for piece in pieces:
        if isinstance(piece, Slot) and _PLAIN.fullmatch(piece.expression):
            *path, name = piece.expression.split(".")
            inner = data
            for step in path:
                inner = inner.setdefault(step, {})
                if not isinstance(inner, dict):
                    return {}
            inner.setdefault(name, f"\u2039{piece.expression}\u203a")
    return data


def _pair_pieces(pieces: Iterable[Piece]) -> Iterable[tuple[Piece, bool]]:
    """Each piece, with adjacent texts joined, and whether a brace at its end would merge with the next one."""
    joined: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        elif piece != "":
            joined.append(piece)
    return [(piece, number + 1 < len(joined)) for number, piece in enumerate(joined)]


def _write_piece(piece: Piece, following: bool) -> str:
    if isinstance(piece, Slot):
        return "{{ " + piece.expression + " }}"
    if isinstance(piece, Statement):
        return piece.source
    if broken := _BROKEN.search(piece):
        raise LossError(f"it has the character U+{ord(broken[0]):04X}, which no document can have")
    # A brace at the very end of the text opens nothing.
    return _BRACES.sub(lambda match: match[0] if match[0] == "{" and not following else _write_string(match[0]), piece)


def _write_part(number: int, message: Message) -> str:
    head = f"- name: {message.role} {number}\n  role: {message.role}\n"
    if not message.items:
        return head + _write_content("  content: ", "    ", message.pieces)
    lines = [head, "  content:\n"]
    if any(piece != "" for piece in message.pieces):
        lines += ["    - type: text\n", _write_content("      text: ", "        ", message.pieces)]
    return "".join([*lines, *(_write_item(item) for item in message.items)])


def _write_item(item: Mapping[str, Any]) -> str:
    address = item["image_url"]["url"]
    pieces = tuple(address) if isinstance(address, tuple) else (address,)
    return f"    - type: image_url\n      image_url:\n{_write_content('        url: ', '          ', pieces)}"


def _write_content(key: str, indent: str, pieces: Iterable[Piece]) -> str:
    pairs = list(_pair_pieces(pieces))
    if not pairs:
        return f'{key}""\n'
    text = "".join(_write_in_part(piece, following) for piece, following in pairs)
    if isinstance(pairs[0][0], Statement):
        text = "{{ '' }}" + text
    if isinstance(pairs[-1][0], Statement):
        text += "{{ '' }}"
    if inner := text.strip():
        first, last = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        text = (_write_string(first) if first else "") + inner + (_write_string(last) if last else "")
    else:
        text = _write_string(text)
    lines = "".join(f"{indent}{line}\n" if line else "\n" for line in text.split("\n"))
    return f"{key}|-\n{lines}"


def _write_in_part(piece: Piece, following: bool) -> str:
    written = _write_piece(piece, following)
    if not isinstance(piece, str):
        return written
    return _UNSAFE.sub(lambda match: _write_unsafe(match[0]), piece)


def _write_unsafe(text: str) -> str:
    if text.endswith("<|space|>"):  # in two constants, because in one it would mean a space
        braces = text.removesuffix("<|space|>")
        return (_write_string(braces) if braces else "") + "<{{ '|' }}space|>"
    return _write_string(text)


def _write_history(history: History) -> str:
    return (
        f"{{% for message in {history.name} %}}\n"
        f"- name: {history.name} {{{{ loop.index }}}}\n"
        '  role: "{{ message.role }}"\n'
        '  content: "{{ message.content }}"\n'
        "{% endfor %}\n"
    )


def _write_string(text: str) -> str:
    return "{{ '" + "".join(map(_escape_sign, text)) + "' }}"


def _escape_sign(sign: str) -> str:
    escapes = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}
    if sign in escapes or sign in " %{#<|>" or (sign.isalnum() and sign.isascii()):
        return escapes.get(sign, sign)
    return f"\\U{ord(sign):08x}"
