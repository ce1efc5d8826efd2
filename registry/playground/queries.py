"""Queries of the playground: a person's own runs, and the choices for a new run."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections import spending
from registry.connections.endpoint import Endpoint
from registry.core.errors import NotFound
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.evaluations.attachment_queries import list_fitting_datasets
from registry.evaluations.dataset_models import Dataset
from registry.journal import log
from registry.namespaces import granters, path_permissions, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.templates import label_queries
from registry.templates import queries as template_queries
from registry.templates.models import Template

__all__ = ["RunChoices", "Source", "find_own_column", "find_own_run", "find_place", "list_choices", "list_own_runs"]

_MAX_VERSIONS = 50
_MAX_DATASETS = 50


@dataclass(frozen=True)
class Source:
    """What a column can run: the draft, a label or a version. number: of the version, None for the draft."""

    value: str
    title: str
    number: int | None


@dataclass(frozen=True)
class RunChoices:
    """The choices for a run of a template.

    spent_today: by the person, in the currency of the namespace's caps; cap: per person and day, or None. why_not: the
    sentence that says why nothing can be run, None if something can. refusals: by model name, why the spending caps
    prevent the person from using it now.
    """

    endpoints: list[Endpoint]
    refusals: dict[str, str]
    connections: frozenset[str]
    sources: list[Source]
    spent_today: Decimal
    cap: Decimal | None
    currency: str
    why_not: str | None
    can_connect: bool
    is_stored: bool
    datasets: list[Dataset]
    fitting: frozenset[int]


def find_place(actor: Actor, name: str) -> tuple[Namespace, Template | None]:
    """The namespace of a template that the actor may try with a model, and the template, None if it isn't saved yet."""
    try:
        template = template_queries.find_template(actor, Verb.TRY, name)
    except NotFound:
        space, _, path = name.partition("/")
        return path_permissions.find_namespace_for_draft(actor, Verb.TRY, space, path), None
    return template.namespace, template


def list_choices(actor: Actor, name: str) -> RunChoices:
    """What the actor can choose for runs of the template, which need not exist yet."""
    namespace, template = find_place(actor, name)
    fitting = list_fitting_datasets(namespace, name.partition("/")[2])
    endpoints = connection_queries.list_endpoints(namespace.name)
    cap = connection_queries.find_cap(namespace)
    now = log.now()
    has_model = any(endpoint.kind != "echo" for endpoint in endpoints)
    refusals = spending.find_refusals(namespace, actor.person, endpoints)
    return RunChoices(
        endpoints=endpoints,
        refusals={name: refusal.message for name, refusal in refusals.items()},
        connections=frozenset(namespace.connections.values_list("name", flat=True)),
        sources=_list_sources(template),
        spent_today=spending.sum_spent(namespace, actor.person, cap.currency, now.date()).person_day,
        cap=cap.person_day,
        currency=cap.currency,
        why_not=None
        if has_model
        else gettext("No model connected. {describe_granters}").format(
            describe_granters=granters.describe_granters(namespace)
        ),
        can_connect=permissions.is_allowed(actor, Verb.MANAGE, namespace),
        is_stored=not namespace.discard_playground_texts,
        datasets=_list_datasets(namespace, fitting),
        fitting=fitting,
    )


def _list_datasets(namespace: Namespace, fitting: frozenset[int]) -> list[Dataset]:
    """The datasets by name, those in `fitting` first."""
    rows = Dataset.objects.filter(namespace=namespace, latest__isnull=False, archived_at=None).only("name", "namespace")
    return sorted(rows, key=lambda row: (row.pk not in fitting, row.name))[:_MAX_DATASETS]


def _list_sources(template: Template | None) -> list[Source]:
    sources = [Source(PlaygroundColumn.DRAFT, gettext("This draft"), None)]
    if template is None:
        return sources
    labels = label_queries.read_label_numbers(template)
    sources += [Source(label, label, number) for label, number in labels.items()]
    rows = template.versions.filter(redaction=None).order_by("-number").values_list("number", flat=True)
    return [*sources, *(Source(str(number), f"v{number}", number) for number in rows[:_MAX_VERSIONS])]


def list_own_runs(actor: Actor, name: str, cursor: str | None = None, limit: int = 20) -> Page[PlaygroundRun]:
    """The actor's runs of the template, newest first, with their columns; empty if the namespace doesn't store any.

    Runs over a dataset's rows are left out: a batch of twenty would hide the others.
    """
    namespace, _ = find_place(actor, name)
    limit = check_limit(limit)
    rows = PlaygroundRun.objects.filter(person=actor.person, namespace=namespace, name=name, dataset="")
    rows = rows.order_by("-pk")
    if namespace.discard_playground_texts:
        rows = rows.none()
    if before := read_number(cursor):
        rows = rows.filter(pk__lt=before)
    rows = rows.prefetch_related("columns__version")
    return cut_page(list(rows[: limit + 1]), limit, lambda run: run.pk)


def find_own_run(actor: Actor, run_id: int) -> PlaygroundRun:
    """The actor's run. Raises NotFound for another person's."""
    run = PlaygroundRun.objects.select_related("namespace").filter(pk=run_id, person=actor.person).first()
    if run is None:
        raise NotFound(gettext("There is no run {run_id} of yours.").format(run_id=run_id))
    path_permissions.require_verb_for_draft(actor, Verb.TRY, run.namespace, run.name.partition("/")[2])
    return run


def find_own_column(actor: Actor, column_id: int) -> PlaygroundColumn:
    """A column of the actor's run. Raises NotFound for another person's."""
    rows = PlaygroundColumn.objects.select_related("run__namespace", "run__person", "version")
    column = rows.filter(pk=column_id, run__person=actor.person).first()
    if column is None:
        raise NotFound(gettext("There is no column {column_id} of yours.").format(column_id=column_id))
    path_permissions.require_verb_for_draft(actor, Verb.TRY, column.run.namespace, column.run.name.partition("/")[2])
    return column
