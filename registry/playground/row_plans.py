"""Plans of a run over rows of a dataset: which rows, their problems, and the most that their calls can cost.

No model is called and nothing is stored: the page starts a run for each row (`services.start_playground_run`).
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext

from promptuary.evaluation import Row
from promptuary.renderer.errors import InputError, RenderError
from registry.accounts.actor import Actor
from registry.connections import spending
from registry.connections.endpoint import Endpoint
from registry.core.errors import Invalid
from registry.evaluations import dataset_queries
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.row_fit import SEVERAL_PROMPTS, render_rows
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.playground import queries
from registry.playground.rendering import (
    ColumnRequest,
    choose_settings,
    find_endpoints,
    load_bundles,
    read_columns,
    require_settings_taken,
)

__all__ = ["MAX_ROWS", "PICKS", "PlannedRow", "RowPlan", "find_own_dataset", "plan_rows"]

MAX_ROWS = 20
PICKS = ("first", "random")


@dataclass(frozen=True)
class PlannedRow:
    """A row that may be run. name: its own, else `row 3`; problem: why it can't be run, empty if it can."""

    name: str
    row: Row
    problem: str


@dataclass(frozen=True)
class RowPlan:
    """The rows to run, of a dataset's latest version. total: its number of rows; tags: of all rows, by name; calls: in
    all columns together.

    estimate: the most that the calls cost, None if a price is not known or the currencies differ.
    """

    dataset: str
    version: int
    total: int
    rows: list[PlannedRow]
    calls: int
    estimate: Decimal | None
    currency: str
    tags: list[str]


def find_own_dataset(actor: Actor, namespace: Namespace, name: str, verb: Verb = Verb.READ) -> Dataset:
    """A dataset of this namespace. Raises Invalid for `dataset` if it is in another, whose rows must not reach these
    models.
    """
    dataset = dataset_queries.find_dataset(actor, verb, name)
    if dataset.namespace_id != namespace.pk:
        raise Invalid(fields={"dataset": gettext("{dataset} is of another namespace.").format(dataset=name)})
    return dataset


def plan_rows(
    *, actor: Actor, name: str, columns: Sequence[Any], dataset: str, pick: str = "first", tag: str = ""
) -> RowPlan:
    """Render up to 20 rows of the dataset in every column.

    columns: as in `services.start_playground_run`. pick: the first rows, or `random` ones, in the dataset's order. tag:
    only rows with this tag. Raises Invalid with each field at fault, `dataset` if no row can be run, TooMany and
    Conflict because of spending caps.
    """
    namespace, _ = queries.find_place(actor, name)
    if pick not in PICKS:
        raise Invalid(fields={"pick": gettext("one of {names}.").format(names=", ".join(PICKS))})
    requests = read_columns(columns)
    endpoints = find_endpoints(namespace, requests)
    for endpoint in endpoints:
        spending.require_within_caps(namespace, actor.person, endpoint)
    find_own_dataset(actor, namespace, dataset)
    version = dataset_queries.read_dataset_version(actor, dataset)
    all_rows = version.rows()
    tagged = [index for index, row in enumerate(all_rows) if not tag or tag in row.tags]
    if tag and not tagged:
        raise Invalid(
            fields={"tag": gettext("no row of {dataset} has the tag {tag}.").format(dataset=dataset, tag=tag)}
        )
    indexes = [tagged[place] for place in _pick_indexes(len(tagged), pick)]
    rows = [all_rows[index] for index in indexes]
    bundles = load_bundles(actor, name, requests)
    outcomes = [render_rows(bundle, rows) for bundle in bundles]
    planned_rows = [
        PlannedRow(row.id or _name_row(index), row, _describe_problem(row_outcomes))
        for index, row, *row_outcomes in zip(indexes, rows, *outcomes, strict=True)
    ]
    _require_some(planned_rows, dataset)
    rendered = [
        list(row_outcomes)
        for planned, *row_outcomes in zip(planned_rows, *outcomes, strict=True)
        if not planned.problem
    ]
    require_settings_taken(endpoints, [choose_settings(*pair)[0] for pair in zip(rendered[0], requests, strict=True)])
    estimate, currency = _estimate(requests, endpoints, rendered)
    tags = sorted({tag for row in all_rows for tag in row.tags}, key=str.casefold)
    calls = sum(len(row_renderings) for row_renderings in rendered)
    return RowPlan(dataset, version.number, len(all_rows), planned_rows, calls, estimate, currency, tags)


def _pick_indexes(count: int, pick: str) -> list[int]:
    limit = min(count, MAX_ROWS)
    return list(range(limit)) if pick == "first" else sorted(random.sample(range(count), limit))


def _name_row(index: int) -> str:
    return gettext("row {number}").format(number=index + 1)


def _describe_problem(outcomes: Sequence[Any]) -> str:
    """The distinct reasons why a row can't run in some column, each with the input at fault."""
    reasons = dict.fromkeys(_describe_error(outcome) for outcome in outcomes if isinstance(outcome, RenderError))
    return " ".join(reasons)


def _describe_error(error: RenderError) -> str:
    if error.code == SEVERAL_PROMPTS:
        return gettext("The row makes several prompts; a column runs one.")
    return f"{error.path}: {error.message}" if isinstance(error, InputError) and error.path else error.message


def _require_some(rows: Sequence[PlannedRow], dataset: str) -> None:
    """Raise Invalid if no row can be run, with the first row's problem."""
    if any(not row.problem for row in rows):
        return
    if not rows:
        raise Invalid(fields={"dataset": gettext("{dataset} has no rows.").format(dataset=dataset)})
    sentence = gettext("No row of {dataset} can be run. In {name}: {problem}").format(
        dataset=dataset, name=rows[0].name, problem=rows[0].problem
    )
    raise Invalid(fields={"dataset": sentence})


def _estimate(
    requests: Sequence[ColumnRequest], endpoints: Sequence[Endpoint], rendered: Sequence[Sequence[Mapping[str, Any]]]
) -> tuple[Decimal | None, str]:
    """The most that all calls cost, and the currency; None if a price is missing or the currencies differ."""
    prices = [endpoint.price for endpoint in endpoints if endpoint.price]
    currencies = {price.currency for price in prices}
    if len(prices) < len(endpoints) or len(currencies) > 1:
        return None, ""
    costs = [
        price.compute_cost(prompt["token_count"] or 0, choose_settings(prompt, request)[1])
        for prompts in rendered
        for request, price, prompt in zip(requests, prices, prompts, strict=True)
    ]
    return sum(costs, Decimal(0)), currencies.pop()
