"""Rows of the import page: templates that files are converted to, as displayed and as posted back by the form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from frontend.diff import rendered
from frontend.editor import input_kinds
from frontend.web.findings import translate_finding, translate_problem
from frontend.web.highlight import Run, highlight
from promptuary.renderer.interop import plain_text
from promptuary.renderer.interop.imported import Difference
from promptuary.renderer.interop.reading import FORMATS
from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, PromptuaryError, TooLarge
from registry.core.input_checks import BadJson, parse_json
from registry.templates import document_check, preview
from registry.templates.document_check import PreviewRequest
from registry.templates.imports import ChosenTemplate, ImportedFile, PlacedTemplate, list_possible_secrets

__all__ = [
    "PASTED",
    "FileReport",
    "ImportRow",
    "apply_chosen_kinds",
    "read_posted_rows",
    "render_rows",
    "report_files",
    "write_payload",
]

PASTED = "pasted"
"""The name of pasted text, in place of a file's name."""
TITLES = {**{entry.name: entry.title for entry in FORMATS}, **plain_text.LANGUAGE_TITLES}
MAX_ROWS = 300
MAX_RENDERED = 4
"""The most templates whose parts the page renders, because each costs a rendering."""
PAYLOAD_BYTES = 1_800_000
"""The page's form contains the documents until they are saved; this is its maximum size."""


@dataclass(frozen=True)
class RowInput:
    """An input of a template to import: its name, its kind, and the kinds to choose from, as value and words."""

    name: str
    kind: str
    kinds: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class ImportRow:
    """A template to import. `path` is its path inside the namespace, `state` is `new` or `exists`.

    `problem` says why it can't be saved as it is. `messages` are the rendered parts with placeholders for values,
    `inputs` its inputs, and `token_count` their tokens; empty and None if they weren't rendered.
    """

    index: int
    path: str
    document: str
    samples: Mapping[str, dict[str, Any]]
    source: str
    source_format: str
    differences: Sequence[Difference] = ()
    state: str = "new"
    problem: str = ""
    is_kept: bool = True
    messages: Sequence[rendered.Message] = ()
    inputs: Sequence[RowInput] = ()
    token_count: int | None = None

    @property
    def format_title(self) -> str:
        """The name of the detected format."""
        return translate_finding(TITLES.get(self.source_format, self.source_format))

    @property
    def is_text(self) -> bool:
        """Whether it was read as a text, not as messages or code."""
        return self.source_format == plain_text.KIND or self.source_format in plain_text.LANGUAGE_TITLES

    @property
    def source_lines(self) -> list[list[Run]]:
        """The document's lines with syntax highlighting."""
        return highlight(self.document)

    @property
    def possible_secrets(self) -> list[Problem]:
        """Suspected credentials in the document or its samples, in the language of the page."""
        return list(map(translate_problem, list_possible_secrets(self.document, self.samples)))

    def chosen(self) -> ChosenTemplate:
        """The template as the service expects it."""
        if self.source == PASTED and self.is_text:
            message = gettext("First version")
        elif self.source == PASTED:
            message = gettext("First version, from {format}").format(format=self.format_title)
        else:
            message = gettext("Imported from {file}").format(file=self.source)
        return ChosenTemplate(self.path, self.document, self.samples, message)

    def with_refusal(self, sentence: str) -> "ImportRow":
        """The row with the reason why it wasn't saved."""
        return replace(self, problem=sentence or self.problem)


@dataclass(frozen=True)
class FileReport:
    """The result for one file: its rows, or why it was refused and on which of its lines."""

    path: str
    rows: Sequence[ImportRow]
    refusal: str = ""
    line: int | None = None
    holds_secret: bool = False


def report_files(files: Sequence[ImportedFile], namespace: str) -> list[FileReport]:
    """The reports of the files. Raises TooLarge if there are more templates than the page can hold."""
    reports: list[FileReport] = []
    index = 0
    for file in files:
        rows = []
        for template in file.templates:
            rows.append(_write_row(index, file.path, template, namespace))
            index += 1
        reports.append(FileReport(file.path, rows, file.refusal, file.line, file.holds_secret))
    if index > MAX_ROWS:
        raise TooLarge(
            gettext(
                "These files become {count} templates; the page takes {most} at once. Import fewer, or use the "
                "command line."
            ).format(count=index, most=MAX_ROWS)
        )
    return reports


def render_rows(actor: Actor, rows: Sequence[ImportRow]) -> list[ImportRow]:
    """The rows with their parts, if there are only a few."""
    return [_render(actor, row) for row in rows] if len(rows) <= MAX_RENDERED else list(rows)


def _render(actor: Actor, row: ImportRow) -> ImportRow:
    """The row with its parts; unchanged if they can't be rendered, which a save or the editor reports later."""
    try:
        data = next(iter(row.samples.values()), {})
        examined = document_check.check_document(actor, row.document, preview=PreviewRequest(data))
        prompt = preview.render_examined_document(examined=examined, data=data, with_placeholders=True)
    except PromptuaryError:
        return row
    messages = rendered.build_messages(prompt.get("preview") or prompt["parts"], prompt.get("placeholders", ()))
    inputs = [
        RowInput(name, input_kinds.find_kind(schema), input_kinds.list_kinds(schema))
        for name, schema in input_kinds.list_schemas(examined).items()
    ]
    return replace(row, messages=messages, inputs=inputs, token_count=prompt["token_count"])


def apply_chosen_kinds(actor: Actor, rows: Sequence[ImportRow], fields: Mapping[str, str]) -> list[ImportRow]:
    """The rows with the kinds of inputs from the form, `kind-0-question` for the first row's `question`.

    Raises Invalid if the layout of a document can only be edited in its source.
    """
    chosen = []
    for row in rows:
        prefix = f"kind-{row.index}-"
        kinds = {key.removeprefix(prefix): value for key, value in fields.items() if key.startswith(prefix)}
        document = input_kinds.choose_kinds(actor, row.document, kinds) if kinds else row.document
        chosen.append(replace(row, document=document))
    return chosen


def write_payload(rows: Sequence[ImportRow]) -> str:
    """The documents and samples as JSON, for the form. Raises TooLarge if they exceed what a form may hold."""
    entries = [
        {
            "index": row.index,
            "document": row.document,
            "samples": row.samples,
            "source": row.source,
            "format": row.source_format,
            "state": row.state,
            "differences": [[difference.message, difference.line] for difference in row.differences],
        }
        for row in rows
    ]
    payload = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    if len(payload.encode()) > PAYLOAD_BYTES:
        raise TooLarge(gettext("These templates are too large for one import in the browser. Import fewer at once."))
    return payload


def read_posted_rows(fields: Mapping[str, str]) -> list[ImportRow]:
    """The rows that a form posted back, with paths and ticks as edited. Raises Invalid for any other payload."""
    text = fields.get("templates", "")
    if not text:
        return []
    try:
        entries = parse_json(text.encode("utf-8", "replace"))
        return [_read_row(entry, fields) for entry in entries]
    except (BadJson, KeyError, TypeError, ValueError) as error:
        sentence = gettext("the page was changed on its way. Show again what it becomes.")
        raise Invalid(fields={"templates": sentence}) from error


def _read_row(entry: Mapping[str, Any], fields: Mapping[str, str]) -> ImportRow:
    index, samples = int(entry["index"]), dict(entry["samples"])
    if not all(isinstance(values, dict) for values in samples.values()):
        raise TypeError("samples")
    return ImportRow(
        index=index,
        path=str(fields.get(f"path-{index}", "")).strip().strip("/"),
        document=str(entry["document"]),
        samples=samples,
        source=str(entry["source"]),
        source_format=str(entry["format"]),
        differences=[Difference(str(message), line) for message, line in entry["differences"]],
        state=str(entry["state"]),
        is_kept=f"keep-{index}" in fields,
    )


def _write_row(index: int, source: str, template: PlacedTemplate, namespace: str) -> ImportRow:
    imported = template.imported
    return ImportRow(
        index=index,
        path=template.name.removeprefix(f"{namespace}/"),
        document=imported.document,
        samples=imported.samples,
        source=source,
        source_format=imported.source_format,
        differences=imported.differences,
        state=template.state,
        problem=template.problem,
        is_kept=template.state == "new",
    )
