"""Several runs over the same rows side by side: scores by row, changes against one of them, filters and order."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from promptuary.evaluation import Row
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.evaluations import failure_reasons, run_queries
from registry.evaluations.failure_reasons import FailureReason
from registry.evaluations.models import Run, RunRow

__all__ = [
    "FILTERS",
    "MAX_RUNS",
    "ORDERS",
    "MatrixCell",
    "MatrixRow",
    "RunMatrix",
    "build_run_matrix",
    "read_matrix_row",
    "read_matrix_runs",
]

MAX_RUNS = 5
FILTERS = ("all", "regressions", "improvements", "failed", "unscored")
ORDERS = ("drop", "gain", "rows")
_EQUAL = 1e-9  # smaller differences count as equal


@dataclass(frozen=True)
class MatrixCell:
    """One run's part of a row. `row` is None until it was asked. changes: by metric and target the score minus the
    baseline's, if both have one.
    """

    row: RunRow | None
    scores: Mapping[str, float | None]
    changes: Mapping[str, float]


@dataclass(frozen=True)
class MatrixRow:
    """A row of the dataset with a cell for each run, in the order of the runs."""

    index: int
    row: Row
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class RunMatrix:
    """Runs with a page of their rows. baseline: the run that the others are compared with; metrics: "metric target" of
    every score in any run; means: by run number and metric the mean of the rows scored so far and their number; counts:
    rows by filter; compared: rows on which another run can be compared; failures: why rows failed; tags: all tags of
    rows, by name; indexes: all rows that match the filter, in order; page: some of them.
    """

    runs: tuple[Run, ...]
    baseline: Run
    metrics: tuple[str, ...]
    means: Mapping[int, Mapping[str, tuple[float, int]]]
    counts: Mapping[str, int]
    compared: int
    failures: tuple[FailureReason, ...]
    tags: tuple[str, ...]
    indexes: tuple[int, ...]
    page: Page[MatrixRow]


@dataclass(frozen=True)
class _Outcome:
    is_failed: bool
    scores: Mapping[str, float | None]

    @property
    def is_scored(self) -> bool:
        return any(score is not None for score in self.scores.values())


_Outcomes = Sequence[Mapping[int, _Outcome]]


def read_matrix_runs(actor: Actor, number: int, others: Sequence[int]) -> tuple[Run, ...]:
    """The runs of a matrix, in the order of their columns.

    Raises Invalid above `MAX_RUNS`, Conflict if their rows differ, NotFound if the actor may not read one.
    """
    numbers = list(dict.fromkeys([number, *others]))
    if len(numbers) > MAX_RUNS:
        raise Invalid(
            fields={"with": gettext("at most {most_runs} runs are shown side by side.").format(most_runs=MAX_RUNS)}
        )
    runs = tuple(run_queries.read_run(actor, one) for one in numbers)
    for run in runs[1:]:
        if not run.shares_rows_with(runs[0]):
            raise Conflict(
                gettext("Runs {number} and {run_number} went over different rows.").format(
                    number=number, run_number=run.number
                )
            )
    return runs


def build_run_matrix(  # noqa: PLR0913  # what the page can ask for
    runs: Sequence[Run],
    *,
    only: str = "all",
    metric: str = "",
    order: str = "rows",
    baseline: int | None = None,
    reason: str = "",
    tag: str = "",
    cursor: str | None = None,
    opened: int | None = None,
    limit: int = 50,
) -> RunMatrix:
    """The matrix with the rows that match the filter, in the given order. A run under way has its scores so far.

    only: one of `FILTERS`; metric: "metric target" used for regressions, improvements and the order, by default all;
    order: `drop` puts the largest loss against the baseline first, `gain` the largest gain; baseline: the number of one
    of the runs, by default the first; reason: the key of a `FailureReason` to filter by; tag: keep and count only rows
    with this tag, while the means stay those of all rows; opened: the index of a row; without a cursor, the page is the
    one that contains it.
    """
    base = _find_baseline(runs, baseline)
    limit = check_limit(limit)
    _require_one_of("only", only, FILTERS)
    _require_one_of("order", order, ORDERS)
    outcomes = [_read_outcomes(run) for run in runs]
    metrics = _list_metrics(outcomes)
    compared_metrics = _choose_metrics(metrics, metric)
    dataset_rows = run_queries.list_rows_of_run(runs[0])
    tagged = [index for index in range(runs[0].total) if not tag or tag in dataset_rows[index].tags]
    changes = {index: _list_changes(outcomes, base, index, compared_metrics) for index in tagged}
    matching = {
        name: [index for index in changes if _matches_filter(name, outcomes, index, changes[index])] for name in FILTERS
    }
    failures = failure_reasons.group_failures(runs) if matching["failed"] else ()
    indexes = _sort_rows(_keep_rows_of_reason(matching[only], failures, reason), changes, order)
    page = _cut_page(indexes, cursor, opened, limit)
    rows = _read_rows(runs, dataset_rows, outcomes, base, metrics, [index for _, index in page.items])
    return RunMatrix(
        runs=tuple(runs),
        baseline=runs[base],
        metrics=metrics,
        means=_compute_means(runs, outcomes),
        counts={name: len(rows_of_filter) for name, rows_of_filter in matching.items()},
        compared=sum(bool(changes_of_row) for changes_of_row in changes.values()),
        failures=failures,
        tags=tuple(sorted({name for row in dataset_rows for name in row.tags}, key=str.casefold)),
        indexes=tuple(indexes),
        page=Page(rows, page.next),
    )


def _list_metrics(outcomes: _Outcomes) -> tuple[str, ...]:
    """The metrics of all scores, in the order of their first score."""
    return tuple(dict.fromkeys(name for run in outcomes for outcome in run.values() for name in outcome.scores))


def _choose_metrics(metrics: tuple[str, ...], chosen: str) -> tuple[str, ...]:
    """The metrics that rows are compared by. Raises Invalid if no run has the chosen one."""
    if chosen and chosen not in metrics:
        raise Invalid(fields={"metric": gettext("no run was scored by {metric}.").format(metric=chosen)})
    return (chosen,) if chosen else metrics


def _keep_rows_of_reason(indexes: list[int], failures: Sequence[FailureReason], reason: str) -> list[int]:
    """The rows that failed for the reason; all of them without one."""
    if not reason:
        return indexes
    rows_of_reason = failure_reasons.find_rows(failures, reason)
    return [index for index in indexes if index in rows_of_reason]


def _require_one_of(field: str, value: str, values: Sequence[str]) -> None:
    if value not in values:
        raise Invalid(fields={field: gettext("one of {names}.").format(names=", ".join(values))})


def _cut_page(indexes: Sequence[int], cursor: str | None, opened: int | None, limit: int) -> Page[tuple[int, int]]:
    """The (place, index) pairs of the page after the cursor; without one, of the page that contains `opened`."""
    before = read_number(cursor)
    if before is not None:
        start = max(0, before + 1)
    else:
        start = indexes.index(opened) // limit * limit if opened in indexes else 0
    placed = list(enumerate(indexes))[start : start + limit + 1]
    return cut_page(placed, limit, lambda pair: pair[0])


def read_matrix_row(runs: Sequence[Run], index: int, baseline: int | None = None) -> MatrixRow:
    """One row with all its cells. Raises NotFound for an unknown index. baseline: as for the matrix."""
    base = _find_baseline(runs, baseline)
    run_queries.read_run_row(runs[0], index)
    outcomes = [_read_outcomes(run, [index]) for run in runs]
    metrics = _list_metrics(outcomes)
    return _read_rows(runs, run_queries.list_rows_of_run(runs[0]), outcomes, base, metrics, [index])[0]


def _find_baseline(runs: Sequence[Run], number: int | None) -> int:
    """The column of the run that the others are compared with."""
    numbers = [run.number for run in runs]
    if number is None:
        return 0
    if number not in numbers:
        names = ", ".join(map(str, numbers))
        raise Invalid(fields={"baseline": gettext("one of {names}.").format(names=names)})
    return numbers.index(number)


def _read_outcomes(run: Run, indexes: Collection[int] | None = None) -> dict[int, _Outcome]:
    rows = RunRow.objects.filter(run=run)
    if indexes is not None:
        rows = rows.filter(index__in=indexes)
    columns = rows.order_by("index").values_list("index", "is_failed", "scores_text")
    return {index: _Outcome(is_failed, json.loads(text)) for index, is_failed, text in columns}


def _list_changes(outcomes: _Outcomes, base: int, index: int, names: Sequence[str]) -> list[float]:
    """The differences of a row's scores from the baseline's, for all other runs and these metrics."""
    others = [other for place, other in enumerate(outcomes) if place != base]
    return [change for other in others for change in _compute_changes(outcomes[base], other, index, names).values()]


def _compute_changes(
    baseline: Mapping[int, _Outcome], other: Mapping[int, _Outcome], index: int, names: Sequence[str]
) -> dict[str, float]:
    was, now = baseline.get(index), other.get(index)
    if was is None or now is None:
        return {}
    pairs = ((name, was.scores.get(name), now.scores.get(name)) for name in names)
    return {name: after - before for name, before, after in pairs if before is not None and after is not None}


def _matches_filter(only: str, outcomes: _Outcomes, index: int, changes: Sequence[float]) -> bool:
    if only == "regressions":
        return any(change < -_EQUAL for change in changes)
    if only == "improvements":
        return any(change > _EQUAL for change in changes)
    row_outcomes = [run.get(index) for run in outcomes]
    if only == "failed":
        return any(outcome is not None and outcome.is_failed for outcome in row_outcomes)
    if only == "unscored":
        return any(outcome is None or not outcome.is_scored for outcome in row_outcomes)
    return True


def _sort_rows(indexes: Sequence[int], changes: Mapping[int, Sequence[float]], order: str) -> list[int]:
    if order == "drop":
        return sorted(indexes, key=lambda index: (min(changes[index], default=0.0), index))
    if order == "gain":
        return sorted(indexes, key=lambda index: (-max(changes[index], default=0.0), index))
    return list(indexes)


def _compute_means(runs: Sequence[Run], outcomes: _Outcomes) -> dict[int, dict[str, tuple[float, int]]]:
    means: dict[int, dict[str, tuple[float, int]]] = {}
    for run, rows in zip(runs, outcomes, strict=True):
        values: dict[str, list[float]] = {}
        for outcome in rows.values():
            for name, score in outcome.scores.items():
                if score is not None:
                    values.setdefault(name, []).append(score)
        means[run.number] = {name: (sum(scores) / len(scores), len(scores)) for name, scores in values.items()}
    return means


def _read_rows(
    runs: Sequence[Run],
    dataset_rows: Sequence[Row],
    outcomes: _Outcomes,
    base: int,
    metrics: Sequence[str],
    indexes: Sequence[int],
) -> list[MatrixRow]:
    run_rows = {
        (row.run_id, row.index): row
        for row in RunRow.objects.filter(run__in=[run.pk for run in runs], index__in=indexes).order_by("pk")
    }
    result = []
    for index in indexes:
        cells = []
        for place, (run, rows) in enumerate(zip(runs, outcomes, strict=True)):
            outcome = rows.get(index)
            changes = _compute_changes(outcomes[base], rows, index, metrics) if place != base else {}
            run_row = run_rows.get((run.pk, index))
            if run_row is not None:
                run_row.run = run
            cells.append(MatrixCell(run_row, outcome.scores if outcome else {}, changes))
        result.append(MatrixRow(index, dataset_rows[index], tuple(cells)))
    return result
