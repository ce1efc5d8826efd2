"""Detects documents that produce an empty prompt for any data."""

from collections.abc import Iterator

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import RenderError
from promptuary.renderer.formats.jinja_body import JinjaBody
from promptuary.renderer.formats.prompter.body import PrompterBody
from promptuary.renderer.formats.shaped import parser
from promptuary.renderer.formats.shaped.format import ShapedBody
from promptuary.renderer.formats.shaped.parser import Call, Field, Literal, Name
from promptuary.renderer.jinja import Choice, Loop, Seq, Text, Unknown, build_outline, has_whole_line
from promptuary.renderer.part import Content
from promptuary.renderer.problems import Place, Problem

__all__ = ["find_empty_prompt"]


def find_empty_prompt(document: Document, body: object) -> Problem | None:
    """Return an error if a body can't produce any text, whatever the data."""
    if isinstance(body, JinjaBody):
        silent = not has_whole_line(body.unit) and not _may_print_text(
            build_outline(body.unit), values=document.format == "text"
        )
        if silent or (not body.list_names() and _is_without_text(body)):
            subject = "the body gives no parts" if silent and document.format == "parts" else "the body says nothing"
            return _make_problem(document, subject)
    if isinstance(body, ShapedBody) and not any(map(_prints_text, body.pieces)):
        return _make_problem(document, "the body says nothing")
    if isinstance(body, PrompterBody) and not body.says_something:
        return _make_problem(document, "the prompter says nothing: it has no instruction, and no data can be given")
    return None


def _make_problem(document: Document, subject: str) -> Problem:
    place = document.body_place(0) if document.body else Place(1, 1)
    return Problem("PT311", "error", subject, place.line, place.column)


def _may_print_text(pieces: Seq, *, values: bool) -> bool:
    """Whether these pieces print text of the author's, or with `values` anything at all."""
    return any(_may_say(pieces, values=values))


def _may_say(pieces: Seq, *, values: bool) -> Iterator[bool]:
    for piece in pieces:
        if isinstance(piece, Text):
            lines = piece.text.split("\n")
            yield any(line.strip() and (values or not line.lstrip().startswith("#")) for line in lines)
        elif isinstance(piece, Choice):
            yield from (_may_print_text(branch, values=values) for branch in piece.branches)
        elif isinstance(piece, Loop):
            yield from (_may_print_text(inner, values=values) for inner in (piece.body, piece.otherwise))
        else:
            yield values or isinstance(piece, Unknown)


def _is_without_text(body: JinjaBody) -> bool:
    """Whether a body that uses no data produces parts without content."""
    try:
        parts = [part for prompt in body.build_parts({}) for part in prompt]
    except RenderError:
        return False  # its errors are reported elsewhere
    return not any(_has_content(part.content) for part in parts)


def _has_content(content: Content) -> bool:
    """Whether a part has content: text other than white space, or an item other than text."""
    if isinstance(content, str):
        return bool(content.strip())
    return any(item.get("type") != "text" or str(item.get("text", "")).strip() for item in content)


def _prints_text(piece: parser.Text | Field) -> bool:
    if not isinstance(piece, Field):
        return bool(piece.text.strip())
    for node in parser.walk(piece.node):
        if isinstance(node, Call) or (isinstance(node, Name) and node.name not in parser.CONSTANTS):
            return True
        if isinstance(node, Literal) and str(node.value).strip():
            return True
    return False
