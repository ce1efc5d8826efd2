"""Queries of improvements: a person's own, and the plan and cost of an improvement of a run."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet
from django.utils.translation import gettext

from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.errors import RenderError
from registry.accounts.actor import Actor
from registry.connections import queries as connection_queries
from registry.connections import spending
from registry.connections.endpoint import Endpoint
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound, PromptuaryError
from registry.core.input_checks import check_text
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.core.sentences import end_sentence
from registry.evaluations import run_estimates, run_queries
from registry.evaluations.models import Run
from registry.evaluations.run_estimates import RunEstimate
from registry.improvements.failing_rows import MAX_SHOWN, FailingRow, choose_shown_rows, list_failing_rows
from registry.improvements.model_asking import AskedPrompt, make_inputs, render_asking, require_asking_template
from registry.improvements.models import Improvement
from registry.journal import log
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb
from registry.templates import label_queries, search_queries, version_queries
from registry.templates import queries as template_queries
from registry.templates.models import Version

__all__ = [
    "ASKING_TAG",
    "MAX_CALLS",
    "MAX_GUIDANCE_LENGTH",
    "ImprovementPlan",
    "find_improvable_run",
    "find_measured_improvement",
    "find_measuring_endpoint",
    "find_own_improvement",
    "list_asking_templates",
    "list_own_improvements",
    "may_improve",
    "plan_improvement",
]

ASKING_TAG = "improvement"
"""The tag of the templates that can ask for an improvement."""
MAX_GUIDANCE_LENGTH = 500
MAX_CALLS = 3  # per improvement: the first, and two after unusable replies
_MAX_TEMPLATES = 200


@dataclass(frozen=True)
class ImprovementPlan:
    """The plan of an improvement of a run, and its expected cost.

    failing: the rows that the run failed on; shown_rows: indexes of those shown to the model.
    first_prompt: of the first call.
    asking_cost: of one call with a reply of the maximum length; measuring: the estimate for the proposal's run. Costs
    are None if a model has no price. spent_today, cap: of the person, in `cap_currency`; cap is None without a cap.
    """

    run: Run
    endpoint: Endpoint
    prompt: Version
    failing: tuple[FailingRow, ...]
    shown_rows: tuple[int, ...]
    guidance: str
    first_prompt: AskedPrompt
    asking_cost: Decimal | None
    measuring: RunEstimate
    spent_today: Decimal
    cap: Decimal | None
    cap_currency: str

    @property
    def most_asking_cost(self) -> Decimal | None:
        """The cost of the calls if two more are needed."""
        return None if self.asking_cost is None else self.asking_cost * MAX_CALLS

    @property
    def currency(self) -> str:
        """The currency of the calls."""
        return self.endpoint.price.currency if self.endpoint.price else ""


def find_improvable_run(actor: Actor, number: int) -> Run:
    """A finished run over a dataset, of a version that the actor may improve. Raises NotFound and NotAllowed as a save
    of its template does, Conflict if the run is unsuitable or its text can't be parsed, Gone if it was redacted.
    """
    run = run_queries.find_run(actor, Verb.EVALUATE, number)
    template_queries.find_template(actor, Verb.SAVE, run.template.name)
    run.version.require_text()
    if run.template.archived_at is not None:
        raise Conflict(gettext("{name} is archived: an admin can restore it.").format(name=run.template.name))
    if fault := _find_run_fault(run):
        raise Conflict(fault, state=run.state)
    _require_readable(run.version)
    return run


def _require_readable(version: Version) -> None:
    """Raise Conflict if the renderer now refuses the version's text, which it accepted when saved: a proposal could not
    be compared with it.
    """
    try:
        parse_document(version.document)
    except RenderError as error:
        sentence = gettext("{name}@{number} can't be read as a template: {message}").format(
            name=version.template.name, number=version.number, message=error.message
        )
        raise Conflict(end_sentence(sentence)) from error


def _find_run_fault(run: Run) -> str:
    """Why a run can't be improved on, or empty."""
    if run.is_draft:
        return gettext("Run {number} measures a proposal: improve on a run of a version.").format(number=run.number)
    if run.state != Run.DONE:
        return gettext("Run {number} is {state}: improve on a run that is done.").format(
            number=run.number, state=run.state
        )
    if run.dataset_version_id is None:
        return gettext("Run {number} went over samples, which expect nothing: run over a dataset.").format(
            number=run.number
        )
    return ""


def may_improve(actor: Actor, run: Run) -> bool:
    """Whether the run's page offers an improvement: for a finished run over a dataset, to actors who may save."""
    if _find_run_fault(run) or run.version.is_redacted or run.template.archived_at is not None:
        return False
    try:
        template_queries.find_template(actor, Verb.SAVE, run.template.name)
        run_queries.find_run(actor, Verb.EVALUATE, run.number)
    except PromptuaryError:
        return False
    return True


def plan_improvement(
    *, actor: Actor, run: int, model: str, prompt: str, rows: int = 5, guidance: str = ""
) -> ImprovementPlan:
    """Plan an improvement; no model is called and nothing is stored.

    run: the number of a finished run over a dataset. prompt: `namespace/name@ref` of the asking template. rows: the
    most failing rows to show. Raises Invalid with each field at fault, Conflict if no row failed or a model changed,
    TooMany and Conflict because of spending caps, and what `find_improvable_run` raises.
    """
    run_row = find_improvable_run(actor, run)
    if not 1 <= rows <= MAX_SHOWN:
        raise Invalid(fields={"rows": gettext("from 1 to {most}.").format(most=MAX_SHOWN)})
    guidance = _check_guidance(guidance)
    endpoint = connection_queries.find_endpoint(model, run_row.template.namespace.name)
    version = _find_asking_version(actor, prompt)
    failing = list_failing_rows(run_row)
    if not failing:
        raise Conflict(
            gettext("No row of run {number} failed or is below a threshold: there is nothing to learn from.").format(
                number=run_row.number
            )
        )
    measuring = find_measuring_endpoint(run_row)
    for paid_endpoint in (endpoint, measuring):
        spending.require_within_caps(run_row.template.namespace, actor.person, paid_endpoint)
    shown_rows = choose_shown_rows(run_row, failing, rows)
    asking = render_asking(version, make_inputs(run_row, shown_rows, guidance))
    cap = connection_queries.find_cap(run_row.template.namespace)
    return ImprovementPlan(
        run=run_row,
        endpoint=endpoint,
        prompt=version,
        failing=tuple(failing),
        shown_rows=tuple(row.index for row in shown_rows),
        guidance=guidance,
        first_prompt=asking,
        asking_cost=endpoint.price.compute_cost(asking.tokens, asking.longest_reply) if endpoint.price else None,
        measuring=_estimate_measuring(actor, run_row),
        spent_today=spending.sum_spent(
            run_row.template.namespace, actor.person, cap.currency, log.now().date()
        ).person_day,
        cap=cap.person_day,
        cap_currency=cap.currency,
    )


def _check_guidance(guidance: str) -> str:
    guidance = check_text("guidance", guidance, 4 * MAX_GUIDANCE_LENGTH).strip()
    if len(guidance) > MAX_GUIDANCE_LENGTH:
        raise Invalid(fields={"guidance": gettext("at most {most} characters.").format(most=MAX_GUIDANCE_LENGTH)})
    return guidance


def _find_asking_version(actor: Actor, prompt: str) -> Version:
    try:
        name, ref = names.split_address(prompt)
        version = version_queries.resolve_version(actor, name, ref)
    except (Invalid, NotFound) as error:
        raise Invalid(fields={"prompt": error.message}) from error
    require_asking_template(version)
    return version


def find_measuring_endpoint(run: Run) -> Endpoint:
    """The run's model, if it and the judge's model are unchanged since the run: otherwise the figures could not be
    compared.
    """
    endpoint = connection_queries.find_endpoint(run.model, run.template.namespace.name)
    digests = [(endpoint, run.model_digest)]
    if run.judge is not None:
        run.judge.require_text()
        judge_model = connection_queries.find_endpoint(run.judge_model, run.template.namespace.name)
        digests.append((judge_model, run.judge_model_digest))
    for model, digest in digests:
        if model.digest != digest:
            raise Conflict(
                gettext("The model {name} is not what it was when run {number} asked it: start another run.").format(
                    name=model.name, number=run.number
                )
            )
    return endpoint


def _estimate_measuring(actor: Actor, run: Run) -> RunEstimate:
    dataset = run.dataset_version
    return run_estimates.estimate_run(
        actor=actor,
        template=run.template.name,
        ref=str(run.version.number),
        dataset=dataset.dataset.name if dataset else None,
        dataset_version=dataset.number if dataset else None,
        model=run.model,
        judge=f"{run.judge.template.name}@{run.judge.number}" if run.judge else None,
        judge_model=run.judge_model or None,
        judge_paths=run.judge_paths,
    )


def list_asking_templates(actor: Actor, namespace: str) -> list[tuple[str, str]]:
    """The templates that can ask for an improvement, each as address and name, those of the namespace first.

    The address names the live version if there is one, else the latest.
    """
    templates = search_queries.search_templates(actor, tag=ASKING_TAG, limit=_MAX_TEMPLATES).items
    rows = sorted(templates, key=lambda row: (row.name.partition("/")[0] != namespace, row.name))
    numbers = label_queries.map_label_numbers(rows)
    return [
        (f"{row.name}@{numbers.get(row.pk, {}).get(choose_live_label(row.namespace)) or row.latest.number}", row.name)
        for row in rows
        if row.latest
    ]


def find_own_improvement(actor: Actor, number: int) -> Improvement:
    """The actor's improvement with its run. Raises NotFound for another person's."""
    unknown = NotFound(gettext("There is no improvement {number} of yours.").format(number=number))
    row = (
        _load_related(Improvement.objects.filter(pk=number, person=actor.person)).first()
        if 0 < number < 2**63
        else None
    )
    if row is None:
        raise unknown
    try:
        run_queries.find_run(actor, Verb.READ, row.run.number)
    except NotFound as error:
        raise unknown from error
    return row


def find_measured_improvement(actor: Actor, run: Run) -> Improvement | None:
    """The actor's improvement that a run measures, or None."""
    if not run.is_draft:
        return None
    return Improvement.objects.filter(measurement=run, person=actor.person).first()


def list_own_improvements(actor: Actor, run: int, cursor: str | None = None, limit: int = 20) -> Page[Improvement]:
    """The actor's improvements of a run, newest first."""
    run_row = run_queries.find_run(actor, Verb.READ, run)
    limit = check_limit(limit)
    rows = _load_related(Improvement.objects.filter(person=actor.person, run=run_row)).order_by("-pk")
    if before := read_number(cursor):
        rows = rows.filter(pk__lt=before)
    return cut_page(list(rows[: limit + 1]), limit, lambda row: row.number)


def _load_related(rows: "QuerySet[Improvement]") -> "QuerySet[Improvement]":
    return rows.select_related(
        "person",
        "run__template__namespace",
        "run__version__template__namespace",
        "run__dataset_version__dataset",
        "run__judge__template",
        "run__started_by",
        "prompt__template",
        "measurement",
    )
