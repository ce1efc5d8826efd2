"""Services of attachments, which make a dataset, a model and thresholds a check of change requests. For admins."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from promptuary.evaluation import EvaluationError, gates
from promptuary.evaluation.metrics import catalogue
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.core.errors import Invalid, NotFound
from registry.core.input_checks import check_text
from registry.core.names import check_slug
from registry.evaluations import dataset_queries, datasets
from registry.evaluations.dataset_models import Dataset
from registry.evaluations.events import EvaluationAttached, EvaluationDetached
from registry.evaluations.judge_choice import JUDGE_METRICS, JudgeChoice, find_judge
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.models import SCORES_NEEDED, Attachment
from registry.evaluations.person_score_queries import PEOPLE_METRIC
from registry.evaluations.scoring_process import check_metrics
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates.models import Template

__all__ = ["attach_evaluation", "check_gates", "detach_evaluation"]

_MAX_GATES = 20
_MAX_SCORES = 100_000


def attach_evaluation(  # noqa: PLR0913  # what an attachment is
    *,
    actor: Actor,
    namespace: str,
    name: str,
    pattern: str,
    dataset: str,
    model: str,
    gates: Sequence[str],
    dataset_version: int | None = None,
    metrics: Sequence[str] = (),
    scores_needed: int = SCORES_NEEDED,
    nightly: bool = False,
    judge: str | None = None,
    judge_model: str | None = None,
    judge_paths: Mapping[str, str] | None = None,
) -> Attachment:
    """Attach an evaluation to the templates whose path matches the pattern, replacing any attachment of this name.

    gates: at least one, `squad_f1 >= 0.8` or `squad_f1 - 0.02` (at most this much below what the label serves).
    dataset_version: a number, or None for the latest at any time. Every row must fit the inputs of each measured
    template. scores_needed: how many scores by people who are not contributors decide a gate `reviewed_by_people >=
    0.8`. nightly: whether the live version is measured every night (`nightly_runs`). judge, judge_model, judge_paths:
    the judge of each row, as in `start_runs.start_run`; its version is fixed here. A threshold on a judge's metric
    needs one. Event body: {"name", "pattern", "dataset", "dataset_version": number or null, "model", "gates",
    "metrics", "scores_needed": absent if it is the usual number, "nightly": absent unless true, "judge", "judge_model",
    "judge_paths": absent without a judge}.
    """
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    check_slug("name", name)
    pattern = _check_pattern(pattern)
    gate_list, metric_names = check_gates(gates), check_metrics(metrics)
    _check_scores_needed(scores_needed)
    connection_queries.find_endpoint(model, namespace)
    chosen_judge = find_judge(actor, namespace, judge, judge_model, judge_paths or {})
    _require_judge(gate_list, chosen_judge)
    dataset_row = _find_own_dataset(actor, space, dataset)
    rows = dataset_queries.read_dataset_version(actor, dataset, dataset_version).rows()
    values = {
        "pattern": pattern,
        "dataset_version": dataset_version,
        "model": model,
        "gates": gate_list,
        "metrics": metric_names,
        "scores_needed": scores_needed,
        "nightly": nightly,
    }
    datasets.require_rows_fit(rows, _list_measured(space, Attachment(pattern=pattern)))
    return _write(actor, namespace, name, dataset_row, values, chosen_judge)


def _check_pattern(pattern: str) -> str:
    pattern = check_text("pattern", pattern, 200).strip()
    if not pattern:
        raise Invalid(fields={"pattern": gettext("a path inside the namespace; * matches anything.")})
    return pattern


def _check_scores_needed(scores_needed: int) -> None:
    if not 1 <= scores_needed <= _MAX_SCORES:
        raise Invalid(fields={"scores_needed": gettext("1 to {most_scores:,}.").format(most_scores=_MAX_SCORES)})


def detach_evaluation(*, actor: Actor, namespace: str, name: str) -> None:
    """Remove an attachment; admins only. Raises NotFound for an unknown name."""
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        attachment = Attachment.objects.filter(namespace=space, name=name).first()
        if attachment is None:
            raise NotFound(
                gettext("{namespace} has no evaluation {value}.").format(namespace=namespace, value=name[:80])
            )
        permissions.require_proof(actor)
        templates = _list_measured(space, attachment)
        attachment.delete()
        LiveFailure.objects.filter(template__namespace=space, evaluation=name).delete()
        log.append(actor, EvaluationDetached(name=name), namespace=space, at=log.now(), subject=tuple(templates))


def check_gates(texts: Sequence[str]) -> list[str]:
    """The thresholds in canonical form, without duplicates. Raises Invalid for the first that can't be parsed."""
    if not 1 <= len(texts) <= _MAX_GATES:
        raise Invalid(
            fields={
                "gates": gettext("1 to {most_gates} of them: without one every change would pass.").format(
                    most_gates=_MAX_GATES
                )
            }
        )
    parsed = []
    for text in texts:
        try:
            gate = gates.parse_gate(check_text("gates", text, 200))
            if gate.metric != PEOPLE_METRIC:
                catalogue.find_metric(gate.metric)
            elif gate.floor is None or gate.output or gate.floor > 1:
                raise EvaluationError(f"scores by people take a floor from 0 to 1: {PEOPLE_METRIC} >= 0.8")
        except EvaluationError as error:
            raise Invalid(fields={"gates": f"{error}."}) from error
        parsed.append(str(gate))
    return list(dict.fromkeys(parsed))


def _find_own_dataset(actor: Actor, space: Namespace, name: str) -> Dataset:
    """The dataset of this name. Raises Invalid if it is of another namespace, NotFound if the actor may not read it."""
    dataset = dataset_queries.read_dataset(actor, name)
    if dataset.namespace_id != space.pk:
        sentence = gettext("{dataset} is of another namespace: its rows would be read by {namespace}'s.")
        raise Invalid(fields={"dataset": sentence.format(dataset=name, namespace=space.name)})
    return dataset


def _require_judge(gate_list: Sequence[str], judge: JudgeChoice | None) -> None:
    """Raise Invalid if a threshold needs a judge but none is given."""
    judged = [gate for gate in gate_list if gates.parse_gate(gate).metric in JUDGE_METRICS]
    if judged and judge is None:
        raise Invalid(
            fields={
                "judge": gettext("'{value}' is a judge's score: name the template that judges.").format(value=judged[0])
            }
        )


def _write(
    actor: Actor,
    namespace: str,
    name: str,
    dataset: Dataset,
    values: Mapping[str, Any],
    judge: JudgeChoice | None,
) -> Attachment:
    at = log.now()
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        permissions.require_proof(actor)
        if Dataset.objects.filter(pk=dataset.pk, archived_at__isnull=False).exists():
            raise Invalid(fields={"dataset": gettext("{dataset} is archived.").format(dataset=dataset.name)})
        attachment = Attachment.objects.filter(namespace=space, name=name).first()
        before = _list_measured(space, attachment) if attachment else []
        attached, _ = Attachment.objects.update_or_create(
            namespace=space,
            name=name,
            defaults={
                **values,
                "dataset": dataset,
                "judge": judge.version if judge else None,
                "judge_model": judge.model if judge else "",
                "judge_paths": dict(judge.paths) if judge else {},
                "created_by": actor.person,
                "created_at": at,
            },
        )
        LiveFailure.objects.filter(template__namespace=space, evaluation=name).delete()
        templates = (*before, *_list_measured(space, attached))
        needed = values["scores_needed"]
        optional = {
            "scores_needed": None if needed == SCORES_NEEDED else needed,
            "nightly": values["nightly"] or None,
            "judge": f"{judge.version.template.name}@{judge.version.number}" if judge else None,
            "judge_model": judge.model if judge else None,
            "judge_paths": dict(judge.paths) or None if judge else None,
        }
        event = EvaluationAttached(name=name, dataset=dataset.name, **{**values, **optional})
        log.append(actor, event, namespace=space, at=at, subject=templates)
    return attached


def _list_measured(namespace: Namespace, attachment: Attachment) -> list[Template]:
    rows = Template.objects.filter(namespace=namespace, archived_at=None).select_related("latest")
    return [row for row in rows.order_by("name") if attachment.fits(row.path)]
