"""Texts with `{{name}}` placeholders, the common ground of Langfuse and Jinja, and Promptuary bodies for them."""

import re
from collections.abc import Callable, Mapping, Sequence

from promptuary import renderer
from promptuary.renderer.document import plain_placeholders
from promptuary.renderer.document.parser import Document
from promptuary.renderer.interop.imported import LossError

__all__ = ["Message", "read_document_messages", "read_names", "write_parts", "write_text"]

Message = Mapping[str, str]  # role, content
_SLOT = re.compile(r"(?<!\{)\{\{\s*([^\W\d]\w*)\s*\}\}(?!\})")
_STATEMENTS = re.compile(r"\{[%#]")
# A part treats `\n` as a line end and <|space|> as a space.
_IN_PART = re.compile(_STATEMENTS.pattern + r"|\\+(?=[nr])|(?<=<)\|(?=space\|>)")
_EDGES = re.compile(r"\A\s+|\s+\Z")
_UNSAFE = re.compile("[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def read_names(text: str) -> list[str]:
    """Return the names in double braces, in order. Raises LossError for any other use of double braces."""
    rest = _SLOT.sub(lambda match: " " * len(match[0]), text)
    if "{{" in rest:
        at = rest.index("{{")
        line = text[at:].split("\n", maxsplit=1)[0]
        raise LossError(f"line {text.count(chr(10), 0, at) + 1} of the text has more than a plain name: {line[:60]}")
    return list(dict.fromkeys(_SLOT.findall(text)))


def write_text(text: str) -> str:
    """Write a body of format `text` that prints this text. Raises LossError."""
    names = read_names(text)
    body = _write_jinja(text, _STATEMENTS)
    _prove(f"---\nformat: text\n---\n{body}", names, [("user", _canonicalize(text))])
    return body


def write_parts(messages: Sequence[Message], first_number: int = 1) -> str:
    """Write a body of format `parts` that renders to exactly these messages, named from this number on.

    Raises LossError.
    """
    names: list[str] = []
    lines = []
    for number, message in enumerate(messages, start=first_number):
        names += read_names(message["content"])
        lines.append(f"- name: {message['role']} {number}\n  role: {message['role']}\n")
        content = _EDGES.sub(lambda match: _write_string(match[0]), _write_jinja(message["content"], _IN_PART))
        block = "".join(f"    {line}\n" if line else "\n" for line in content.split("\n"))
        lines.append(f"  content: |-\n{block}" if content else '  content: ""\n')
    body = "".join(lines)
    _prove(f"---\nformat: parts\n---\n{body}", names, [(m["role"], _canonicalize(m["content"])) for m in messages])
    return body


def read_document_messages(
    document: Document,
    fragments: Mapping[str, str],
    write_literal: Callable[[str], str] = plain_placeholders.require_no_braces,
) -> list[dict[str, str]]:
    """Return the messages of a document whose body has plain names only, each name in double braces.

    write_literal: writes the text between names so that its braces stay text. Raises LossError.
    """
    try:
        placeholders = plain_placeholders.read_placeholders(document, fragments)
        messages = _render_both(placeholders.document, placeholders.data, fragments)
        for message in messages:
            if not isinstance(message["content"], str):
                raise LossError("a part has more than text")
            message["content"] = placeholders.write_names(message["content"], write_literal)
    except plain_placeholders.NotPlainError as error:
        raise LossError(str(error)) from error
    return messages


def _write_jinja(text: str, signs: re.Pattern[str]) -> str:
    """The text with its names as Jinja prints them; `signs` are written as strings, so that they stay text."""
    jinja_text = _SLOT.sub(lambda match: "{{ " + match[1] + " }}", text)
    jinja_text = signs.sub(lambda match: _write_string(match[0]), jinja_text)
    return _UNSAFE.sub(lambda match: _write_string(match[0]), jinja_text)


def _write_string(text: str) -> str:
    escaped = "".join(
        sign if sign in " %{#" or (sign.isalnum() and sign.isascii()) else _escape_sign(sign) for sign in text
    )
    return "{{ '" + escaped + "' }}"


def _escape_sign(sign: str) -> str:
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(sign) or f"\\U{ord(sign):08x}"


def _canonicalize(text: str) -> str:
    return _SLOT.sub(lambda match: "{{" + match[1] + "}}", text)


def _prove(document: str, names: Sequence[str], expected: Sequence[tuple[str, str]]) -> None:
    """Check by rendering with a unique mark for each value. Raises LossError if the result differs from the text."""
    try:
        data = {name: "{{" + name + "}}" for name in names}
        rendered_messages = [(str(message["role"]), message["content"]) for message in _render_both(document, data, {})]
    except renderer.RenderError as error:
        raise LossError(f"it would not render: {error.message}") from error
    if rendered_messages != list(expected):
        raise LossError("it would not render to the same text")


def _render_both(document: str, data: Mapping[str, str], fragments: Mapping[str, str]) -> list[dict[str, str]]:
    return renderer.load(document, fragments=fragments).render(data, token_limit=-1).messages
