"""Nightly runs: every night the evaluations measure the live versions with fresh model replies."""

import logging
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from django.db import IntegrityError, transaction

from registry.core.errors import PromptuaryError
from registry.evaluations import attachment_queries, start_runs
from registry.evaluations.attachment_queries import EvaluationPlan
from registry.evaluations.models import Run
from registry.journal.event import compute_digest, format_canonical_json
from registry.namespaces.models import Namespace
from registry.namespaces.queries import choose_live_label
from registry.templates.label_models import Label

__all__ = ["find_night", "start_nightly_runs"]

_BEGINS = timedelta(hours=2)  # after midnight UTC
logger = logging.getLogger(__name__)


def find_night(now: datetime) -> date:
    """The day (UTC) whose runs are due at `now`: a night begins at 02:00."""
    return (now - _BEGINS).date()


def start_nightly_runs(now: datetime) -> int:
    """Start this night's missing runs. Return how many. Concurrent workers start each run only once.

    Each nightly evaluation gets a run of the version that the live label serves. It is started as the operator, and the
    namespace's spending cap applies. It has its own key, so that no check of a change waits for it or uses it.
    """
    night = find_night(now)
    return sum(_start_run(label, plan, night) for label, plan in _list_due(night))


def _list_due(night: date) -> Iterator[tuple[Label, EvaluationPlan]]:
    for space in Namespace.objects.filter(attachments__nightly=True).distinct().order_by("pk"):
        started = set(Run.objects.filter(template__namespace=space, night=night).values_list("template", "evaluation"))
        rows = Label.objects.filter(
            template__namespace=space, template__archived_at=None, name=choose_live_label(space)
        )
        labels = list(rows.select_related("template__namespace", "version").order_by("template__name"))
        plans = attachment_queries.list_plans_of_templates([label.template for label in labels])
        for label in labels:
            for plan in plans[label.template_id]:
                if plan.nightly and plan.is_computed and (label.template_id, plan.name) not in started:
                    yield label, plan


def _start_run(label: Label, plan: EvaluationPlan, night: date) -> bool:
    """Start one run. Return whether it started; it is retried later if the plan has a fault, every row would fail, or
    the text was redacted.
    """
    if plan.fault:
        logger.warning("%s is not measured by %s: %s", label.template.name, plan.name, plan.fault)
        return False
    key = compute_digest(format_canonical_json([plan.run_key(label.version.digest), plan.name, str(night)]))
    columns = {"key": key, "evaluation": plan.name, "night": night}
    try:
        label.version.require_text()
        with transaction.atomic():
            start_runs.create_plan_run(label.template, label.version, plan, columns=columns, must_fit=True)
    except IntegrityError:  # another worker started it
        return False
    except PromptuaryError as error:
        logger.warning("%s is not measured by %s: %s", label.template.name, plan.name, error.message)
        return False
    return True
