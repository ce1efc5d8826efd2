"""Suggested runs: how to evaluate a version that was never run, and what that would cost."""

from dataclasses import dataclass

from registry.accounts.actor import Actor
from registry.changes.label_preview import LabelPreview
from registry.core.errors import PromptuaryError
from registry.evaluations import attachment_queries
from registry.evaluations.models import Run
from registry.evaluations.run_estimates import RunEstimate, estimate_run

__all__ = ["SuggestedRun", "find_suggested_run"]


@dataclass(frozen=True)
class SuggestedRun:
    """A dataset (its latest rows) and a model to evaluate a version with, and the cost."""

    dataset: str
    model: str
    estimate: RunEstimate


def find_suggested_run(actor: Actor, preview: LabelPreview) -> SuggestedRun | None:
    """What evaluates changes of the template, else what its newest run used; nothing is started or stored.

    None if the version was run, if there is neither, if the actor may not run it, or if no row fits.
    """
    if preview.evaluation is not None:
        return None
    choice = _find_dataset_and_model(preview)
    if choice is None:
        return None
    dataset, model = choice
    name, ref = preview.template.name, str(preview.version.number)
    try:
        estimate = estimate_run(actor=actor, template=name, ref=ref, dataset=dataset, model=model)
    except PromptuaryError:
        return None
    return SuggestedRun(dataset, model, estimate)


def _find_dataset_and_model(preview: LabelPreview) -> tuple[str, str] | None:
    """The dataset and model of the first evaluation attached to the template, else of its newest run."""
    plans = attachment_queries.list_plans_of_template(preview.template)
    for plan in plans:
        if not plan.fault and plan.is_computed:
            return plan.dataset, plan.model
    runs = Run.objects.filter(template=preview.template, state=Run.DONE, dataset_version__isnull=False)
    newest = runs.select_related("dataset_version__dataset").order_by("-pk").first()
    if newest is None or newest.dataset_version is None:
        return None
    return newest.dataset_version.dataset.name, newest.model
