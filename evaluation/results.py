"""The result of a run: what ran, and every row, in one JSON Lines file that loads without a registry.

Line 1 is the header: {"promptuary": "evaluation", "form": 1, "runnable": {name, digest, definition}, "blind": bool}.
Every further line is a row: {"inputs", "expected", "actual", "isolated", "errors"}, and "simulated" if outputs were. A
chain's outputs are under their component's name. Rows stay in the file and are read as needed, so memory does not grow
with their number.
"""

import csv
import hashlib
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Self, cast

from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.metrics import catalogue
from promptuary.evaluation.scoring import Score, score
from promptuary.renderer.digest import encode_canonical_json
from promptuary.renderer.files import replace_file, save_file

__all__ = ["EvaluationResult", "MetricsResult", "Recorder"]

FORM = 1
Mode = Literal["integrated", "isolated", "simulated"]
_OUTPUTS = {"integrated": "actual", "isolated": "isolated", "simulated": "simulated"}
CustomMetric = Callable[..., Mapping[str, Any]]


class MetricsResult(dict[str, Score]):
    """Scores by target: `answer`, or `reader.answer` of a chain."""

    def save(self, path: str | Path) -> None:
        """Write as CSV (one row per target and dataset row) or JSON, by the file's suffix."""
        path = Path(path)
        if path.suffix == ".json":
            save_file(path, (json.dumps(self, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))
        elif path.suffix == ".csv":
            with replace_file(path) as new_path, new_path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(("target", "row", "score"))
                for target, values in cast("dict[str, Any]", self).items():
                    # A custom metric may return a bare number for a target.
                    total = values.get("score") if isinstance(values, Mapping) else values
                    row_scores = values.get("individual_scores", ()) if isinstance(values, Mapping) else ()
                    writer.writerow((target, "all", _format_cell(total)))
                    writer.writerows((target, row, _format_cell(v)) for row, v in enumerate(row_scores))
        else:
            raise EvaluationError(f"metrics are saved as .csv or .json, not {path.suffix or path.name!r}")


class EvaluationResult:
    """A finished run. Two results are equal when their files are."""

    def __init__(self, path: Path, *, temporary: bool = False) -> None:
        self._path = path
        if temporary:  # the file is kept as long as its result
            weakref.finalize(self, path.unlink, missing_ok=True)
        header = _parse(path, 1, next(_read_lines(path), ""))
        if header.get("promptuary") != "evaluation":
            raise EvaluationError(f"{path} isn't an evaluation result")
        if header.get("form") != FORM:
            raise EvaluationError(f"{path} is of form {header.get('form')}; this version reads form {FORM}")
        self.runnable: dict[str, Any] = header["runnable"]
        self.blind: bool = header["blind"]
        self._inputs_digest: str | None = None
        self._count: int | None = None

    @classmethod
    def load(cls, path: str | Path) -> "EvaluationResult":
        """Load the result from a file that `save` wrote."""
        path = Path(path)
        if not path.is_file():
            raise EvaluationError(f"there is no file {path}")
        return cls(path)

    def save(self, path: str | Path) -> None:
        """Write the result to one file."""
        with replace_file(Path(path)) as new_path:
            shutil.copyfile(self._path, new_path)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every row in order, read from the file."""
        lines = _read_lines(self._path)
        next(lines, None)
        for number, line in enumerate(lines, start=2):
            yield _parse(self._path, number, line)

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self.rows())
        return self._count

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EvaluationResult):
            return NotImplemented
        return self._compute_file_digest() == other._compute_file_digest()

    def __hash__(self) -> int:
        return hash(self._compute_file_digest())

    def _compute_file_digest(self) -> str:
        with self._path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def inputs_digest(self) -> str:
        """`sha256:…` over all rows' inputs: results with the same digest can be compared."""
        if self._inputs_digest is None:
            digest = hashlib.sha256()
            for row in self.rows():
                digest.update(encode_canonical_json(row["inputs"]) + b"\n")
            self._inputs_digest = f"sha256:{digest.hexdigest()}"
        return self._inputs_digest

    def errors(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each failure with its row's index."""
        for index, row in enumerate(self.rows()):
            for error in row["errors"]:
                yield index, error

    def calculate_metrics(
        self,
        metric: str | CustomMetric,
        *,
        component: str | None = None,
        output: str | None = None,
        mode: Mode = "integrated",
        **options: Any,
    ) -> MetricsResult:
        """Score the run with a metric of `Metric`, or with a callable from the result to a mapping.

        Without `component` and `output`, every output that suits the metric and that some row has an expectation for is
        scored. `mode="isolated"` scores each component when fed the expected (or simulated) outputs of its
        predecessors; `mode="simulated"` scores the chain from its simulated outputs to its end.
        """
        if callable(metric) and not isinstance(metric, str):
            return MetricsResult(metric(self, **options))
        definition = catalogue.find_metric(metric)
        targets = [t for t in self._list_targets(definition) if component in (None, t[0]) and output in (None, t[1])]
        if not targets and output is not None:
            targets = [(component or "", output)]
        if not targets and definition.output_types == ("judgement",):
            raise EvaluationError(f"{definition.metric.value} is scored by a judge, and the rows were not judged")
        if not targets:
            raise EvaluationError(f"no output with an expected value suits {definition.metric.value}; name `output`")
        return MetricsResult(
            {".".join(filter(None, target)): self._score(metric, target, mode, options) for target in targets}
        )

    def bottlenecks(self, metric: str, **options: Any) -> list[dict[str, Any]]:
        """Components by integrated minus isolated score; the one that loses most to its predecessors comes first."""
        total = self.calculate_metrics(metric, **options)
        alone = self.calculate_metrics(metric, mode="isolated", **options)
        ranked = [
            {
                "component": target,
                "integrated": total[target]["score"],
                "isolated": alone[target]["score"],
                "difference": (total[target]["score"] or 0.0) - (alone[target]["score"] or 0.0),
            }
            for target in total
            if total[target]["score"] is not None and alone[target]["score"] is not None
        ]
        return sorted(ranked, key=lambda entry: entry["difference"])

    @property
    def is_chain(self) -> bool:
        """Whether outputs are keyed by component."""
        return bool(self.runnable.get("chain"))

    def _list_targets(self, definition: catalogue.Definition) -> list[tuple[str, str]]:
        """(component, output) pairs with an expectation that suits the metric, in order of appearance."""
        if definition.output_types == ("judgement",):  # it has no expectations
            return [("", "judgement")] if any("judgement" in (row["actual"] or {}) for row in self.rows()) else []
        targets: dict[tuple[str, str], bool] = {}
        for row in self.rows():
            for target in _list_expectations(row["expected"] or {}, self.is_chain):
                value = _pick(row["actual"], target)
                if target not in targets and value is not None:
                    targets[target] = _is_suited(definition, value)
        return [target for target, suits in targets.items() if suits]

    def _score(self, metric: str, target: tuple[str, str], mode: Mode, options: dict[str, Any]) -> Score:
        expected, actual = [], []
        for row in self.rows():
            expected.append(_pick(row["expected"], target))
            source = row.get(_OUTPUTS[mode] if self.is_chain else "actual")
            actual.append(_pick(source, target))
        return score(metric, expected, actual, **options)


class Recorder:
    """Writes a result's file row by row; `finish` returns the result. Without a path it is a temporary file.

    A context manager: on an error it closes the file, and removes it if it is temporary.
    """

    def __init__(self, runnable: Mapping[str, Any], *, blind: bool, path: Path | None = None) -> None:
        self._temporary = path is None
        self._path = path or _make_temporary_path()
        self._file = self._path.open("w", encoding="utf-8")
        self._write({"promptuary": "evaluation", "form": FORM, "runnable": dict(runnable), "blind": blind})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._file.close()
        if error is not None and self._temporary:
            self._path.unlink(missing_ok=True)

    def add(self, row: Mapping[str, Any], index: int) -> None:
        """Append a row. Raises for a value that isn't plain JSON, naming the row."""
        try:
            self._write(row)
        except (TypeError, ValueError) as error:
            raise EvaluationError(f"row {index + 1} holds a value that isn't JSON: {error}") from error

    def finish(self) -> EvaluationResult:
        """Close the file and return it as a result."""
        self._file.close()
        return EvaluationResult(self._path, temporary=self._temporary)

    def _write(self, value: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def _make_temporary_path() -> Path:
    handle, name = tempfile.mkstemp(suffix=".jsonl")
    os.close(handle)
    return Path(name)


def _read_lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="\n") as file:
        yield from file


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise EvaluationError(f"{path}, line {number} isn't JSON") from error
    if not isinstance(value, dict):
        raise EvaluationError(f"{path}, line {number} isn't a mapping")
    return value


def _list_expectations(expected: Mapping[str, Any], chain: bool) -> Iterator[tuple[str, str]]:
    for name, value in expected.items():
        if chain and isinstance(value, Mapping):
            yield from ((name, output) for output in value)
        elif not chain:
            yield "", name


def _pick(outputs: Mapping[str, Any] | None, target: tuple[str, str]) -> Any:
    component, output = target
    value = (outputs or {}).get(component) if component else outputs
    return value.get(output) if isinstance(value, Mapping) else None


def _is_suited(definition: catalogue.Definition, value: Any) -> bool:
    """Documents are lists of keys, or of mappings without an answer; everything else is an answer."""
    is_list = isinstance(value, list)
    documents = is_list and not any(isinstance(item, Mapping) and "answer" in item for item in value)
    if definition.output_types == ("documents",):
        return documents
    return not documents or all(isinstance(item, str) for item in value)


def _format_cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)
