"""Starting several runs over the same rows together: versions and models side by side, all or none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.evaluations import start_runs
from registry.evaluations.models import Run
from registry.evaluations.run_estimates import RunEstimate, estimate_run

__all__ = ["MAX_COLUMNS", "RunColumn", "estimate_runs", "start_runs_together"]

MAX_COLUMNS = 5  # as many as the matrix shows side by side
_OF_A_COLUMN = ("ref", "model")
_DOUBLE = gettext_lazy("two of them are the same version and model.")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class RunColumn:
    """One run of several: a version or label of the template, and the name of a model."""

    ref: str
    model: str


def start_runs_together(
    *,
    actor: Actor,
    template: str,
    columns: Sequence[RunColumn],
    dataset: str | None = None,
    dataset_version: int | None = None,
    metrics: Sequence[str] = (),
    judge: Mapping[str, Any] | None = None,
) -> list[Run]:
    """Start a run for each column over the same rows, in order: all, or none if one is refused.

    judge: the arguments `judge`, `judge_model` and `judge_paths` of `start_runs.start_run`. Raises Invalid with the
    column at fault, as `columns.1.model`, and what `start_run` raises. The spending caps apply to each run.
    """
    _check_columns(columns)
    start = partial(start_runs.start_run, actor=actor, template=template, metrics=metrics, **(judge or {}))
    start = partial(start, dataset=dataset, dataset_version=dataset_version)
    with transaction.atomic():
        runs = [_name_column(number, start, column) for number, column in enumerate(columns)]
        if len({run.key for run in runs}) < len(runs):
            raise Invalid(fields={"columns": str(_DOUBLE)})
    return runs


def estimate_runs(
    *,
    actor: Actor,
    template: str,
    columns: Sequence[RunColumn],
    dataset: str | None = None,
    judge: Mapping[str, Any] | None = None,
) -> list[RunEstimate]:
    """The estimate for each column's run, in order. Raises what `start_runs_together` raises."""
    _check_columns(columns)
    estimate = partial(estimate_run, actor=actor, template=template, dataset=dataset, **(judge or {}))
    return [_name_column(number, estimate, column) for number, column in enumerate(columns)]


def _check_columns(columns: Sequence[RunColumn]) -> None:
    if not 1 <= len(columns) <= MAX_COLUMNS:
        raise Invalid(fields={"columns": gettext("from 1 to {most_columns} columns.").format(most_columns=MAX_COLUMNS)})
    if len(set(columns)) < len(columns):
        raise Invalid(fields={"columns": str(_DOUBLE)})


def _name_column(number: int, step: Callable[..., Outcome], column: RunColumn) -> Outcome:
    """The step's outcome for the column. Errors of its version or model are attributed to the column."""
    try:
        return step(ref=column.ref, model=column.model)
    except Invalid as error:
        places = {name: f"columns.{number}.{name}" if name in _OF_A_COLUMN else name for name in error.fields}
        fields = {places[name]: text for name, text in error.fields.items()}
        raise Invalid(fields=fields, problems=error.problems) from error
