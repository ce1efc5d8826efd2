"""What all pages of a dataset share: its head, its versions, and the link to start a run over it."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from frontend.web.page import build_breadcrumbs
from registry.accounts.actor import Actor
from registry.evaluations import run_queries
from registry.evaluations.attachment_queries import list_measured_templates
from registry.evaluations.dataset_models import Dataset
from registry.namespaces import path_permissions, permissions
from registry.namespaces.verbs import Verb

__all__ = ["build_dataset_frame", "find_run_template", "list_version_numbers", "write_new_run_address"]

_SHOWN_VERSIONS = 200


def build_dataset_frame(actor: Actor, dataset: Dataset) -> dict[str, Any]:
    """The context of every page of the dataset, with what the user may do."""
    path = dataset.name.partition("/")[2]
    return {
        "section": "evaluations",
        "dataset": dataset,
        "crumbs": build_breadcrumbs(dataset.name),
        "may_write": permissions.is_allowed(actor, Verb.SAVE, dataset.namespace, path) and dataset.archived_at is None,
        "may_archive": permissions.is_allowed(actor, Verb.MANAGE, dataset.namespace),
        "may_run": path_permissions.is_allowed_somewhere(actor, Verb.EVALUATE, dataset.namespace),
        "runs_url": f"{reverse('runs')}?{urlencode({'dataset': dataset.name})}",
    }


def list_version_numbers(dataset: Dataset) -> list[int]:
    """The version numbers that a page offers, latest first."""
    latest = dataset.latest.number if dataset.latest else 1
    return list(range(latest, max(0, latest - _SHOWN_VERSIONS), -1))


def find_run_template(actor: Actor, dataset: Dataset) -> str:
    """The most likely template for a run over the dataset: that of its newest run, else one that it measures."""
    runs = run_queries.list_runs(actor, dataset=dataset.name, limit=1).items
    measured = [] if runs else list_measured_templates(dataset.namespace, dataset.name)
    return runs[0].template.name if runs else measured[0].name if measured else ""


def write_new_run_address(dataset: str, template: str) -> str:
    """The form that starts a run over the dataset, for this template; if empty, the form asks for one."""
    query = {"template": template, "dataset": dataset} if template else {"dataset": dataset}
    return f"{reverse('new-run')}?{urlencode(query)}"
