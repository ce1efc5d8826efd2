"""Writes a document in the form of another system, and names what that form has no place for.

A document is rendered for it, so a server does this in the bounded child process.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from promptuary.renderer.document.parser import Document, parse_document
from promptuary.renderer.interop import haystack, langfuse, prompty
from promptuary.renderer.interop.imported import LossError

__all__ = ["EXPORT_FORMATS", "ExportFormat", "ExportResult", "convert_document", "write_as"]


@dataclass(frozen=True)
class ExportFormat:
    """A form that can be written: its name, what it is in a few words, and the ending of its files."""

    name: str
    title: str
    suffix: str
    write: Callable[[Document, str, Mapping[str, str]], tuple[str, list[str]]]


@dataclass(frozen=True)
class ExportResult:
    """A written document, and what was left out; or why the form can't hold it, with an empty text."""

    text: str = ""
    losses: tuple[str, ...] = ()
    refusal: str = ""


EXPORT_FORMATS: Mapping[str, ExportFormat] = {
    entry.name: entry
    for entry in (
        ExportFormat("haystack", "Haystack", ".yml", lambda source, name, _: haystack.to_haystack_file(source, name)),
        ExportFormat("langfuse", "Langfuse", ".json", langfuse.to_langfuse_file),
        ExportFormat("prompty", "Prompty", ".prompty", prompty.to_prompty_file),
    )
}
"""The forms by name."""


def write_as(form: str, source: Document, name: str, fragments: Mapping[str, str]) -> tuple[str, list[str]]:
    """The text of the document in one of EXPORT_FORMATS, and what it does not carry. Raises LossError."""
    return EXPORT_FORMATS[form].write(source, name, fragments)


def convert_document(form: str, document: str, name: str, fragments: Mapping[str, str]) -> ExportResult:
    """The same of a document's text; a form that can't hold it is part of the answer."""
    try:
        text, losses = write_as(form, parse_document(document), name, fragments)
    except LossError as error:
        return ExportResult(refusal=error.message)
    return ExportResult(text, tuple(losses))
