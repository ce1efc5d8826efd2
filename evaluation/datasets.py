"""Datasets: rows of inputs and expected outputs, from CSV, JSON lines, YAML or a BEIR folder.

JSON lines   {"inputs": {...}, "expected": {...}, "id": "...", "tags": ["..."]} a line; all but `inputs` may be absent
YAML         a list of the same, or samples: {name: {input: value}} (rows without an expectation)
CSV          a header; columns `expected` or `expected.<output>` are expectations, `id` the row's name, `tags` its tags
             with commas between them, the rest inputs
BEIR         corpus.jsonl, queries.jsonl and qrels/<split>.tsv; inputs {query}, expected {documents: [{id, score}]}
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from promptuary.evaluation.errors import DatasetError
from promptuary.renderer.digest import encode_canonical_json
from promptuary.renderer.errors import DocumentError
from promptuary.renderer.syntax import suggestions
from promptuary.renderer.syntax.yaml_reader import YamlError, compose, read_value

__all__ = ["Dataset", "Row", "digest_contents", "parse", "read", "read_beir", "read_corpus"]

_MAX_TAGS = 20  # per row
_MAX_TAG_LENGTH = 40  # characters


@dataclass(frozen=True)
class Row:
    """One case: inputs and expected outputs by name (None when nothing is expected), its own name, and its tags."""

    inputs: dict[str, Any]
    expected: dict[str, Any] | None = None
    id: str = ""
    tags: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The row as plain JSON; `tags` is left out if empty."""
        tags = {"tags": list(self.tags)} if self.tags else {}
        return {"id": self.id, "inputs": self.inputs, "expected": self.expected, **tags}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Row":
        """Rebuild a row from `to_dict()`."""
        return cls(content["inputs"], content["expected"], content["id"], tuple(content.get("tags", ())))


@dataclass(frozen=True)
class Dataset:
    """Named rows. The digest covers their content and order, not the file format."""

    name: str
    rows: tuple[Row, ...]
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256()
        for number, row in enumerate(self.rows, start=1):
            try:
                digest.update(encode_canonical_json(row.to_dict()) + b"\n")
            except DocumentError as error:
                raise DatasetError(f"{self.name}, row {number}: {error.message}") from error
        object.__setattr__(self, "digest", f"sha256:{digest.hexdigest()}")

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """Every row's inputs, as `evaluation.run` takes them."""
        return [row.inputs for row in self.rows]

    @property
    def expected_outputs(self) -> list[dict[str, Any] | None]:
        """Every row's expectations; empty when no row has any."""
        return [row.expected for row in self.rows] if any(row.expected for row in self.rows) else []


def digest_contents(rows: Iterable[Row]) -> str:
    """`sha256:…` over the rows' inputs and expectations in order. Names and tags are left out, so rows that differ only
    in those have the same digest.
    """
    digest = hashlib.sha256()
    for row in rows:
        digest.update(encode_canonical_json({"inputs": row.inputs, "expected": row.expected}) + b"\n")
    return f"sha256:{digest.hexdigest()}"


def read(path: str | Path) -> Dataset:
    """Read a dataset from a file, by its suffix (.csv, .jsonl, .yml, .yaml), or from a BEIR folder."""
    path = Path(path)
    if path.is_dir():
        return read_beir(path)
    form = path.suffix.removeprefix(".").replace("yaml", "yml")
    if form not in _READERS:
        raise DatasetError(f"{path.name}: a dataset is a .csv, .jsonl or .yml file, or a BEIR folder")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DatasetError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} is not UTF-8 (byte {error.start})") from error
    return Dataset(path.stem, tuple(_READERS[form](text, path.name)))


def parse(text: str, form: str, name: str = "dataset") -> Dataset:
    """Parse a dataset; `form` is csv, jsonl or yml. DatasetError names the line, row or column."""
    if form not in _READERS:
        raise DatasetError(f"a dataset is written as {', '.join(_READERS)}, not {form!r}")
    return Dataset(name, tuple(_READERS[form](text.removeprefix("\ufeff"), name)))


def read_beir(folder: Path, split: str = "test") -> Dataset:
    """Read the queries and their relevant documents from one split of a BEIR folder. `read_corpus` reads the corpus."""
    queries = {str(entry["_id"]): str(entry["text"]) for entry in _read_json_lines(folder / "queries.jsonl")}
    relevant: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(_read_lines(folder / "qrels" / f"{split}.tsv"), start=1):
        if number == 1 and line.startswith("query-id"):
            continue
        columns = line.split("\t")
        if len(columns) != 3 or columns[0] not in queries:
            raise DatasetError(f"qrels/{split}.tsv, line {number}: needs a known query, a document and a score")
        relevant.setdefault(columns[0], []).append(
            {"id": columns[1], "score": _parse_number(columns[2], split, number)}
        )
    rows = (
        Row({"query": queries[query]}, {"documents": [d for d in documents if d["score"] > 0]}, query)
        for query, documents in relevant.items()
    )
    return Dataset(folder.name, tuple(rows))


def read_corpus(folder: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of a BEIR folder as {"id", "content"}, plus "meta": {"title"} if there is a title.

    DatasetError names the line of corpus.jsonl that can't be read. See `retrieval.KeywordRetriever`.
    """
    for entry in _read_json_lines(Path(folder) / "corpus.jsonl"):
        document: dict[str, Any] = {"id": str(entry["_id"]), "content": str(entry["text"])}
        title = str(entry.get("title") or "")
        yield document | ({"meta": {"title": title}} if title else {})


def _parse_number(text: str, split: str, line: int) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise DatasetError(f"qrels/{split}.tsv, line {line}: {text!r} is not a score") from error


def _read_lines(path: Path) -> Iterator[str]:
    if not path.is_file():
        raise DatasetError(f"a BEIR folder has {path.name}; {path} is not there")
    with path.open(encoding="utf-8") as file:
        yield from (line.rstrip("\n") for line in file if line.strip())


def _read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_read_lines(path), start=1):
        try:
            entry = json.loads(line)
            entry["_id"], entry["text"]
        except (ValueError, KeyError, TypeError) as error:
            raise DatasetError(f"{path.name}, line {number}: needs a mapping with _id and text") from error
        yield entry


def _parse_jsonl(text: str, name: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise DatasetError(f"{name}, line {number} is not JSON: {error}") from error
        yield _parse_row(entry, f"{name}, line {number}")


def _parse_yaml(text: str, name: str) -> Iterator[Row]:
    try:
        content = read_value(compose(text))
    except YamlError as error:
        raise DatasetError(f"{name}: {error}") from error
    if isinstance(content, Mapping):
        for sample, inputs in content.items():
            if not isinstance(inputs, Mapping):
                raise DatasetError(f"{name}: the sample {sample!r} is a mapping of inputs")
            yield Row(dict(inputs), None, str(sample))
    elif isinstance(content, list):
        yield from (_parse_row(entry, f"{name}, row {number}") for number, entry in enumerate(content, start=1))
    else:
        raise DatasetError(f"{name}: a dataset is a list of rows, or samples by name")


def _parse_csv(text: str, name: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=_find_delimiter(text), strict=True)
    if not reader.fieldnames or len(set(reader.fieldnames)) != len(reader.fieldnames):
        raise DatasetError(f"{name}: the first line names the columns, each once")
    try:
        for entry in reader:
            if None in entry or None in entry.values():
                raise DatasetError(f"{name}, line {reader.line_num}: not as many cells as columns")
            yield _split_columns(entry, f"{name}, line {reader.line_num}")
    except csv.Error as error:
        raise DatasetError(f"{name}, line {reader.line_num}: {error}") from error


def _find_delimiter(text: str) -> str:
    """The comma, unless the first line has semicolons or tabs instead, as spreadsheets write in many locales."""
    head = text.partition("\n")[0]
    return next((delimiter for delimiter in (",", ";", "\t") if delimiter in head), ",")


def _split_columns(entry: Mapping[str, str], where: str) -> Row:
    expected: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    for column, value in entry.items():
        if column == "expected" or column.startswith("expected."):
            expected[column.partition(".")[2] or "answer"] = value
        elif column not in ("id", "tags"):
            inputs[column] = value
    return Row(inputs, expected or None, entry.get("id", ""), _read_tags(entry.get("tags", "").split(","), where))


def _parse_row(entry: Any, where: str) -> Row:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("inputs"), Mapping):
        raise DatasetError(f"{where}: a row is a mapping with `inputs`")
    if unknown := set(entry) - {"inputs", "expected", "id", "tags"}:
        raise DatasetError(
            f"{where}: a row has no {suggestions.shorten_name(sorted(map(str, unknown))[0])!r}, only id, "
            "inputs, expected and tags"
        )
    expected = entry.get("expected")
    if expected is not None and not isinstance(expected, Mapping):
        expected = {"answer": expected}  # a bare value is the expected answer
    tags = _read_tags(entry.get("tags") or (), where)
    return Row(dict(entry["inputs"]), dict(expected) if expected is not None else None, str(entry.get("id", "")), tags)


def _read_tags(tags: Any, where: str) -> tuple[str, ...]:
    """Each tag once, without surrounding whitespace; empty ones are left out."""
    if isinstance(tags, str) or not isinstance(tags, Sequence) or not all(isinstance(tag, str) for tag in tags):
        raise DatasetError(f"{where}: tags are a list of texts")
    stripped = [" ".join(tag.split()) for tag in tags]
    if any("," in tag or len(tag) > _MAX_TAG_LENGTH for tag in stripped):
        raise DatasetError(f"{where}: a tag has no comma and at most {_MAX_TAG_LENGTH} characters")
    if len(tags_read := tuple(dict.fromkeys(filter(None, stripped)))) > _MAX_TAGS:
        raise DatasetError(f"{where}: a row has at most {_MAX_TAGS} tags")
    return tags_read


_READERS = {"csv": _parse_csv, "jsonl": _parse_jsonl, "yml": _parse_yaml}
