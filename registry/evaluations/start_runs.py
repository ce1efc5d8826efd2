"""Starting and cancelling evaluation runs, and rerunning failures; `run_worker` does the rest."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from promptuary.evaluation import Dataset as Rows
from promptuary.evaluation import Row
from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import User
from registry.connections import queries as connection_queries
from registry.connections import spending
from registry.connections.endpoint import ECHO, Endpoint
from registry.connections.refused_settings import describe_refused_settings
from registry.core.errors import Conflict, Invalid, TooMany
from registry.evaluations import dataset_queries
from registry.evaluations import run_queries as queries
from registry.evaluations.attachment_queries import EvaluationPlan
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.judge_choice import JudgeChoice, find_judge
from registry.evaluations.models import PersonScore, Run, RunRow
from registry.evaluations.row_fit import require_some_row_fits
from registry.evaluations.scoring_process import check_metrics
from registry.jobs import queue
from registry.jobs.models import Job
from registry.journal import log
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates import version_queries
from registry.templates.models import SampleSet, Template, Version

__all__ = [
    "MAX_UNFINISHED",
    "RowSource",
    "cancel_run",
    "cancel_runs",
    "create_plan_run",
    "create_run",
    "find_row_source",
    "require_settings_taken",
    "require_spending_left",
    "rerun_failures",
    "start_run",
]

MAX_UNFINISHED = 10  # the most unfinished runs of one namespace
_DEFAULT_METRICS = ("squad_f1", "squad_exact_match")
_UNFINISHED = (Run.QUEUED, Run.RUNNING)
_FAILED = Q(is_failed=True) | (~Q(judgement_text="") & ~Q(judgement_text__contains='"error": null'))


@dataclass(frozen=True)
class RowSource:
    """The rows of a run: a version of a dataset, or a template's samples."""

    digest: str
    rows: tuple[Row, ...]
    dataset_version: DatasetVersion | None = None
    samples: SampleSet | None = None

    @property
    def has_expectations(self) -> bool:
        """Whether any row has an expectation."""
        return any(row.expected for row in self.rows)


def start_run(  # noqa: PLR0913  # what a person chooses
    *,
    actor: Actor,
    template: str,
    ref: str = "latest",
    dataset: str | None = None,
    dataset_version: int | None = None,
    model: str = ECHO,
    metrics: Sequence[str] = (),
    judge: str | None = None,
    judge_model: str | None = None,
    judge_paths: Mapping[str, str] | None = None,
) -> Run:
    """Start a run: a model answers a version for every row of a dataset, or for every sample of the template (None).

    judge: `namespace/name@ref` of a template that judges each row (such as the starter's judge-answer-support), run on
    `judge_model`; judge_paths says where a row has its documents, question and response, like `judgements.PATHS`.
    metrics: names; by default those for answers, if any row has an expectation. Raises TooMany if the namespace has
    `MAX_UNFINISHED` runs under way or a spending cap is reached, Conflict if a model's price can't be counted against
    a cap, Invalid if the version can't render any row.
    """
    template_row = template_queries.find_template(actor, Verb.EVALUATE, template)
    version = version_queries.resolve_version(actor, template, ref)
    endpoint = connection_queries.find_endpoint(model, template_row.namespace.name)
    measure = find_row_source(actor, template_row, dataset, dataset_version)
    metric_names = check_metrics(metrics) or (list(_DEFAULT_METRICS) if measure.has_expectations else [])
    judging = find_judge(actor, template_row.namespace.name, judge, judge_model, judge_paths or {})
    _require_room(template_row)
    namespace, judge_models = template_row.namespace, (judging.model,) if judging else ()
    require_spending_left(namespace, actor.person, endpoint.name, *judge_models)
    _require_answerable(version, endpoint, measure.rows, measure.dataset_version)
    return create_run(template_row, version, measure, endpoint, metric_names, actor.person, judge=judging)


def create_run(  # what a run is
    template: Template,
    version: Version,
    measure: RowSource,
    endpoint: Endpoint,
    metrics: Sequence[str],
    person: User,
    judge: JudgeChoice | None = None,
    columns: Mapping[str, Any] | None = None,
) -> Run:
    """Store a run and its job; for services, after checking the rights. columns: `change_id` of a change request, or
    `key`, `evaluation` and `night` of a nightly run, or `key`, `is_draft` and `draft_bundle` of an unsaved text.
    """
    key = queries.run_key(version.digest, measure.digest, endpoint.digest, judge.digest if judge else "")
    with transaction.atomic():
        run = Run.objects.create(
            template=template,
            version=version,
            dataset_version=measure.dataset_version,
            samples=measure.samples,
            rows_digest=measure.digest,
            model=endpoint.name,
            model_digest=endpoint.digest,
            metrics=list(metrics),
            total=len(measure.rows),
            currency=endpoint.price.currency if endpoint.price else "",
            started_by=person,
            created_at=log.now(),
            **{"key": key, **(judge.columns() if judge else {}), **(columns or {})},
        )
        _enqueue(run)
    return run


def create_plan_run(
    template: Template,
    version: Version,
    plan: EvaluationPlan,
    change: int | None = None,
    columns: Mapping[str, Any] | None = None,
    must_fit: bool = False,
) -> Run:
    """Store a run that an attached evaluation needs, as the operator; the plan must have no fault. See `create_run`.

    must_fit: raise Invalid if every row would fail. A change's run starts anyway: its check fails on those rows.
    """
    dataset = DatasetVersion.objects.get(dataset__name=plan.dataset, number=plan.dataset_version)
    endpoint = connection_queries.find_endpoint(plan.model, template.namespace.name)
    measure = RowSource(dataset.digest, dataset.rows(), dataset_version=dataset)
    if must_fit:
        _require_answerable(version, endpoint, measure.rows, dataset)
    person, more = build_operator_actor().person, {"change_id": change, **(columns or {})}
    return create_run(template, version, measure, endpoint, plan.run_metrics, person, plan.judge, more)


def cancel_run(*, actor: Actor, number: int) -> Run:
    """End a run after the rows in flight; its results so far are kept. Raises Conflict if it is already over."""
    with transaction.atomic():
        run = _take(actor, number)
        if run.is_over:
            raise Conflict(gettext("Run {number} is {state}.").format(number=number, state=run.state), state=run.state)
        run.state, run.finished_at = Run.CANCELLED, log.now()
        run.save(update_fields=["state", "finished_at"])
    return run


def cancel_runs(*, actor: Actor, numbers: Iterable[int]) -> list[Run]:
    """Cancel those of these runs that are under way, all or none. Raises NotAllowed if one may not be cancelled."""
    with transaction.atomic():
        runs = [_take(actor, number) for number in sorted(set(numbers))]  # in a fixed order, to prevent deadlocks
        return [cancel_run(actor=actor, number=run.number) for run in runs if not run.is_over]


def rerun_failures(*, actor: Actor, number: int) -> Run:
    """Rerun the rows that failed, those that the judge failed on, and those that an ended run left out; the others are
    kept.

    Raises as `start_run` does if a cap is reached, the model doesn't support a setting or no row can be rendered.
    """
    earlier = queries.find_run(actor, Verb.EVALUATE, number)
    if earlier.is_over and not earlier.is_draft:  # a draft's text is in the run and was checked at its start
        earlier.version.require_text()
        endpoint = connection_queries.find_endpoint(earlier.model, earlier.template.namespace.name)
        _require_answerable(earlier.version, endpoint, queries.list_rows_of_run(earlier), earlier.dataset_version)
    with transaction.atomic():
        run = _take(actor, number)
        if not run.is_over:
            raise Conflict(
                gettext("Run {number} is {state}: wait for its end, or cancel it.").format(
                    number=number, state=run.state
                ),
                state=run.state,
            )
        scored = PersonScore.objects.filter(run=run).values("index")  # scored by people, so the reply must not change
        rows_again = RunRow.objects.filter(_FAILED, run=run).exclude(index__in=scored)
        if run.state == Run.DONE and not rows_again.exists():
            raise Conflict(gettext("No row of run {number} failed.").format(number=number), state=run.state)
        run.version.require_text()
        if run.judge is not None:
            run.judge.require_text()
        _require_room(run.template)
        judge = (run.judge_model,) if run.judge is not None else ()
        require_spending_left(run.template.namespace, run.started_by, run.model, *judge)
        rows_again.delete()
        run.state, run.error, run.scores_text, run.finished_at = Run.QUEUED, "", "{}", None
        run.failed, run.done = 0, RunRow.objects.filter(run=run).count()
        run.save(update_fields=["state", "error", "scores_text", "finished_at", "failed", "done"])
        _enqueue(run)
    return run


def _require_answerable(
    version: Version, endpoint: Endpoint, rows: Sequence[Row], dataset: DatasetVersion | None
) -> None:
    """Raise Invalid if every row would fail, because of the model's settings or because no row can be rendered."""
    require_settings_taken(version, endpoint)
    require_some_row_fits(rows, version, dataset.dataset.name if dataset else gettext("the samples"))


def require_spending_left(namespace: Namespace, person: User, *models: str) -> None:
    """Raise TooMany or Conflict, as `spending.require_within_caps`, if one of these models may not be asked, so that a
    run is refused before it starts. Raises Invalid for a model that no longer exists.
    """
    for model in dict.fromkeys(models):
        spending.require_within_caps(namespace, person, connection_queries.find_endpoint(model, namespace.name))


def require_settings_taken(version: Version, endpoint: Endpoint) -> None:
    """Raise Invalid for `model` if it doesn't support a setting of the version, so that every row would fail."""
    if sentence := describe_refused_settings(endpoint, json.loads(version.settings)):
        raise Invalid(fields={"model": sentence})


def _take(actor: Actor, number: int) -> Run:
    run = queries.find_run(actor, Verb.EVALUATE, number)
    Run.everything.select_for_update(no_key=True).filter(pk=run.pk).values_list("pk").first()
    return queries.find_run(actor, Verb.EVALUATE, number)


def _enqueue(run: Run) -> Job:
    return queue.enqueue(queue.EVALUATION, subject=f"run {run.pk}", payload={"run": run.pk})


def _require_room(template: Template) -> None:
    under_way = Run.everything.filter(
        template__namespace=template.namespace_id, state__in=_UNFINISHED, change=None
    ).count()
    if under_way >= MAX_UNFINISHED:
        raise TooMany(
            gettext("{name} has {under_way} runs under way: wait for one to end, or cancel it.").format(
                name=template.namespace.name, under_way=under_way
            ),
            retry_after=30,
        )


def find_row_source(actor: Actor, template: Template, dataset: str | None, number: int | None) -> RowSource:
    """The rows of a dataset's version (the latest without a number), or the template's samples if dataset is None."""
    if dataset is None:
        samples = template.current_samples()
        if samples is None or not samples.samples:
            raise Invalid(
                fields={"dataset": gettext("{name} has no samples: name a dataset.").format(name=template.name)}
            )
        return _read_samples(samples)
    version = dataset_queries.read_dataset_version(actor, dataset, number)
    if version.dataset.namespace_id != template.namespace_id:
        raise Invalid(
            fields={
                "dataset": gettext("{dataset} is of another namespace, whose members may not read this run.").format(
                    dataset=dataset
                )
            }
        )
    return RowSource(version.digest, version.rows(), dataset_version=version)


def _read_samples(samples: SampleSet) -> RowSource:
    """A template's samples as rows without expectations."""
    rows = queries.list_rows_of_samples(samples)
    return RowSource(Rows("samples", rows).digest, rows, samples=samples)
