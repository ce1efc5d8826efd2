"""Tables of prompts as CSV: one template per row, from the column that holds the prompts."""

import csv
import io

from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError, slugify
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.placeholder_syntax import describe_guess
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder
from promptuary.renderer.interop.template_text import find_language, read_template_text

__all__ = ["KIND", "is_prompt_table", "read_prompt_table"]

KIND = "csv"
_PROMPTS = ("prompt", "prompt_template", "template", "prompt_text", "system_prompt", "instruction", "text", "content")
_NAMES = ("name", "title", "act", "id", "key", "slug")
_DESCRIPTIONS = ("description", "summary")


def is_prompt_table(source: SourceFile) -> bool:
    """Whether a file is CSV: by its suffix, or by a first line of column names with one for prompts."""
    if source.suffix in (".csv", ".tsv"):
        return True
    first_line = source.text.partition("\n")[0].lower()
    if source.suffix or not any(title in first_line for title in _PROMPTS[:4]):
        return False
    try:
        rows = _read_rows(source)
    except LossError:
        return False
    return len(rows[0][1]) > 1 and len(rows) > 1 and _find_column(rows[0][1], _PROMPTS[:4]) is not None


def read_prompt_table(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per row. Raises LossError with the line."""
    (_, head), *rows = _read_rows(source)
    column = _find_column(head, _PROMPTS)
    if column is None:
        raise LossError(f"no column has one of these names: {', '.join(_PROMPTS)}. Rename the one with the prompts", 1)
    name_column, description_column = _find_column(head, _NAMES), _find_column(head, _DESCRIPTIONS)
    used = {column, name_column, description_column}
    others = [title or str(number) for number, title in enumerate(head, start=1) if number - 1 not in used]
    imported: list[ImportedTemplate] = []
    differences = [Difference(f"columns that are left out: {', '.join(others)}")] if others else []
    used_names: set[str] = set()
    for number, (line, row) in enumerate(rows, start=1):
        builder = TemplateBuilder(KIND, _make_name(source.stem, row, name_column, number, used_names))
        if description_column is not None:
            builder.front["description"] = row[description_column]
        try:
            imported.append(_build(builder, row[column]))
        except LossError as error:
            differences.append(Difference(f"row {number} is left out: {error.message}", line))
    if not imported:
        raise LossError(*((differences[-1].message, differences[-1].line) if rows else ("it has no rows",)))
    first = imported[0]
    noted = ImportedTemplate(first.name, first.document, KIND, {}, (*differences, *first.differences))
    return [noted, *imported[1:]]


def _make_name(stem: str, row: list[str], column: int | None, number: int, used_names: set[str]) -> str:
    """The row's own name if it has letters or digits and no row before it has that name, else the row's number."""
    own_name = row[column].replace("/", " ") if column is not None else ""
    has_name = any(sign.isascii() and sign.isalnum() for sign in own_name)
    name = slugify(own_name) if has_name else f"row-{number}"
    if name in used_names:
        name = f"{name}-{number}"
    used_names.add(name)
    return f"{stem}/{name}"


def _build(builder: TemplateBuilder, text: str) -> ImportedTemplate:
    if guess := describe_guess(text, find_language(text)):
        builder.add_differences([guess])
    plain = read_template_text(text, "", InputNames())
    builder.add_differences(plain.differences)
    return builder.build_text(plain.pieces)


def _find_column(head: list[str], titles: tuple[str, ...]) -> int | None:
    lower = [title.strip().lower().replace(" ", "_") for title in head]
    return next((lower.index(title) for title in titles if title in lower), None)


def _read_rows(source: SourceFile) -> list[tuple[int, list[str]]]:
    """The rows with the line on which each starts, all as long as the first. Raises LossError with the line."""
    first = source.text.lstrip("\n").partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(source.text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            if row:
                rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise LossError(f"this isn't valid CSV: {error}", line) from None
    if not rows:
        raise LossError("it is empty")
    for line, row in rows:
        if len(row) != len(rows[0][1]):
            raise LossError(f"this row has {len(row)} values, and the first line has {len(rows[0][1])}", line)
    return rows
