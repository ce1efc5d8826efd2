"""Verdicts: running the checks of a change request and keeping what they found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from registry import access, journal
from registry.access import Actor, Verb
from registry.errors import Conflict, NotFound
from registry.journal import Kind
from registry.models import ChangeRequest, Job, Label, Template, Verdict, Version
from registry.queries import changes, verdicts
from registry.queries import samples as sample_sets
from registry.rendering import child
from registry.review import checks
from registry.review.checks import Looked
from registry.services import jobs, renderings, thresholds
from registry.services.renderings import Outcome
from renderer.problems import Problem, blocking

__all__ = ["ask", "give", "rerun"]

Samples = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class _Case:
    """What the checks of one request look at, read once."""

    change: ChangeRequest
    version: Version
    against: Version | None
    served: Mapping[str, Version]
    samples: Samples


@dataclass(frozen=True)
class _Finding:
    """Whether a check passed, in one sentence, and what it found item by item."""

    passed: bool
    summary: str
    details: list[dict[str, Any]] = field(default_factory=list)


def ask(template: Template, label: str | None = None) -> None:
    """Have the checks of the template's pending requests (for this label) run, in the caller's transaction."""
    pending = ChangeRequest.objects.filter(template=template, state__in=(ChangeRequest.OPEN, ChangeRequest.APPROVED))
    if label is not None:
        pending = pending.filter(label=label)
    for number in pending.order_by("number").values_list("number", flat=True):
        jobs.enqueue(jobs.CHECKS, subject=f"change {number}", payload={"change": number})


def rerun(*, actor: Actor, number: int) -> Job:
    """Have the checks run again that have no verdict on what the request stands on now; Conflict once it is closed.

    A verdict belongs to digests and never changes, so those that were given are not given twice.
    """
    change = changes.find(actor, Verb.COMMENT, number)
    if not change.takes_decisions:
        raise Conflict(f"Change request {number} is {change.state}.", state=change.state)
    return jobs.enqueue(jobs.CHECKS, subject=f"change {number}", payload={"change": number})


def give(*, number: int, report: Callable[[int, int], None] = lambda _done, _all: None) -> list[Verdict]:
    """Run every check of the request that has no verdict on what it stands on now; for the worker.

    `report` is told how many of how many checks are done. Everything runs before the transaction that keeps it, and a
    verdict is bound to the digests that were looked at, so one that comes late is merely about something past.
    An evaluation starts the runs it needs and is given when they are done: each of them has this asked for again.
    Event body: {"change", "template", "version", "digest", "check", "key", "outcome", "summary", "details": sha256 of their text}.
    """
    change = ChangeRequest.objects.select_related("template", "template__namespace", "version").filter(number=number)
    found = change.first()
    if found is None:
        raise NotFound(f"There is no change request {number}.")
    looked, case = verdicts.looked_at(found), _read(found)
    given = []
    waiting = [state.name for state in verdicts.states(found) if state.outcome is None]
    for done, name in enumerate(waiting):
        report(done, len(waiting))
        finding = _RUN[name](case)
        if finding is not None:
            given.append(_keep(found, name, looked, finding))
    report(len(waiting), len(waiting))
    return given


def _read(change: ChangeRequest) -> _Case:
    labels = Label.objects.select_related("version").filter(template=change.template).order_by("name")
    served = {label.name: label.version for label in labels if not label.version.is_redacted}
    samples = sample_sets.current(change.template)
    return _Case(change, change.version, served.get(change.label), served, samples.samples if samples else {})


def _keep(change: ChangeRequest, name: str, looked: Looked, finding: _Finding) -> Verdict:
    key, details = checks.key_of(name, looked), journal.canonical(finding.details)
    outcome = Verdict.PASSED if finding.passed else Verdict.FAILED
    template, version, at = change.template, change.version, journal.now()
    with transaction.atomic():
        journal.lock()
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
        body = {
            "change": change.number,
            "template": template.name,
            "version": version.number,
            "digest": version.digest,
            "check": name,
            "key": key,
            "outcome": outcome,
            "summary": finding.summary,
            "details": journal.digest_of(details),
        }
        journal.append(
            Kind.VERDICT_GIVEN,
            access.operator(),
            template.namespace,
            body,
            at=at,
            template=template.name,
            version=version.number,
            change=change.number,
        )
    return verdict


def _problems(case: _Case) -> _Finding:
    """No error in the document, its fragments and its current samples; warnings are told."""
    bundle = case.version.unpacked()
    with child() as bounded:
        found = bounded.validate(
            bundle["document"], fragments=bundle["fragments"], profile=bundle["profile"], samples=dict(case.samples)
        )
    errors = blocking(found)
    details = [problem.to_dict() for problem in found]
    if errors:
        return _Finding(False, f"{_count(len(errors), 'error')}; line {errors[0].line}: {errors[0].message}", details)
    return _Finding(True, f"No errors, {_count(len(found), 'warning or note', 'warnings and notes')}.", details)


def _samples(case: _Case) -> _Finding:
    """Every sample renders."""
    outcomes = renderings.of_samples(case.version, case.samples)
    details = [
        {"sample": name, "problem": outcome.problem.to_dict() if outcome.problem else None}
        for name, outcome in outcomes.items()
    ]
    failing = {name: outcome.problem for name, outcome in outcomes.items() if outcome.problem}
    if failing:
        return _Finding(False, f"{len(failing)} of {_count(len(outcomes), 'sample')} fail; {_first(failing)}", details)
    return _Finding(True, "All samples render." if outcomes else "There are no samples to render.", details)


def _budget(case: _Case) -> _Finding:
    """Every sample fits its limit, and nothing is cut that the served version did not cut."""
    now = renderings.of_samples(case.version, case.samples)
    before = renderings.of_samples(case.against, case.samples) if case.against else {}
    details = [_spent(name, outcome, before.get(name)) for name, outcome in now.items()]
    worse = [item for item in details if item["newly_cut"] or item["problem"]]
    if not worse:
        most = max((item["tokens"] or 0 for item in details), default=0)
        sentence = (
            f"Every sample fits; the longest takes {most} tokens." if details else "There are no samples to count."
        )
        return _Finding(True, sentence, details)
    first = worse[0]
    cause = first["problem"] or f"cuts {', '.join(first['newly_cut'])}"
    return _Finding(False, f"{_count(len(worse), 'sample')} too long; {first['sample']}: {cause}", details)


def _contract(case: _Case) -> _Finding:
    """Nothing breaks for callers of what any label serves."""
    if not case.served:
        return _Finding(True, "No label serves anything yet, so no caller can break.")
    digests = {version.digest: version for version in case.served.values()}
    details = []
    with child() as bounded:
        for digest, version in digests.items():
            labels = [label for label, one in case.served.items() if one.digest == digest]
            found = bounded.compare(version.unpacked(), case.version.unpacked())
            details += [{**change, "against": version.number, "labels": labels} for change in found]
    breaks = [change for change in details if change["breaking"]]
    if breaks:
        first = breaks[0]
        whom = f"callers of {' and '.join(first['labels'])}"
        return _Finding(False, f"{_count(len(breaks), 'break')}; {whom}: {first['message']}", details)
    return _Finding(True, f"Callers of {', '.join(case.served)} are served as before.", details)


def _evaluation(case: _Case) -> _Finding | None:
    """Every threshold of every attached evaluation is reached; None while their runs are under way."""
    judged = thresholds.judge(case.change, case.against)
    return _Finding(judged.passed, judged.summary, judged.details) if judged else None


def _spent(name: str, outcome: Outcome, before: Outcome | None) -> dict[str, Any]:
    cut_before = {cut["name"] for cut in before.prompt["cut"]} if before and before.prompt else set()
    prompt = outcome.prompt
    cut = [item["name"] for item in prompt["cut"]] if prompt else []
    return {
        "sample": name,
        "tokens": prompt["token_count"] if prompt else None,
        "tokens_before": before.prompt["token_count"] if before and before.prompt else None,
        "cut": cut,
        "newly_cut": [part for part in dict.fromkeys(cut) if before and part not in cut_before],
        "problem": outcome.problem.message if outcome.problem else None,
    }


def _first(failing: Mapping[str, Problem]) -> str:
    name = next(iter(failing))
    return f"{name}: {failing[name].message}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


_RUN: dict[str, Callable[[_Case], _Finding | None]] = {
    "problems": _problems,
    "samples": _samples,
    "budget": _budget,
    "contract": _contract,
    "evaluation": _evaluation,
}
