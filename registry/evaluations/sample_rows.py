"""Rows of a file or a dataset as samples of a text: which input each column fills."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation import Row
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound
from registry.core.input_checks import SAMPLES_BYTES, BadJson, check_text, parse_json
from registry.evaluations import dataset_queries, datasets

__all__ = [
    "MAX_ROWS",
    "PAGE",
    "OfferedSample",
    "OfferedSamples",
    "list_targets",
    "read_dataset_samples",
    "read_file_samples",
]

MAX_ROWS = 200
"""The most samples that a template can have."""
PAGE = 100
"""The most rows of a dataset offered at once."""
_MAX_NAME_LENGTH = 60
_FORMS = {"csv": "csv", "tsv": "csv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "json", "yml": "yml", "yaml": "yml"}
_ROW_KEYS = {"inputs", "expected", "id", "tags"}
_LISTS = ("samples", "rows")
"""Keys under which a JSON file may contain its list."""
_NAMES = ("name", "sample")
"""Columns that name a row unless they are inputs of the text."""
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")

_NAME = "id"
"""The column of a row's name, and the target of the column that names the sample."""
_INPUT = "inputs."

Schemas = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class OfferedSample:
    """A row as a sample: its proposed name, which another sample may have too, and its values by input."""

    name: str
    values: dict[str, Any]


@dataclass(frozen=True)
class OfferedSamples:
    """Rows as samples. `columns` maps each column of the source to its target: `id` for the sample's name,
    `inputs.customer.name` for the value of an input, or empty to leave the column out. `total` counts the rows of the
    source.
    """

    samples: tuple[OfferedSample, ...]
    columns: dict[str, str]
    total: int


def list_targets(schemas: Schemas) -> list[str]:
    """The possible targets of a column: `inputs.` plus the name of an input, or the path of a value in a group."""
    names: list[str] = []
    for name, schema in schemas.items():
        names.append(name)
        names += [f"{name}.{inner}" for inner in _list_properties(schema)]
    return [f"{_INPUT}{name}" for name in names]


def _list_properties(schema: Any) -> list[str]:
    """The paths of the values in a group; empty for any other schema, such as `true`, which allows anything."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        return []
    paths: list[str] = []
    for name, inner in (schema.get("properties") or {}).items():
        paths += [f"{name}.{path}" for path in _list_properties(inner)] or [name]
    return paths


def read_file_samples(
    text: str, file: str, schemas: Schemas, columns: Mapping[str, str] | None = None
) -> OfferedSamples:
    """The rows of a file, whose extension sets the format: CSV, JSON lines, JSON or YAML. schemas: of the text's
    inputs. columns: targets of columns, overriding the input of the same name.

    A row is either a dataset row or has its values under the inputs' names. Raises Invalid if the file can't be read,
    is too large, has more than `MAX_ROWS` rows, or if a column's target is not an input.
    """
    stem, _, ending = file.rpartition(".")
    form = _FORMS.get(ending.lower())
    if form is None:
        sentence = gettext("Choose a file that ends in {endings}.")
        raise Invalid(sentence.format(endings=", ".join(f".{form_ending}" for form_ending in _FORMS)))
    check_text("file", text, SAMPLES_BYTES, may_hold_secrets=True)  # a save searches the samples for secrets
    if form in ("json", "jsonl"):
        text, form = _write_lines(text, form, schemas), "jsonl"
    rows = datasets.read_dataset_rows(text, form, file).rows
    if len(rows) > MAX_ROWS:
        sentence = gettext(
            "The file has {count} rows; at most {most} can become samples. Make a dataset of it and tick rows of that."
        )
        raise Invalid(sentence.format(count=len(rows), most=MAX_ROWS))
    choice = _choose_columns(rows, schemas, columns)
    return _offer(rows, schemas, stem or file, choice, is_text=form == "csv")


def read_dataset_samples(
    actor: Actor, namespace: str, name: str, schemas: Schemas, start: int = 0, columns: Mapping[str, str] | None = None
) -> OfferedSamples:
    """The rows of a dataset's latest version from an index on, at most `PAGE`. columns: as for a file. Raises NotFound
    if it is in another namespace or the actor may not read it.
    """
    if name.partition("/")[0] != namespace:
        raise NotFound(gettext("There is no dataset {value} in {namespace}.").format(value=name, namespace=namespace))
    rows = dataset_queries.read_dataset_version(actor, name).rows()
    stem = name.rpartition("/")[2]
    choice = _choose_columns(rows, schemas, columns)
    return _offer(rows, schemas, stem, choice, page=slice(start, start + PAGE))


def _write_lines(text: str, form: str, schemas: Schemas) -> str:
    """JSON lines of dataset rows; an entry that isn't one has its values by input."""
    rows = (_read_row(entry, schemas) for entry in _list_entries(text, form))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _list_entries(text: str, form: str) -> Iterator[Any]:
    text = text.removeprefix("\ufeff")
    if form == "jsonl":
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield _parse(line, number)
        return
    content = _parse(text)
    if isinstance(content, Mapping):
        wrapped = next((content[key] for key in _LISTS if isinstance(content.get(key), list | dict)), None)
        content = content if wrapped is None or len(content) > 1 else wrapped
    if isinstance(content, list):
        yield from content
    elif isinstance(content, Mapping) and content and all(isinstance(value, Mapping) for value in content.values()):
        yield from ({"id": name, "inputs": values} for name, values in content.items())
    else:
        yield content


def _parse(text: str, line: int = 0) -> Any:
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except BadJson as error:
        sentence = gettext("Line {line}: {reason}").format(line=line, reason=error.message) if line else error.message
        raise Invalid(fields={"file": sentence}) from error


def _read_row(entry: Any, schemas: Schemas) -> Any:
    """The entry as a dataset row. An entry that isn't an object is left to the reader, which reports it."""
    if not isinstance(entry, Mapping) or (isinstance(entry.get("inputs"), Mapping) and entry.keys() <= _ROW_KEYS):
        return entry
    if "id" in entry and "id" not in schemas:
        return {"id": str(entry["id"]), "inputs": {key: value for key, value in entry.items() if key != "id"}}
    return {"inputs": dict(entry)}


def _offer(
    rows: Sequence[Row],
    schemas: Schemas,
    stem: str,
    choice: dict[str, str],
    *,
    page: slice = slice(None),
    is_text: bool = False,
) -> OfferedSamples:
    """is_text: the values are text cells, to be converted to the inputs' types."""
    paths = {column: _split_path(target) for column, target in choice.items() if target.startswith(_INPUT)}
    name_column = next((column for column, target in choice.items() if target == _NAME), "")
    if not name_column and choice.get(_NAME):
        name_column = _NAME
    samples = []
    for number, row in list(enumerate(rows, start=1))[page]:
        cells = _list_cells(row)
        values: dict[str, Any] = {}
        for column, path in paths.items():
            value = cells.get(column)
            if is_text and isinstance(value, str):
                value = _read_cell(value, schemas, path)
            if value is not None:
                _write_at(values, path, value)
        samples.append(OfferedSample(_choose_sample_name(str(cells.get(name_column) or ""), stem, number), values))
    return OfferedSamples(tuple(samples), choice, len(rows))


def _list_cells(row: Row) -> dict[str, Any]:
    """The values of a row by column, without missing ones."""
    cells: dict[str, Any] = {_NAME: row.id} if row.id else {}
    cells |= row.inputs
    cells |= {f"expected.{name}": value for name, value in (row.expected or {}).items()}
    return cells | ({"tags": ", ".join(row.tags)} if row.tags else {})


def _choose_columns(rows: Sequence[Row], schemas: Schemas, chosen: Mapping[str, str] | None) -> dict[str, str]:
    """Each column's target: the chosen one, else guessed from its name. Raises Invalid if the text has no inputs, or if
    a chosen target doesn't exist.
    """
    columns = list(dict.fromkeys(name for row in rows for name in _list_cells(row)))
    if rows and not schemas:
        sentence = gettext("The text uses no inputs, so there is nothing that these columns could fill: {columns}.")
        raise Invalid(sentence.format(columns=", ".join(columns)))
    guessed = _guess_columns(columns, schemas)
    targets = {"", _NAME, *list_targets(schemas)}
    for column, target in (chosen or {}).items():
        if target not in targets and target != guessed.get(column):
            sentence = gettext("{name} can't become {target}, which is not an input of the text.")
            raise Invalid(fields={"columns": sentence.format(name=column, target=target)})
    return {column: (chosen or {}).get(column, guess) for column, guess in guessed.items()}


def _guess_columns(columns: Sequence[str], schemas: Schemas) -> dict[str, str]:
    """Each column's target by its name; of two columns for one input the first counts."""
    name_column = next((name for name in (_NAME, *_NAMES) if name in columns and name not in schemas), "")
    guessed: dict[str, str] = {}
    for column in columns:
        target = _NAME if column == name_column else _guess_input(column, schemas)
        guessed[column] = "" if target in guessed.values() else target
    return guessed


def _guess_input(column: str, schemas: Schemas) -> str:
    """The target of a column that doesn't name the row; empty if no input has a similar name."""
    path = () if column.startswith("expected.") else _find_path(column, schemas)
    return f"{_INPUT}{'.'.join(path)}" if path else ""


def _split_path(target: str) -> tuple[str, ...]:
    return tuple(target.removeprefix(_INPUT).split("."))


def _find_path(column: str, schemas: Schemas) -> tuple[str, ...]:
    """The path of the input that a column fills, or of a value in a group (`customer.name`); empty if there isn't
    one.
    """
    if column in schemas:
        return (column,)
    alike = {_simplify_name(name): name for name in schemas}
    if (name := alike.get(_simplify_name(column))) is not None:
        return (name,)
    head, *rest = column.split(".")
    name = head if head in schemas else alike.get(_simplify_name(head))
    is_group = name is not None and all(rest) and schemas[name].get("type") == "object"
    return (name, *rest) if name is not None and rest and is_group else ()


def _simplify_name(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _read_cell(text: str, schemas: Schemas, path: tuple[str, ...]) -> Any:
    """The value of a cell converted to its input's type; None if it is empty, unchanged if it can't be converted."""
    if not text.strip():
        return None
    schema: Any = schemas[path[0]]
    for step in path[1:]:
        schema = (schema.get("properties") or {}).get(step) or {}
        if not isinstance(schema, Mapping):  # `true`, which allows anything
            return text
    kind = schema.get("type", "string")
    if kind == "boolean" and text.strip().lower() in _YES + _NO:
        return text.strip().lower() in _YES
    if kind in ("number", "integer", "array", "object"):
        try:
            return parse_json(text.encode())
        except BadJson:
            return text
    return text


def _write_at(values: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for step in path[:-1]:
        inner = values.get(step)
        values[step] = inner if isinstance(inner, dict) else {}
        values = values[step]
    values[path[-1]] = value


def _choose_sample_name(name: str, stem: str, number: int) -> str:
    """The row's own name on one line, else the source's name with the row's number."""
    printable = "".join(character for character in " ".join(name.split()) if character.isprintable())[:_MAX_NAME_LENGTH]
    return printable.strip() or f"{stem[: _MAX_NAME_LENGTH - 12]} {number}"
