"""Queries of evaluation runs: by number, lists, their rows, and the comparison of two."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import F, QuerySet
from django.utils.translation import gettext

from promptuary.evaluation import Comparison, Row, compare_scores
from promptuary.evaluation.scoring import Score
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.models import Run, RunRow
from registry.journal.event import compute_digest, format_canonical_json
from registry.namespaces import permissions
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb
from registry.templates.models import SampleSet
from registry.templates.queries import filter_by_namespaces

__all__ = [
    "RunComparison",
    "RunRowDetail",
    "compare_runs",
    "find_newest_runs_by_key",
    "find_run",
    "list_comparable_runs",
    "list_newest_run_rows",
    "list_rows_of_run",
    "list_rows_of_samples",
    "list_run_rows",
    "list_runs",
    "load_run",
    "read_run",
    "read_run_row",
    "read_scores_of_run",
    "run_key",
]


@dataclass(frozen=True)
class RunRowDetail:
    """A row of a run with its inputs and expectations; `row` is None until it has been asked."""

    index: int
    id: str
    inputs: dict[str, object]
    expected: dict[str, object] | None
    row: RunRow | None


@dataclass(frozen=True)
class RunComparison:
    """Two runs over the same rows, by one metric. `order`: indexes of rows scored in both, worst regression first."""

    metric: str
    target: str
    comparison: Comparison
    before: list[float | None]
    after: list[float | None]
    order: list[int]


def read_run(actor: Actor, number: int) -> Run:
    """The run with its related rows. Raises NotFound, to outsiders too."""
    return find_run(actor, Verb.READ, number)


def find_run(actor: Actor, verb: Verb, number: int) -> Run:
    """The run, after checking the right to `verb`."""
    unknown = NotFound(gettext("There is no run {number}, or you don't have access to it.").format(number=number))
    run = _load_related(Run.everything.filter(pk=number)).first() if 0 < number < 2**63 else None
    if run is None or (run.is_draft and run.started_by_id != actor.person.pk):
        raise unknown
    try:
        permissions.require_verb(actor, verb, run.template.namespace, run.template.path)
    except NotFound as error:
        raise unknown from error
    return run


def load_run(number: int) -> Run | None:
    """The run, for the worker, without checking rights."""
    return _load_related(Run.everything.filter(pk=number)).first()


def run_key(version_digest: str, rows_digest: str, model_digest: str, judge_digest: str = "") -> str:
    """One digest over everything that determines a run's result, equal for runs that measure the same."""
    parts = [version_digest, rows_digest, model_digest]
    return compute_digest(format_canonical_json([*parts, judge_digest] if judge_digest else parts))


def find_newest_runs_by_key(keys: Collection[str]) -> dict[str, Run]:
    """Map key to the run that counts: the newest finished one, else the newest."""
    runs: dict[str, Run] = {}
    for run in _load_related(Run.objects.filter(key__in=keys)).order_by("pk"):
        previous = runs.get(run.key)
        if previous is None or run.state == Run.DONE or previous.state != Run.DONE:
            runs[run.key] = run
    return runs


def list_runs(  # the filters of the page and the API
    actor: Actor,
    *,
    namespace: str | None = None,
    template: str | None = None,
    dataset: str | None = None,
    state: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Run]:
    """Runs that the actor may read and that meet every filter, newest first."""
    limit = check_limit(limit)
    if state and state not in Run.STATES:
        raise Invalid(fields={"state": gettext("one of {names}.").format(names=", ".join(Run.STATES))})
    spaces = list_visible_namespaces(actor)
    spaces = spaces.filter(name=namespace) if namespace else spaces
    runs = filter_by_namespaces(Run.objects.all(), spaces, template)
    if dataset:
        runs = runs.filter(dataset_version__dataset__name=dataset)
    if state:
        runs = runs.filter(state=state)
    if before := read_number(cursor):
        runs = runs.filter(pk__lt=before)
    return cut_page(_load_related(runs).order_by("-pk")[: limit + 1], limit, lambda run: run.number)


def list_rows_of_run(run: Run) -> tuple[Row, ...]:
    """The run's rows, in order."""
    if run.dataset_version is not None:
        return run.dataset_version.rows()
    return list_rows_of_samples(run.samples) if run.samples is not None else ()


def list_rows_of_samples(samples: SampleSet) -> tuple[Row, ...]:
    """Samples as rows without expectations."""
    return tuple(Row(dict(values), None, name) for name, values in samples.samples.items())


def list_run_rows(
    run: Run,
    *,
    only: str | None = None,
    order: Sequence[int] | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[RunRowDetail]:
    """The run's rows in their order, or in the `order` of the indexes given.

    only: `failed`, or `worst:<metric> <target>` for those that could be scored, the lowest score first.
    """
    limit = check_limit(limit)
    before = read_number(cursor)
    start = 0 if before is None else max(0, before + 1)
    indexes = list(order if order is not None else _select_row_numbers(run, only))
    page_indexes = indexes[start : start + limit + 1]
    rows = list_rows_of_run(run)
    run_rows = {run_row.index: run_row for run_row in RunRow.objects.filter(run=run, index__in=page_indexes)}
    details = [
        (
            start + offset,
            RunRowDetail(index, rows[index].id, rows[index].inputs, rows[index].expected, run_rows.get(index)),
        )
        for offset, index in enumerate(page_indexes)
    ]
    page = cut_page(details, limit, lambda placed: placed[0])
    return Page([detail for _, detail in page.items], page.next)


def read_run_row(run: Run, index: int) -> RunRowDetail:
    """One row of the run."""
    rows = list_rows_of_run(run)
    if not 0 <= index < len(rows):
        text = gettext("Run {number} has rows with the indexes 0 to {value}.")
        raise NotFound(text.format(number=run.number, value=len(rows) - 1))
    run_row = RunRow.objects.filter(run=run, index=index).first()
    return RunRowDetail(index, rows[index].id, rows[index].inputs, rows[index].expected, run_row)


def list_newest_run_rows(run: Run, limit: int = 3) -> list[RunRowDetail]:
    """The latest rows, newest first, to show while a run is under way."""
    run_rows = list(RunRow.objects.filter(run=run).order_by("-pk")[:limit])
    rows = list_rows_of_run(run) if run_rows else ()
    return [
        RunRowDetail(
            run_row.index, rows[run_row.index].id, rows[run_row.index].inputs, rows[run_row.index].expected, run_row
        )
        for run_row in run_rows
    ]


def list_comparable_runs(run: Run, limit: int = 50, *, unfinished: bool = False) -> list[Run]:
    """Other finished runs that share the run's rows (`Run.shares_rows_with`) in the same namespace, newest first, with
    nightly runs last; `unfinished` includes those under way.
    """
    runs = Run.objects.filter(rows_digest__in=_list_equal_rows(run), template__namespace=run.template.namespace_id)
    if not unfinished:
        runs = runs.filter(state=Run.DONE)
    return list(_load_related(runs.exclude(pk=run.pk)).order_by(F("night").desc(nulls_first=True), "-pk")[:limit])


def _list_equal_rows(run: Run) -> set[str]:
    """The digests of rows that the run can be compared on: its own, and those of dataset versions that differ only in
    names and tags.
    """
    if run.dataset_version is None or not run.dataset_version.content_digest:
        return {run.rows_digest}
    equal = DatasetVersion.objects.filter(content_digest=run.dataset_version.content_digest)
    return {
        run.rows_digest,
        *equal.filter(dataset__namespace=run.template.namespace_id).values_list("digest", flat=True),
    }


def compare_runs(before: Run, after: Run, metric: str, target: str = "answer") -> RunComparison:
    """Compare the second run with the first. Raises Conflict if they can't be compared, Invalid if one lacks the
    score.
    """
    if not before.shares_rows_with(after):
        raise Conflict(
            gettext("Runs {number} and {after_number} went over different rows.").format(
                number=before.number, after_number=after.number
            )
        )
    first, second = read_scores_of_run(before, metric, target), read_scores_of_run(after, metric, target)
    comparison = compare_scores(first, second)
    pairs = enumerate(zip(first["individual_scores"], second["individual_scores"], strict=True))
    change = {index: b - a for index, (a, b) in pairs if a is not None and b is not None}
    order = sorted(change, key=lambda index: (change[index], index))
    return RunComparison(metric, target, comparison, first["individual_scores"], second["individual_scores"], order)


def read_scores_of_run(run: Run, metric: str, target: str) -> Score:
    """The run's score by one metric on one output, with each row's. Raises Conflict until it is done, Invalid without
    such a score.
    """
    if run.state != Run.DONE:
        raise Conflict(
            gettext("Run {number} is {state}: only finished runs are compared.").format(
                number=run.number, state=run.state
            ),
            state=run.state,
        )
    score = run.scores.get(metric, {}).get(target)
    if score is None:
        available = (
            ", ".join(f"{name} of {output}" for name, targets in run.scores.items() for output in targets) or "nothing"
        )
        raise Invalid(
            fields={
                "metric": gettext("run {number} was not scored by {metric} of {target}; it has {has}.").format(
                    number=run.number, metric=metric, target=target, has=available
                )
            }
        )
    values: list[float | None] = [None] * run.total
    name = f"{metric} {target}"
    for index, text in RunRow.objects.filter(run=run).values_list("index", "scores_text"):
        values[index] = json.loads(text).get(name)
    return Score(score=score["score"], individual_scores=values, scored=score["scored"], of=score["of"])


def _select_row_numbers(run: Run, only: str | None) -> list[int]:
    if not only:
        return list(range(run.total))
    if only == "failed":
        failed = RunRow.objects.filter(run=run, is_failed=True).order_by("index")
        return list(failed.values_list("index", flat=True))
    kind, _, name = only.partition(":")
    metric, _, target = name.partition(" ")
    if kind != "worst":
        raise Invalid(fields={"only": gettext("failed, or worst:<metric> <target>.")})
    scores = enumerate(read_scores_of_run(run, metric, target or "answer")["individual_scores"])
    return [index for _, index in sorted((value, index) for index, value in scores if value is not None)]


def _load_related(runs: QuerySet[Run]) -> QuerySet[Run]:
    """What few runs have is read on its own: PostgreSQL takes 0.1 s to plan a query that joins all of it."""
    related = ("template__namespace", "version", "dataset_version__dataset", "started_by")
    return runs.select_related(*related).prefetch_related("samples", "judge__template", "change")
