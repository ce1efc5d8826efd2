"""Live failures: which live versions missed a threshold in their last nightly run."""

# no texts here: findings are stored

from collections.abc import Collection, Sequence

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from promptuary.evaluation.gates import parse_gate
from registry.accounts.actor import Actor, build_operator_actor
from registry.evaluations import attachment_queries, run_queries
from registry.evaluations.attachment_queries import EvaluationPlan
from registry.evaluations.events import EvaluationFailing, EvaluationRecovered
from registry.evaluations.gate_outcomes import GateOutcome, judge_run
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.models import Run, RunRow
from registry.journal import log
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.queries import choose_live_label
from registry.templates.label_models import Label
from registry.templates.label_ways_back import find_ways_back
from registry.templates.models import Template, Version

__all__ = [
    "find_earlier_versions",
    "list_failing_template_ids",
    "list_live_failures",
    "record_nightly_outcome",
]

MAX_FAILURES = 20


def list_live_failures(actor: Actor, templates: Collection[int] | None = None) -> list[LiveFailure]:
    """Failures of live versions that the actor may read, newest first.

    templates: all failures of these ids; without it at most `MAX_FAILURES`.
    """
    rows = _select_readable_failures(actor)
    related = rows.prefetch_related("template", Prefetch("version", Version.objects.defer("bundle")))
    ordered = related.order_by("-since", "-pk")
    return list(ordered[:MAX_FAILURES] if templates is None else ordered.filter(template__in=templates))


def list_failing_template_ids(actor: Actor) -> set[int]:
    """The ids of the templates that the actor may read with a failing live version."""
    return set(_select_readable_failures(actor).values_list("template_id", flat=True))


def _select_readable_failures(actor: Actor) -> QuerySet[LiveFailure]:
    """Failures of versions that labels serve now, in unarchived templates that the actor may read."""
    served = Label.objects.filter(template=OuterRef("template"), name=OuterRef("label"), version=OuterRef("version"))
    # Few versions fail, so EXISTS is checked per failure: with a join, SQLite may scan the failures of each template.
    readable = Template.objects.filter(
        pk=OuterRef("template"), namespace__in=list_visible_namespaces(actor), archived_at=None
    )
    return LiveFailure.objects.filter(Exists(readable), Exists(served))


def find_earlier_versions(failures: Collection[LiveFailure]) -> dict[int, int]:
    """Map failure id to the version number that its label would be rolled back to (`find_ways_back`), if any. Two
    queries.
    """
    ways_back = find_ways_back({failure.template_id for failure in failures})
    earlier = {failure.pk: ways_back.get((failure.template_id, failure.label)) for failure in failures}
    return {pk: number for pk, number in earlier.items() if number is not None}


def record_nightly_outcome(run: Run) -> None:
    """Record that the live version fails, or passes again; for the worker, in the transaction that ends the nightly
    run.

    One event is written for each failure of a version, and one when thresholds are reached again. Nothing is recorded
    if the label, rows, model or evaluation changed meanwhile, or if the model answered no row. A relative threshold
    compares with the newest run of the same version that isn't a nightly run.
    """
    namespace = run.template.namespace
    label = choose_live_label(namespace)
    plans = attachment_queries.list_plans_of_template(run.template)
    plan = next((plan for plan in plans if plan.name == run.evaluation), None)
    is_live = Label.objects.filter(template=run.template, name=label, version=run.version).exists()
    if plan is None or not is_live or not plan.measures(run) or _is_unanswered(run):
        return
    outcomes = [outcome for outcome in _judge(run, plan) if outcome.passed is not None]
    findings = [f"{outcome.gate}: {outcome.finding}" for outcome in outcomes if not outcome.passed]
    log.lock()
    failure = LiveFailure.objects.filter(template=run.template, evaluation=plan.name).first()
    if findings and (failure is None or failure.version_id != run.version_id):
        _record_failure(run, label, findings)
    elif outcomes and not findings and failure is not None:
        failure.delete()
        log.append(
            build_operator_actor(),
            EvaluationRecovered(
                template=run.template.name,
                version=run.version.number,
                digest=run.version.digest,
                label=label,
                evaluation=plan.name,
                run=run.number,
            ),
            namespace=namespace,
            at=log.now(),
            subject=run,
        )


def _record_failure(run: Run, label: str, findings: Sequence[str]) -> None:
    at = log.now()
    columns = {"version": run.version, "label": label, "run": run.number, "findings": list(findings), "since": at}
    LiveFailure.objects.update_or_create(template=run.template, evaluation=run.evaluation, defaults=columns)
    event = EvaluationFailing(
        template=run.template.name,
        version=run.version.number,
        digest=run.version.digest,
        label=label,
        evaluation=run.evaluation,
        run=run.number,
        findings=list(findings),
    )
    log.append(build_operator_actor(), event, namespace=run.template.namespace, at=at, subject=run)


def _judge(run: Run, plan: EvaluationPlan) -> list[GateOutcome]:
    key = plan.run_key(run.version.digest)
    baseline = run_queries.find_newest_runs_by_key([key]).get(key)
    if baseline is not None and baseline.state != Run.DONE:
        baseline = None
    gates = [parse_gate(gate) for gate in plan.computed_gates]
    return [outcome for gate in gates for outcome in judge_run(gate, run, baseline, "there is no run by day")]


def _is_unanswered(run: Run) -> bool:
    """Whether the model answered no row at all, which says nothing about the template."""
    if run.failed < run.total:
        return False
    return all(row.problem and row.problem["step"] == "model" for row in RunRow.objects.filter(run=run))
