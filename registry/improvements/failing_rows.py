"""Choice of the rows shown to a model: at most half of those that a run failed on.

The rest is withheld, so that the proposal is also measured on failures that the model has not seen.
"""

import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptuary.evaluation import Row
from promptuary.evaluation.gates import parse_gate
from promptuary.evaluation.metrics import catalogue
from registry.evaluations import attachment_queries, run_queries
from registry.evaluations.models import Run, RunRow

__all__ = ["MAX_SHOWN", "FailingRow", "choose_shown_rows", "describe_rows", "list_failing_rows"]

MAX_SHOWN = 10
_MAX_LENGTH: Mapping[str, int] = {"name": 100, "inputs": 2500, "expected": 700, "reply": 1000, "fault": 300}
"""The most characters of each text of a row: the limit of the shipped template."""
_CUT = " […]"
_Floors = Mapping[tuple[str, str | None], float]


@dataclass(frozen=True)
class FailingRow:
    """A row that got no answer, or whose score is below a threshold. faults: a sentence each, without a full stop."""

    index: int
    faults: tuple[str, ...]


def list_failing_rows(run: Run, indexes: Collection[int] | None = None) -> list[FailingRow]:
    """The rows of a finished run that failed because of its text, in order; with `indexes`, only those of them.

    A row fails if the text could not be rendered or its reply not parsed, or if a score is below a threshold of an
    evaluation that measures the template with these rows and this model. Without any threshold it fails if the score is
    below the maximum. Rows that the model did not reply to are left out.
    """
    floors = _find_floors(run)
    tops = {name: _find_top(name) for name in run.scores}
    rows = RunRow.objects.filter(run=run).order_by("index")
    if indexes is not None:
        rows = rows.filter(index__in=indexes)
    failing = []
    for row in rows:
        if faults := _list_faults(row, floors, tops):
            failing.append(FailingRow(row.index, faults))
    return failing


def choose_shown_rows(run: Run, failing: Sequence[FailingRow], limit: int) -> list[FailingRow]:
    """At most `limit` failing rows and at most half of them, drawn with the rows' digest as seed, so that the same run
    has the same choice. A single failing row is shown.
    """
    indexes = [row.index for row in failing]
    random.Random(run.rows_digest).shuffle(indexes)  # noqa: S311  # a draw, no secret
    shown_indexes = set(indexes[: min(limit, max(1, len(indexes) // 2))])
    return [row for row in failing if row.index in shown_indexes]


def describe_rows(run: Run, failing: Sequence[FailingRow]) -> list[dict[str, str]]:
    """The rows as the input `rows` of the asking template: name, inputs, expected, reply and fault, truncated if long.
    Rows that no longer exist are left out.
    """
    rows = run_queries.list_rows_of_run(run)
    run_rows = {row.index: row for row in RunRow.objects.filter(run=run, index__in=[row.index for row in failing])}
    return [_describe_row(rows[row.index], run_rows[row.index], row) for row in failing if row.index in run_rows]


def _find_floors(run: Run) -> _Floors:
    """Map metric and output (None for all) to the minimum score of an attached evaluation of exactly these rows."""
    floors: dict[tuple[str, str | None], float] = {}
    for plan in attachment_queries.list_plans_of_template(run.template):
        if not plan.measures(run):
            continue
        for gate in map(parse_gate, plan.computed_gates):
            if gate.floor is not None:
                place = (gate.metric, gate.output)
                floors[place] = max(gate.floor, floors.get(place, gate.floor))
    return floors


def _find_top(metric: str) -> float:
    return catalogue.find_metric(metric).top if metric in catalogue.list_names() else 1.0


def _list_faults(row: RunRow, floors: _Floors, tops: Mapping[str, float]) -> tuple[str, ...]:
    if row.is_failed:
        problem = row.problem or {}
        return () if problem.get("step") == "model" else (str(problem.get("message", "")).rstrip("."),)
    faults = []
    for name, score in row.scores.items():
        metric, _, target = name.partition(" ")
        floor = floors.get((metric, target), floors.get((metric, None)))
        if floors and floor is None:  # a metric without a threshold gives no reason to improve
            continue
        threshold = tops.get(metric, 1.0) if floor is None else floor
        if score is not None and score < threshold:
            faults.append(f"{name}: {score:.4g}, and {threshold:g} is asked for")
    return tuple(faults)


def _describe_row(row: Row, run_row: RunRow, failing: FailingRow) -> dict[str, str]:
    texts = {
        "name": row.id or f"row {failing.index + 1}",
        "inputs": _write_values(row.inputs),
        "expected": _write_values(row.expected or {}),
        "reply": _write_reply(run_row),
        "fault": "; ".join(failing.faults),
    }
    return {name: _cut(text, _MAX_LENGTH[name]) for name, text in texts.items()}


def _write_values(values: Mapping[str, Any]) -> str:
    """One or more lines per name: texts unchanged, everything else as JSON."""
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in values.items()
    )


def _write_reply(row: RunRow) -> str:
    reply = (row.actual or {}).get("reply", "")
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - len(_CUT)] + _CUT
