"""Imported documents: the document, its name, its origin, and what could not be carried over."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from promptuary.renderer import validate
from promptuary.renderer.document import parser
from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import DocumentError
from promptuary.renderer.syntax import yaml_writer

__all__ = [
    "Difference",
    "ImportedTemplate",
    "LossError",
    "as_list",
    "as_mapping",
    "check_imported",
    "describe_origin",
    "find_losses",
    "slugify",
    "write_document",
]

_KEYS = ("description", "tags", "format", "model", "settings", "inputs", "tools", "output")
_MODEL = re.compile(r"\A(---\n(?:(?!---$|model:).*\n)*)model: (?![|>]).*\n", re.MULTILINE)
_ORIGIN = re.compile(r"^# from (?P<kind>[a-z0-9-]+): (?P<facts>\{.*\})$", re.MULTILINE)


class LossError(ValueError):
    """The conversion would lose something: the message says what.

    `line` is the line of the source, 1-based, or None.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


class SecretError(LossError):
    """The text contains a credential, so it is refused."""


@dataclass(frozen=True)
class Difference:
    """Something in the document that differs from the source; `line` is the source's, 1-based, or None."""

    message: str
    line: int | None = None

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


@dataclass(frozen=True)
class ImportedTemplate:
    """A document converted from another format. `name` is its name below the namespace."""

    name: str
    document: str
    source_format: str
    samples: dict[str, Any] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()


def as_mapping(value: Any, subject: str) -> dict[str, Any]:
    """Return the value if it is a mapping; an empty one for None. Raises LossError."""
    if value is not None and not isinstance(value, dict):
        raise LossError(f"`{subject}` isn't a mapping")
    return value or {}


def as_list(value: Any, subject: str) -> list[Any]:
    """Return the value if it is a list; an empty one for None. Raises LossError."""
    if value is not None and not isinstance(value, list):
        raise LossError(f"`{subject}` isn't a list")
    return value or []


def write_document(kind: str, front: Mapping[str, Any], body: str, facts: Mapping[str, Any] | None = None) -> str:
    """Write a document's text deterministically: front matter in a fixed order, the body as it is.

    `facts` are other facts from the source (its own name and version, authors). They are written into a comment, which
    an export reads back.
    """
    origin = {key: value for key, value in (facts or {}).items() if value not in (None, "", [], {})}
    try:
        lines = [f"# from {kind}: {json.dumps(origin, sort_keys=True, allow_nan=False)}\n"] if origin else []
        json.dumps(front, allow_nan=False)
    except ValueError as error:
        raise LossError("it contains NaN or infinity, which JSON has no number for") from error
    lines += [yaml_writer.write_yaml({key: front[key]}) for key in _KEYS if front.get(key)]
    return "---\n" + "".join(lines) + "---\n" + body


def check_imported(
    imported: ImportedTemplate, body: str | None = None, fragments: Mapping[str, str] | None = None
) -> ImportedTemplate:
    """Return the template if it has no errors and its body is `body`. Raises LossError with the line."""
    for problem in validate(_remove_model(imported.document), imported.samples or None, fragments=fragments):
        if problem.severity == "error":
            raise LossError(f"line {problem.line} of what it would become: {problem.message}")
    try:
        written = parser.parse_document(imported.document).body
    except DocumentError as error:  # a model that isn't text, which is left out of the check above
        raise LossError(f"line {error.line} of what it would become: {error.message}") from error
    if body is not None and written != body:
        raise LossError("its lines don't end in line feeds, as those of a document do")
    return imported


def _remove_model(document: str) -> str:
    """The document with an empty line for its model, whose vocabulary may not be loaded where files are read.

    Whether the prompt fits the model is checked when it is opened or saved.
    """
    return _MODEL.sub(r"\1\n", document, count=1)


def describe_origin(source: Document, kind: str) -> dict[str, Any]:
    """Return the facts that an import of this kind recorded; empty for other documents."""
    match = _ORIGIN.search(source.text[: len(source.text) - len(source.body)])
    if match is None or match["kind"] != kind:
        return {}
    try:
        facts = json.loads(match["facts"])
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def find_losses(source: Document, carried: tuple[str, ...]) -> list[str]:
    """Return the front matter keys that a format doesn't support, each with a summary of its value."""
    losses = []
    for key, value in source.front.items():
        if key in carried or value in (None, "", [], {}, 0):
            continue
        names = f" ({', '.join(map(str, value))})" if isinstance(value, dict) else ""
        losses.append(f"{key}{names}")
    return losses


def slugify(name: str) -> str:
    """Convert another system's name: lower-case words joined by `-`, folders by `/`. Raises LossError."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    segments = [re.sub(r"[^a-z0-9]+", "-", segment).strip("-") for segment in ascii_name.split("/")]
    if not all(segments):
        raise LossError(f"{name!r} gives no name of lower-case letters and digits; give one with --name")
    return "/".join(segment[:64].strip("-") for segment in segments)
