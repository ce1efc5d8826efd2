"""A prompt pasted into a part of a document: what it looks like, and the parts that read as it was meant.

Text that a part reads as it stands needs nothing. Chat markup, other placeholders and tags, and the few spellings that
mean something else in a part (`\\n` is a line end there) need another writing; nobody but the author can say whether
they want it.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from promptuary.renderer import validate
from promptuary.renderer.document import parser
from promptuary.renderer.interop import reading
from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.labelled_turns import KIND as LABELLED
from promptuary.renderer.interop.labelled_turns import count_labelled_turns
from promptuary.renderer.interop.pieces import Message, Piece, Slot, Statement, write_parts_body
from promptuary.renderer.interop.placeholders import PlainText, describe_guess, find_syntax
from promptuary.renderer.interop.source_file import read_source_file
from promptuary.renderer.interop.template_text import find_language, read_template_text
from promptuary.renderer.problems import unify_newlines

__all__ = ["PastedPrompt", "read_pasted_prompt"]

_OWN_LANGUAGES = ("none", "double", "jinja")
_NOTHING = "{{ '' }}"
_TRIMS_EDGE = re.compile(r"\A\{[{%#]-|-[}%#]\}\Z")
"""Tags that would take the line ends of the part itself, and so run it into what is around it."""
_SINGLE_MESSAGE = ("text", "prompt-poet", "python", "prompt-collection", "lm-eval")
"""Formats that are no conversation: a pasted text in one of them stays one part."""


@dataclass(frozen=True)
class PastedPrompt:
    """How a pasted text could be written. `kind` says what it is: messages, a text with inputs of another notation, or
    a text whose braces and signs have to be kept.

    `title` is the format's, empty where it has no name. `body` are the parts, `document` the whole document where the
    text says more than its messages: a model, settings, inputs. `reason` says why tags stay text.
    """

    kind: Literal["messages", "inputs", "literal"]
    body: str
    count: int = 1
    title: str = ""
    reason: str = ""
    differences: tuple[str, ...] = ()
    document: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The prompt as plain JSON."""
        return {**asdict(self), "differences": list(self.differences)}


def read_pasted_prompt(text: str, *, as_document: bool = False) -> PastedPrompt | None:
    """What a text becomes that was pasted as the whole content of a part; None where the part reads it as it is.

    as_document: the text is the whole document and has no parts yet, so it is written as parts in any case.
    """
    text = unify_newlines(text).removeprefix("\ufeff")  # a byte order mark is no part of the prompt
    try:
        return _read_messages(text) or _read_text(text, as_document=as_document)
    except LossError:
        return None  # no document can hold it, which the problems of the text say


def _read_messages(text: str) -> PastedPrompt | None:
    source = read_source_file("pasted", text.encode())
    found = reading.detect_format(source)
    if found is not None and found.name not in _SINGLE_MESSAGE:
        name, title = found.name, found.title
    elif count_labelled_turns(source.text):
        name, title = LABELLED, ""
    else:
        return None
    try:
        templates = reading.read_templates("pasted", text.encode(), name)
    except LossError:
        return None
    if len(templates) != 1:
        return None
    document = parser.parse_document(templates[0].document)
    if document.format != "parts":
        return None
    count = document.body.count("\n- name: ") + document.body.startswith("- name: ")
    differences = _sentences(templates[0].differences)
    return PastedPrompt("messages", document.body, count, title, "", differences, document.text)


def _read_text(text: str, *, as_document: bool) -> PastedPrompt | None:
    text = text.strip()
    language, reason = find_language(text), ""
    names = InputNames()
    try:
        plain = read_template_text(text, language, names)
        if language == "jinja" and (error := _find_error(text)):
            raise LossError(error)
    except LossError as error:
        reason = str(error)
        language = "double" if find_syntax(text) == "double" else "none"
        plain = read_template_text(text, language, names)
    body = write_parts_body([Message("user", plain.pieces)])
    if language not in _OWN_LANGUAGES or names.differences():
        guess = describe_guess(text, language)
        return PastedPrompt("inputs", body, differences=_sentences([*([guess] if guess else []), *plain.differences]))
    # A statement at an edge is written beside an empty value, which makes no difference to what the model reads.
    is_other = body.replace(_NOTHING, "") != _as_it_stands(plain).replace(_NOTHING, "")
    if as_document or reason or is_other or _TRIMS_EDGE.search(text):
        return PastedPrompt("literal", body, reason=reason)
    return None


def _find_error(text: str) -> str:
    errors = (problem for problem in validate(f"---\nformat: text\n---\n{text}") if problem.severity == "error")
    return next((problem.message for problem in errors), "")


def _as_it_stands(plain: PlainText) -> str:
    """The part as a card of the editor writes it."""
    content = "".join(map(_unescaped, plain.pieces))
    lines = "".join(f"    {line}\n" if line else "\n" for line in content.split("\n"))
    return f"- name: user 1\n  role: user\n  content: |-\n{lines}"


def _unescaped(piece: Piece) -> str:
    if isinstance(piece, Slot):
        return "{{ " + piece.expression + " }}"
    return piece.source if isinstance(piece, Statement) else piece


def _sentences(differences: Sequence[Difference]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(difference.message for difference in differences))
