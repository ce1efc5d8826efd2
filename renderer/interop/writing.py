"""Writes a document in the format of another system, and lists what that format can't represent.

This renders the document, so a server does it in the bounded child process.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from promptuary.renderer.document.parser import Document, parse_document
from promptuary.renderer.interop import haystack, langfuse, prompty
from promptuary.renderer.interop.imported import LossError

__all__ = ["EXPORT_FORMATS", "ExportFormat", "ExportResult", "convert_document", "write_as"]


@dataclass(frozen=True)
class ExportFormat:
    """A format that can be written: its name, a short description, and the suffix of its files."""

    name: str
    title: str
    suffix: str
    write: Callable[[Document, str, Mapping[str, str]], tuple[str, list[str]]]


@dataclass(frozen=True)
class ExportResult:
    """A written document, and what was left out; or with an empty text, why the format can't represent it."""

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
"""The formats by name."""


def write_as(form: str, source: Document, name: str, fragments: Mapping[str, str]) -> tuple[str, list[str]]:
    """Write the document in one of EXPORT_FORMATS; return the text and what it leaves out. Raises LossError."""
    return EXPORT_FORMATS[form].write(source, name, fragments)


def convert_document(form: str, document: str, name: str, fragments: Mapping[str, str]) -> ExportResult:
    """As `write_as`, from a document's text; a format that can't represent it is part of the result."""
    try:
        text, losses = write_as(form, parse_document(document), name, fragments)
    except LossError as error:
        return ExportResult(refusal=error.message)
    return ExportResult(text, tuple(losses))
