"""The table of samples: the values of each, and the result of rendering the text on it."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext, ngettext

from frontend.editor.input_kinds import list_schemas
from frontend.editor.notices import describe_kind
from frontend.editor.preview import find_stopping_problem
from frontend.editor.state import EditorState
from registry.accounts.actor import Actor
from registry.core.errors import PromptuaryError
from registry.templates import document_check, preview

__all__ = ["SampleCause", "SampleCell", "SampleColumn", "SampleRow", "SampleTable", "build_sample_table"]

# Longer lists can't be compared by eye, and each sample costs a rendering.
MAX_SAMPLES = 40
MAX_COLUMNS = 4
SHOWN_CHARACTERS = 60
WORD_CHARACTERS = 16


@dataclass(frozen=True)
class SampleColumn:
    """An input with a column: its name, its kind in words, and whether each sample needs a value for it."""

    name: str
    kind: str
    is_required: bool


@dataclass(frozen=True)
class SampleCell:
    """A value as displayed in the table. `more` counts the omitted characters; `look` is `text`, `word` (a short text
    on one line, such as an order number), `plain`, `none` or `missing`.
    """

    words: str
    look: str = "plain"
    more: int = 0


@dataclass(frozen=True)
class SampleRow:
    """The text rendered on one sample: its number of tokens, or why it failed.

    `cut` counts the parts that were cut to fit. `missing` is the first required input without a value, else empty.
    `is_worst` marks the one sample with the most tokens, `is_edited` one that differs from the saved one.
    """

    name: str
    cells: tuple[SampleCell, ...]
    tokens: int | None
    cut: int = 0
    stopped: str = ""
    missing: str = ""
    is_worst: bool = False
    is_edited: bool = False


@dataclass(frozen=True)
class SampleCause:
    """An input that affects `count` samples: a required one that they lack, or one that no longer exists.

    `is_text`: its value is typed as plain text; other kinds are typed as JSON.
    """

    name: str
    count: int
    is_text: bool = True


@dataclass(frozen=True)
class SampleTable:
    """The columns, required inputs first, and a row for each of the first MAX_SAMPLES samples.

    `hidden_inputs` are the names of inputs without a column; `rendered` counts the rows that render, and `count` all
    samples. `lacking` are required inputs without a value in some samples, `unused` names in samples that aren't
    inputs.
    """

    columns: tuple[SampleColumn, ...]
    rows: tuple[SampleRow, ...]
    hidden_inputs: tuple[str, ...]
    count: int
    lacking: tuple[SampleCause, ...] = ()
    unused: tuple[SampleCause, ...] = ()

    @property
    def rendered(self) -> int:
        """How many of the rows rendered."""
        return sum(not row.stopped for row in self.rows)


def build_sample_table(actor: Actor, state: EditorState) -> SampleTable:
    """The table of a text's samples, for declared and undeclared inputs; each row costs a rendering."""
    examined = document_check.check_document(actor, state.document)
    schemas = list_schemas(examined)
    columns = [SampleColumn(name, describe_kind(schema), "default" not in schema) for name, schema in schemas.items()]
    columns.sort(key=lambda column: not column.is_required)
    rows: list[SampleRow] = []
    for name, data in list(state.samples.items())[:MAX_SAMPLES]:
        row = SampleRow(
            name,
            tuple(_describe_value(data, column, schemas[column.name]) for column in columns[:MAX_COLUMNS]),
            tokens=None,
            missing=next((column.name for column in columns if column.is_required and column.name not in data), ""),
            is_edited=name in state.kept_samples and state.kept_samples[name] != data,
        )
        try:
            prompt = preview.render_examined_document(examined=examined, data=data)
        except PromptuaryError as error:
            rows.append(replace(row, stopped=find_stopping_problem(error, examined.problems).message))
        else:
            rows.append(replace(row, tokens=prompt["token_count"], cut=len(prompt["cut"])))
    worst = _find_worst(rows)
    return SampleTable(
        tuple(columns[:MAX_COLUMNS]),
        tuple(replace(row, is_worst=row.name == worst) for row in rows),
        tuple(column.name for column in columns[MAX_COLUMNS:]),
        len(state.samples),
        lacking=tuple(
            replace(cause, is_text=schemas[cause.name].get("type", "string") == "string")
            for cause in _count_causes(
                {column.name for column in columns if column.is_required} - values.keys()
                for values in state.samples.values()
            )
        ),
        # If the text can't be parsed, unused names are unknown.
        unused=_count_causes(values.keys() - schemas.keys() for values in state.samples.values())
        if examined.undeclared.used is not None
        else (),
    )


def _count_causes(names: Iterable[Collection[str]]) -> tuple[SampleCause, ...]:
    """Count each name, sorted by name. names: of each sample."""
    counts = Counter(name for sample_names in names for name in sample_names)
    return tuple(SampleCause(name, counts[name]) for name in sorted(counts))


def _describe_value(data: Mapping[str, Any], column: SampleColumn, schema: Mapping[str, Any]) -> SampleCell:
    """The value of a column, or the default if it is missing."""
    if column.name not in data:
        if column.is_required:
            return SampleCell(gettext("missing"), "missing")
        return replace(_describe(schema["default"]), look="none")
    return _describe(data[column.name])


def _describe(value: Any) -> SampleCell:
    if value is None or value in ("", [], {}):
        return SampleCell(gettext("none"), "none")
    if isinstance(value, bool):
        return SampleCell(gettext("yes") if value else gettext("no"))
    if isinstance(value, list):
        return SampleCell(ngettext("{count} item", "{count} items", len(value)).format(count=len(value)))
    if isinstance(value, Mapping):
        words = ", ".join(_describe(inner).words for inner in value.values())
    else:
        words = str(value)
    if isinstance(value, str) and len(words) <= WORD_CHARACTERS and not any(map(str.isspace, words)):
        return SampleCell(words, "word")
    excerpt = words if len(words) <= SHOWN_CHARACTERS else words[:SHOWN_CHARACTERS].rpartition(" ")[0]
    excerpt = excerpt or words[:SHOWN_CHARACTERS]
    return SampleCell(excerpt, "text" if isinstance(value, str) else "plain", len(words) - len(excerpt))


def _find_worst(rows: Sequence[SampleRow]) -> str:
    """The first sample with the most tokens; empty if all have the same number, or none was rendered."""
    counts = {row.name: row.tokens for row in rows if row.tokens is not None}
    return max(counts, key=counts.__getitem__) if len(set(counts.values())) > 1 else ""
