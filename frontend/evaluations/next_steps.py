"""Links from a finished run to the next steps: proposing the version it measured, and setting thresholds."""

from urllib.parse import urlencode

from django.urls import reverse

from registry.accounts.actor import Actor
from registry.evaluations.models import Run
from registry.namespaces import permissions
from registry.namespaces.queries import choose_live_label
from registry.namespaces.verbs import Verb

__all__ = ["find_propose_url", "find_thresholds_url"]


def find_propose_url(actor: Actor, run: Run, live: int | None) -> str:
    """The panel that proposes the run's version for the live label. live: the number of the live version.

    Empty if a change already has the version, it isn't newer than the live one, the label isn't protected, or the user
    may not propose.
    """
    template, label = run.template, choose_live_label(run.template.namespace)
    if run.state != Run.DONE or run.change or run.version.number <= (live or 0):
        return ""
    if label not in template.namespace.protected_labels:
        return ""
    if not permissions.is_allowed(actor, Verb.PROPOSE, template.namespace, template.path):
        return ""
    query = urlencode({"label": label, "version": run.version.number})
    return f"{reverse('propose', args=[template.name])}?{query}"


def find_thresholds_url(actor: Actor, run: Run) -> str:
    """The form that sets thresholds for changes of the template, with the run's dataset and model.

    Empty if the run isn't done, was over the template's samples, or the user may not set thresholds.
    """
    space = run.template.namespace
    if run.state != Run.DONE or not run.dataset_version or not permissions.is_allowed(actor, Verb.MANAGE, space):
        return ""
    query = {"pattern": run.template.path, "dataset": run.dataset_version.dataset.name, "model": run.model}
    return f"{reverse('evaluations', args=[space.name])}?{urlencode(query)}#evaluation-head"
