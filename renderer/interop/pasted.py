"""A prompt pasted into a part of a document: what it looks like, and parts that preserve its meaning.

Text that a part reads unchanged needs nothing. Chat markup, foreign placeholders and tags, and the few escapes with a
meaning in a part (`\\n` is a line end there) need rewriting, which only the author can decide on. White space at the
edges of a text is stripped by a part, so it needs rewriting too, except that a final line end is only reported.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from promptuary.renderer import validate
from promptuary.renderer.document import parser
from promptuary.renderer.interop import (
    own_document,
    prompt_collection,
    python_code,
    python_source,
    reading,
    semantic_kernel,
)
from promptuary.renderer.interop.imported import Difference, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.jinja_text import read_jinja
from promptuary.renderer.interop.labelled_turns import KIND as LABELLED
from promptuary.renderer.interop.labelled_turns import count_labelled_turns
from promptuary.renderer.interop.pieces import (
    Message,
    Piece,
    Slot,
    Statement,
    prove_parts,
    write_parts_body,
    write_text_body,
)
from promptuary.renderer.interop.placeholder_syntax import describe_guess, find_syntax
from promptuary.renderer.interop.placeholders import PlainText
from promptuary.renderer.interop.prompt_entries import find_entries
from promptuary.renderer.interop.source_file import SourceFile, read_source_file
from promptuary.renderer.interop.template_text import find_language, read_template_text
from promptuary.renderer.interop.unread_signs import find_unread
from promptuary.renderer.problems import unify_newlines

__all__ = ["PastedPrompt", "read_pasted_prompt"]

_OWN_LANGUAGES = ("none", "double", "jinja")
_NOTHING = "{{ '' }}"
_LINES_BEFORE = 3  # of the front matter with which a text is checked
_TEXT_FORMAT = re.compile(r"^format: text$", re.MULTILINE)
_PART_NAME = re.compile(r"^- name: (.+)$", re.MULTILINE)
_OTHER_LINE_ENDS = "its line ends become line feeds, which documents have"
_LINE_END_LEFT = "the end of the last line is left out, because a part has none"
# Tags at a text's edges that would trim the part's own line ends, and so join it with its surroundings.
_TRIMS_START = re.compile(r"\{[{%#]-")
_TRIMS_END = re.compile(r"-[}%#]\}\Z")
_SINGLE_MESSAGE = ("text", "lm-eval")
"""Formats that are no conversation: a text pasted in one of them stays one part."""


@dataclass(frozen=True)
class PastedPrompt:
    """How a pasted text could be written.

    `kind` is one of: messages; the single text of another format; several prompts; a text with inputs in another
    notation; a text whose braces and signs must be escaped; one with white space at its edges that a part would strip;
    or one that stays, with a note.

    `title` is the format's, empty if it has no name. `body` contains the parts, empty for several prompts and for a
    note; `document` is the whole document if the text has more than messages: a model, settings, inputs. `count` is the
    number of parts or of prompts. `reason` says why tags stay text, or why the format could not be read.
    """

    kind: Literal["messages", "text", "several", "inputs", "literal", "edges", "noted"]
    body: str
    count: int = 1
    title: str = ""
    reason: str = ""
    differences: tuple[str, ...] = ()
    document: str = ""

    @property
    def part_names(self) -> list[str]:
        """The names of the parts, in order."""
        return _PART_NAME.findall(self.body)

    def to_dict(self) -> dict[str, Any]:
        """The prompt as plain JSON."""
        return {**asdict(self), "differences": list(self.differences)}


def read_pasted_prompt(text: str, *, as_document: bool = False) -> PastedPrompt | None:
    """Suggest how to write a text pasted as the whole content of a part; None if the part reads it unchanged.

    as_document: the text is the whole document without parts, so it is written as parts in any case.
    """
    had_other_line_ends = "\r" in text
    text = unify_newlines(text).removeprefix("\ufeff")  # a byte order mark is not part of the prompt
    offer = _read_prompt(text, as_document=as_document)
    if offer and had_other_line_ends:
        return replace(offer, differences=(*offer.differences, _OTHER_LINE_ENDS))
    return offer


def _read_prompt(text: str, *, as_document: bool) -> PastedPrompt | None:
    unread = None
    try:
        try:
            if messages := _read_messages(text):
                return messages
        except _UnreadFormatError as error:
            unread = error
        offer = _read_text(text, as_document=as_document or unread is not None)
    except LossError:
        return None  # no document can contain it, which the problems of the text report
    return replace(offer, title=unread.title, reason=str(unread)) if offer and unread else offer


class _UnreadFormatError(Exception):
    """The text looks like a format, named by `title`, but can't be read as one; the message says why."""

    def __init__(self, title: str, reason: str) -> None:
        super().__init__(reason)
        self.title = title


def _read_messages(text: str) -> PastedPrompt | None:
    source = read_source_file("pasted", text.encode())
    source_format = reading.detect_format(source)
    if source_format is not None and _is_conversation(source_format, source):
        name, title = source_format.name, source_format.title
    elif count_labelled_turns(source.text):
        name, title = LABELLED, ""
    else:
        return None
    try:
        templates = reading.read_templates("pasted", text.encode(), name)
    except LossError as error:
        if not title:
            return None
        raise _UnreadFormatError(title, str(error)) from error
    if len(templates) > 1:
        differences = _list_sentences([difference for template in templates for difference in template.differences])
        return PastedPrompt("several", "", len(templates), title, "", differences)
    if not templates:
        return None
    document = parser.parse_document(templates[0].document)
    differences = _list_sentences(templates[0].differences)
    if document.format == "text" and not (name == semantic_kernel.KIND and source.value is None):
        try:
            document = _write_as_part(document)
        except LossError as error:
            raise _UnreadFormatError(title, str(error)) from error
        return PastedPrompt("text", document.body, 1, title, "", differences, document.text)
    if document.format != "parts":
        return None
    written = document.body.count("\n- name: ") + document.body.startswith("- name: ")
    count = own_document.count_parts(text) if name == own_document.KIND else written
    return PastedPrompt("messages", document.body, count, title, "", differences, document.text)


def _is_conversation(source_format: reading.SourceFormat, source: SourceFile) -> bool:
    """Whether a format is read where it is pasted; an f-string amid other text is not."""
    if source_format.name == python_code.KIND:
        return python_source.makes_prompts(source.text)
    if source_format.name == prompt_collection.KIND:
        return any(isinstance(entry.value, list) for entry in find_entries(source.value))
    return source_format.name not in _SINGLE_MESSAGE


def _write_as_part(document: parser.Document) -> parser.Document:
    """A document of one text as a document of one part that prints the same. Raises LossError."""
    plain = read_jinja(document.body, drop_last_newline=False)
    messages = [Message("user", plain.pieces)]
    front = document.text[: len(document.text) - len(document.body)]
    written = _TEXT_FORMAT.sub("format: parts", front, count=1) + write_parts_body(messages)
    prove_parts(written, messages)
    return parser.parse_document(written)


def _read_text(text: str, *, as_document: bool) -> PastedPrompt | None:
    before, text, after = _split_edges(text)
    language, reason = find_language(text), ""
    names = InputNames()
    try:
        plain = read_template_text(text, language, names)
        if language in ("jinja", "liquid") and (error := _find_error(write_text_body(plain.pieces))):
            raise LossError(error)
    except LossError as error:
        reason, names = str(error), InputNames()
        language = "double" if language != "go" and find_syntax(text) == "double" else "none"
        plain = read_template_text(text, language, names)
    has_edges = bool(before or after not in ("", "\n")) and not own_document.has_parts(text)
    edges_left = (Difference(_LINE_END_LEFT),) if after == "\n" and not has_edges else ()
    pieces = (before, *plain.pieces, after) if has_edges else plain.pieces
    body = write_parts_body([Message("user", pieces)])
    if language not in _OWN_LANGUAGES or names.differences() or _is_rewritten(text, plain):
        guess = describe_guess(text, language)
        differences = _list_sentences([*([guess] if guess else []), *plain.differences, *edges_left])
        return PastedPrompt("inputs", body, reason=reason, differences=differences)
    # At an edge, write a statement next to an empty value, which leaves the rendered text unchanged.
    inner = write_parts_body([Message("user", plain.pieces)])
    is_other = inner.replace(_NOTHING, "") != _write_part(plain).replace(_NOTHING, "")
    unread = tuple(find_unread(text)) if language == "none" else plain.differences
    if as_document or reason or is_other or _TRIMS_START.match(text) or _TRIMS_END.search(text):
        notes = [] if reason else [difference for difference in unread if difference.message.startswith("`")]
        return PastedPrompt("literal", body, reason=reason, differences=_list_sentences([*notes, *edges_left]))
    # Without inputs, the problems of the text offer to convert its other placeholders, but not its tags.
    start = "`<%" if language == "none" else "`"
    stays = tuple(sentence for sentence in _list_sentences(unread) if sentence.startswith(start))
    if has_edges:
        return PastedPrompt("edges", body, differences=stays)
    return PastedPrompt("noted", "", differences=stays) if stays else None


def _split_edges(text: str) -> tuple[str, str, str]:
    """Split into leading white space, text and trailing white space; none where a tag of the text trims it."""
    inner = text.strip()
    if not inner:
        return "", "", ""
    start = len(text) - len(text.lstrip())
    before = "" if _TRIMS_START.match(inner) else text[:start]
    return before, inner, "" if _TRIMS_END.search(inner) else text[start + len(inner) :]


def _is_rewritten(text: str, plain: PlainText) -> bool:
    """Whether a tag of the text became another one, such as the key of an item in place of a call."""
    spaced = re.sub(r"\s+", "", text)
    return any(
        re.sub(r"\s+", "", _remove_escapes(piece)) not in spaced for piece in plain.pieces if not isinstance(piece, str)
    )


def _find_error(text: str) -> str:
    problems = validate(f"---\nformat: text\n---\n{text}")
    errors = (problem for problem in problems if problem.severity == "error")
    error = next(errors, None)
    if error is None:
        return ""
    return f"line {error.line - _LINES_BEFORE}: {error.message}" if error.line else error.message


def _write_part(plain: PlainText) -> str:
    """The part as the editor's card writes it."""
    content = "".join(map(_remove_escapes, plain.pieces))
    lines = "".join(f"    {line}\n" if line else "\n" for line in content.split("\n"))
    return f"- name: user 1\n  role: user\n  content: |-\n{lines}"


def _remove_escapes(piece: Piece) -> str:
    if isinstance(piece, Slot):
        return "{{ " + piece.expression + " }}"
    return piece.source if isinstance(piece, Statement) else piece


def _list_sentences(differences: Sequence[Difference]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(difference.message for difference in differences))
