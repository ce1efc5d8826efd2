"""Queries of attachments: the evaluations that change requests of a template have to pass, and what each measures."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from registry.accounts.actor import Actor
from registry.connections import endpoints
from registry.core.errors import PromptuaryError
from registry.evaluations.models import Attachment, DatasetVersion
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Verb
from registry.templates.models import Template

__all__ = ["EvaluationPlan", "find_attachment", "list_attachments", "plans_of_template", "plans_of_templates"]


@dataclass(frozen=True)
class EvaluationPlan:
    """An attachment as it applies now: which rows, which model, what has to be reached.

    `model_digest` is empty where the operator does not list the model any more, `fault` then says so.
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

    def to_dict(self) -> dict[str, object]:
        """What a verdict is bound to, as plain JSON."""
        return {
            "evaluation": self.name,
            "dataset": self.rows_digest,
            "model": self.model,
            "model_digest": self.model_digest,
            "gates": list(self.gates),
        }


def list_attachments(actor: Actor, namespace: str) -> list[Attachment]:
    """The attachments of a namespace by name; any member may read them."""
    space = permissions.find_namespace(actor, Verb.READ, namespace)
    return list(_rows({space.pk}))


def find_attachment(actor: Actor, namespace: str, name: str) -> Attachment | None:
    """One attachment, or None."""
    return next((one for one in list_attachments(actor, namespace) if one.name == name), None)


def plans_of_template(template: Template) -> tuple[EvaluationPlan, ...]:
    """What the template's change requests are measured by now."""
    return plans_of_templates([template])[template.pk]


def plans_of_templates(templates: Iterable[Template]) -> Mapping[int, tuple[EvaluationPlan, ...]]:
    """Template to its plans, in a constant number of queries; the templates come with their namespaces."""
    listed = list(templates)
    spaces = {template.namespace_id: template.namespace for template in listed}
    attached = list(_rows(set(spaces)))
    if not attached:
        return defaultdict(tuple)
    digests = _digests(attached)
    found: defaultdict[int, tuple[EvaluationPlan, ...]] = defaultdict(tuple)
    made: dict[int, EvaluationPlan] = {}
    for template in listed:
        for one in attached:
            if one.namespace_id == template.namespace_id and one.fits(template.path):
                plan = made.setdefault(one.pk, _plan(one, spaces[template.namespace_id], digests))
                found[template.pk] += (plan,)
    return found


def _rows(spaces: set[int]) -> Iterable[Attachment]:
    rows = Attachment.objects.filter(namespace__in=spaces).select_related("dataset", "dataset__latest", "created_by")
    return rows.defer("dataset__latest__text").order_by("name")


def _digests(attached: Iterable[Attachment]) -> dict[tuple[int, int], str]:
    """Digests of the versions that are pinned by number."""
    pinned = [one for one in attached if one.dataset_version is not None]
    if not pinned:
        return {}
    rows = DatasetVersion.objects.filter(dataset__in={one.dataset_id for one in pinned})
    return {(dataset, number): digest for dataset, number, digest in rows.values_list("dataset_id", "number", "digest")}


def _plan(one: Attachment, namespace: Namespace, digests: Mapping[tuple[int, int], str]) -> EvaluationPlan:
    latest = one.dataset.latest
    number, digest = (latest.number, latest.digest) if latest else (0, "")
    if one.dataset_version is not None:
        number, digest = one.dataset_version, digests[one.dataset_id, one.dataset_version]
    try:
        model_digest, fault = endpoints.find_endpoint(one.model, namespace.name).digest, ""
    except PromptuaryError as error:
        model_digest, fault = "", error.message
    return EvaluationPlan(
        one.name,
        one.dataset.name,
        number,
        digest,
        one.model,
        model_digest,
        tuple(one.gates),
        tuple(one.metrics),
        fault,
    )
