"""Check results: running the checks of a change request and storing their results."""

from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from registry.accounts import actor as accounts_actor
from registry.accounts.actor import Actor
from registry.changes import check_runners, checks, counted_scores, locking
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes.check_runners import CheckResult
from registry.changes.checks import CheckInputs
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, Verdict
from registry.changes.review_events import VerdictGiven
from registry.core.errors import NotFound
from registry.evaluations import attachment_queries
from registry.jobs import queue
from registry.jobs.models import Job
from registry.journal import log
from registry.journal.event import compute_digest, format_canonical_json
from registry.namespaces.verbs import Verb
from registry.templates.models import Template

__all__ = ["request_checks", "request_stale_checks", "rerun_checks", "run_checks"]

_BY_OTHERS = ("contract", "dependants")  # checks that depend on other templates and callers
_AGAIN = timedelta(minutes=1)  # limits retries of a check that can't complete
_LIMIT = 200


def request_checks(template: Template, label: str | None = None) -> None:
    """Queue the checks of the template's pending requests (for this label), in the caller's transaction."""
    pending = ChangeRequest.objects.filter(template=template, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED))
    if label is not None:
        pending = pending.filter(label=label)
    for number in pending.order_by("number").values_list("number", flat=True):
        queue.enqueue(queue.CHECKS, subject=f"change {number}", payload={"change": number})


def rerun_checks(*, actor: Actor, number: int) -> Job:
    """Queue the checks that have no result for what the request proposes now. Raises Conflict once it is closed.

    A verdict belongs to digests and never changes, so existing verdicts are kept.
    """
    change = change_queries.find_change(actor, Verb.COMMENT, number)
    if not change.is_open:
        raise locking.build_closed_conflict(change)
    return queue.enqueue(queue.CHECKS, subject=f"change {number}", payload={"change": number})


def request_stale_checks() -> int:
    """Queue checks whose inputs changed without a write: new consumers, or new dependants. Called by the clock.

    Returns how many change requests were queued.
    """
    rows = ChangeRequest.objects.filter(state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED))
    rows = rows.select_related("template", "template__namespace", "version", "version__author", "opened_by", "release")
    rows = rows.defer("version__bundle").order_by("number")[:_LIMIT]
    lately = log.now() - _AGAIN
    requested = 0
    for gate in change_gate.evaluate_many(rows, None):
        if gate.approval_status.is_enough != (gate.change.state == ChangeRequest.APPROVED):
            _reassess_state(gate.change)
        stale = any(state.outcome is None and state.name in _BY_OTHERS for state in gate.checks)
        subject = f"change {gate.change.number}"
        jobs_there = Job.objects.filter(kind=queue.CHECKS, subject=subject)
        if stale and not jobs_there.filter(Q(state__in=(Job.QUEUED, Job.RUNNING)) | Q(created_at__gt=lately)).exists():
            queue.enqueue(queue.CHECKS, subject=subject, payload={"change": gate.change.number})
            requested += 1
    return requested


def _reassess_state(change: ChangeRequest) -> None:
    """Recompute the stored state, which is stale if an account was closed or the policy was different."""
    with transaction.atomic():
        locking.recompute_states(change.template.namespace)


def run_checks(*, number: int, report: Callable[[int, int], None] = lambda _done, _all: None) -> list[Verdict]:
    """Run every check of the request that has no verdict on what it proposes now; for the worker.

    `report` is called with the number of finished checks and the total. Everything runs before the storing transaction,
    and a verdict is bound to the digests it looked at, so a late one refers to an outdated state. An evaluation starts
    the runs it needs and gets its verdict when they are done: each finished run queues this again.
    """
    rows = ChangeRequest.objects.select_related(
        "template", "template__namespace", "version", "version__author", "opened_by"
    )
    row = rows.filter(number=number).first()
    if row is None:
        raise NotFound(gettext("There is no change {number}.").format(number=number))
    gate: Gate = change_gate.evaluate(row, None)
    if gate.inputs is None:
        return []
    contributors = gate.facts.contributors
    if counted_scores.record_scores(row, attachment_queries.list_plans_of_template(row.template), contributors):
        gate = change_gate.evaluate(row, None)
    inputs = gate.inputs
    if inputs is None:
        return []
    case = check_runners.read_case(row, contributors)
    results = []
    waiting = [state.name for state in gate.checks if state.outcome is None]
    for done, name in enumerate(waiting):
        report(done, len(waiting))
        finding = check_runners.RUNNERS[name](case)
        if finding is not None:
            results.append(_keep(row, name, inputs, finding))
    report(len(waiting), len(waiting))
    return results


def _keep(change: ChangeRequest, name: str, inputs: CheckInputs, finding: CheckResult) -> Verdict:
    key, details = checks.compute_check_key(name, inputs), format_canonical_json(finding.details)
    outcome = Verdict.PASSED if finding.passed else Verdict.FAILED
    template, version, at = change.template, change.version, log.now()
    with transaction.atomic():
        log.lock()
        same = Verdict.objects.filter(key=key).first()
        if same is not None:
            return same
        verdict = Verdict.objects.create(
            template=template,
            version=version,
            check_name=name,
            key=key,
            outcome=outcome,
            summary=finding.summary,
            details=details,
            created_at=at,
        )
        event = VerdictGiven(
            change=change.number,
            template=template.name,
            version=version.number,
            digest=version.digest,
            check=name,
            key=key,
            outcome=outcome,
            summary=finding.summary,
            details=compute_digest(details),
        )
        log.append(accounts_actor.build_operator_actor(), event, namespace=template.namespace, at=at, subject=verdict)
    return verdict
