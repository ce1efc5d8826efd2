"""Queries of attachments: the evaluations that change requests of a template have to pass, and their plans."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import F

from promptuary.evaluation.gates import parse_gate
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.core.errors import PromptuaryError
from registry.evaluations import run_queries
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.judge_choice import JUDGE_METRICS, JudgeChoice
from registry.evaluations.models import SCORES_NEEDED, Attachment, Run
from registry.evaluations.person_score_queries import is_people_gate
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates.models import Template

__all__ = [
    "EvaluationPlan",
    "list_attachments",
    "list_computed_gates_of_templates",
    "list_fitting_datasets",
    "list_measured_templates",
    "list_plans_of_template",
    "list_plans_of_templates",
]


@dataclass(frozen=True)
class EvaluationPlan:
    """An attachment as it applies now: its rows, model and thresholds.

    `model_digest` is empty if the operator no longer lists the model; `fault` then says so.
    """

    name: str
    dataset: str
    dataset_version: int
    rows_digest: str
    model: str
    model_digest: str
    gates: tuple[str, ...]
    metrics: tuple[str, ...]
    fault: str = ""
    scores_needed: int = SCORES_NEEDED
    nightly: bool = False
    judge: JudgeChoice | None = None
    content_digest: str = ""

    def measures(self, run: Run) -> bool:
        """Whether a run asked the plan's model about its rows; the rows' names and tags may differ."""
        if run.model_digest != self.model_digest:
            return False
        if run.rows_digest == self.rows_digest:
            return True
        rows = run.dataset_version
        return bool(self.content_digest) and rows is not None and rows.contents() == self.content_digest

    def run_key(self, version_digest: str) -> str:
        """The key of the runs that measure this version."""
        judge_digest = self.judge.digest if self.judge else ""
        return run_queries.run_key(version_digest, self.rows_digest, self.model_digest, judge_digest)

    @property
    def people_gates(self) -> tuple[str, ...]:
        """The thresholds on people's scores."""
        return tuple(gate for gate in self.gates if is_people_gate(gate))

    @property
    def run_metrics(self) -> list[str]:
        """The metrics that its runs are scored by: those of the computed thresholds and additional ones. A judge's
        metrics come with the judge.
        """
        names = dict.fromkeys([*(parse_gate(gate).metric for gate in self.computed_gates), *self.metrics])
        return [name for name in names if name not in JUDGE_METRICS]

    @property
    def is_computed(self) -> bool:
        """Whether a run computes scores, by metrics or a judge."""
        return bool(self.run_metrics) or self.judge is not None

    @property
    def computed_gates(self) -> tuple[str, ...]:
        """The thresholds that are computed from a run alone."""
        return tuple(gate for gate in self.gates if not is_people_gate(gate))

    def to_dict(self) -> dict[str, object]:
        """What a verdict depends on, as plain JSON."""
        return {
            "evaluation": self.name,
            "dataset": self.rows_digest,
            "model": self.model,
            "model_digest": self.model_digest,
            "gates": list(self.gates),
            **({"scores_needed": self.scores_needed} if self.people_gates else {}),
            **({"judge": self.judge.digest} if self.judge else {}),
        }


def list_attachments(actor: Actor, namespace: str) -> list[Attachment]:
    """The attachments of a namespace by name; any member may read them."""
    space = permissions.find_namespace(actor, Verb.READ, namespace)
    return list(_select_attachments({space.pk}))


def list_fitting_datasets(namespace: Namespace, path: str) -> frozenset[int]:
    """The ids of datasets that fit the template of this path: those of its attached evaluations, and those of runs with
    at least one reply.
    """
    attached = Attachment.objects.filter(namespace=namespace).only("dataset_id", "pattern")
    runs = Run.objects.filter(template__name=f"{namespace.name}/{path}", state=Run.DONE, failed__lt=F("total"))
    ids = runs.exclude(dataset_version=None).values_list("dataset_version__dataset_id", flat=True).distinct()
    return frozenset({attachment.dataset_id for attachment in attached if attachment.fits(path)}.union(ids))


def list_measured_templates(namespace: Namespace, dataset: str) -> list[Template]:
    """The templates, by name, that an attachment measures by the latest version of a dataset."""
    attached = list(Attachment.objects.filter(namespace=namespace, dataset__name=dataset, dataset_version=None))
    if not attached:
        return []
    rows = Template.objects.filter(namespace=namespace, archived_at=None).select_related("latest")
    return [row for row in rows.order_by("name") if any(attachment.fits(row.path) for attachment in attached)]


def list_plans_of_template(template: Template) -> tuple[EvaluationPlan, ...]:
    """The evaluations that the template's change requests must pass now."""
    return list_plans_of_templates([template])[template.pk]


def list_plans_of_templates(templates: Iterable[Template]) -> Mapping[int, tuple[EvaluationPlan, ...]]:
    """Map template to its plans, in a constant number of queries. Their namespaces must be loaded."""
    template_list = list(templates)
    spaces = {template.namespace_id: template.namespace for template in template_list}
    attached = list(_select_attachments(set(spaces)))
    if not attached:
        return defaultdict(tuple)
    digests = _find_digests(attached)
    plans: defaultdict[int, tuple[EvaluationPlan, ...]] = defaultdict(tuple)
    plan_by_attachment: dict[int, EvaluationPlan] = {}
    for template in template_list:
        for attachment in attached:
            if attachment.namespace_id == template.namespace_id and attachment.fits(template.path):
                plan = plan_by_attachment.setdefault(
                    attachment.pk, _plan(attachment, spaces[template.namespace_id], digests)
                )
                plans[template.pk] += (plan,)
    return plans


def list_computed_gates_of_templates(templates: Iterable[Template]) -> dict[int, list[tuple[str, str]]]:
    """Map template id to the computed thresholds, each with the name of its evaluation; one query.

    Unlike a plan, this does not look up the model.
    """
    rows = list(templates)
    attached = list(Attachment.objects.filter(namespace__in={row.namespace_id for row in rows}).order_by("name"))
    return {
        row.pk: [
            (attachment.name, gate)
            for attachment in attached
            if attachment.namespace_id == row.namespace_id and attachment.fits(row.path)
            for gate in attachment.gates
            if not is_people_gate(gate)
        ]
        for row in rows
    }


def _select_attachments(spaces: set[int]) -> Iterable[Attachment]:
    related = ("dataset", "dataset__latest", "created_by", "judge", "judge__template")
    rows = Attachment.objects.filter(namespace__in=spaces).select_related(*related)
    return rows.defer("dataset__latest__text", "judge__bundle").order_by("name")


def _find_digests(attached: Iterable[Attachment]) -> dict[tuple[int, int], tuple[str, str]]:
    """Digests of the rows and their contents for versions pinned by number."""
    pinned = [attachment for attachment in attached if attachment.dataset_version is not None]
    if not pinned:
        return {}
    rows = DatasetVersion.objects.filter(dataset__in={attachment.dataset_id for attachment in pinned})
    columns = rows.values_list("dataset_id", "number", "digest", "content_digest")
    return {(dataset, number): (digest, contents) for dataset, number, digest, contents in columns}


def _plan(
    attachment: Attachment, namespace: Namespace, digests: Mapping[tuple[int, int], tuple[str, str]]
) -> EvaluationPlan:
    number, latest = attachment.dataset_version, attachment.dataset.latest
    if number is not None:
        digest, contents = digests[attachment.dataset_id, number]
    else:
        number, digest, contents = (latest.number, latest.digest, latest.content_digest) if latest else (0, "", "")
    judge: JudgeChoice | None = None
    try:
        model_digest, fault = connection_queries.find_endpoint(attachment.model, namespace.name).digest, ""
        judge = _find_judge(attachment, namespace)
    except PromptuaryError as error:
        model_digest, fault = "", error.message
    return EvaluationPlan(
        attachment.name,
        attachment.dataset.name,
        number,
        digest,
        attachment.model,
        model_digest,
        tuple(attachment.gates),
        tuple(attachment.metrics),
        fault,
        attachment.scores_needed,
        attachment.nightly,
        judge,
        contents,
    )


def _find_judge(attachment: Attachment, namespace: Namespace) -> JudgeChoice | None:
    """The evaluation's current judge. Raises PromptuaryError if its model is gone or its text was redacted."""
    if attachment.judge is None:
        return None
    attachment.judge.require_text()
    endpoint = connection_queries.find_endpoint(attachment.judge_model, namespace.name)
    return JudgeChoice(attachment.judge, endpoint.name, endpoint.digest, attachment.judge_paths)
