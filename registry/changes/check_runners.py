"""The functions that run each check on one case and return its result. Nothing is stored here."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from promptuary.renderer.problems import Problem, select_errors
from registry.changes import evaluation_check
from registry.changes.models import ChangeRequest
from registry.core.renderer_pool import borrow_renderer
from registry.templates import inclusions, sample_renderings
from registry.templates.fragments import replace_references
from registry.templates.label_models import Label
from registry.templates.models import Version
from registry.templates.sample_renderings import SampleOutcome
from registry.usage import queries as usage_queries

# no texts here: findings are stored with the check, in English
__all__ = ["RUNNERS", "CheckCase", "CheckResult", "read_case"]

Samples = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class CheckCase:
    """The data that the checks of one request look at, read once."""

    change: ChangeRequest
    version: Version
    against: Version | None
    served: Mapping[str, Version]
    samples: Samples
    contributors: Collection[str] = ()


@dataclass(frozen=True)
class CheckResult:
    """Whether a check passed, a one-sentence summary, and the findings."""

    passed: bool
    summary: str
    details: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class _Party:
    """A consumer that the contract covers: a version, the labels that serve it, and the services that get it."""

    version: Version
    labels: list[str] = field(default_factory=list)
    callers: list[str] = field(default_factory=list)

    @property
    def whose(self) -> str:
        return " and ".join(self.labels) if self.labels else f"version {self.version.number}"

    @property
    def words(self) -> str:
        """`callers of production (checkout and mailer)`, `checkout, which stays on version 3`"""
        callers = " and ".join([", ".join(self.callers[:2]), *self.callers[2:3]]) if self.callers else ""
        more = f" and {len(self.callers) - 3} more" if len(self.callers) > 3 else ""
        if self.labels:
            return f"callers of {self.whose}{f' ({callers}{more})' if callers else ''}"
        return f"{callers}{more}, still on version {self.version.number}"

    def name(self, services: Sequence[str]) -> None:
        """Add services that are not among the callers yet."""
        self.callers += [service for service in services if service not in self.callers]


def read_case(change: ChangeRequest, contributors: Collection[str] = ()) -> CheckCase:
    """Read the data for the checks of a request. contributors: the people whose scores of replies don't count."""
    labels = Label.objects.select_related("version").filter(template=change.template).order_by("name")
    served = {label.name: label.version for label in labels if not label.version.is_redacted}
    samples = change.template.current_samples()
    texts = samples.samples if samples else {}
    return CheckCase(change, change.version, served.get(change.label), served, texts, contributors)


def _check_problems(case: CheckCase) -> CheckResult:
    """Check that the document, its fragments and its current samples have no errors; warnings are reported."""
    bundle = case.version.unpacked()
    with borrow_renderer() as bounded:
        problems = bounded.validate(
            bundle["document"], fragments=bundle["fragments"], profile=bundle["profile"], samples=dict(case.samples)
        )
    errors = select_errors(problems)
    details = [problem.to_dict() for problem in problems]
    if errors:
        return CheckResult(
            False, f"{_count(len(errors), 'error')}; line {errors[0].line}: {errors[0].message}", details
        )
    return CheckResult(True, f"No errors, {_count(len(problems), 'warning or note', 'warnings and notes')}.", details)


def _check_samples(case: CheckCase) -> CheckResult:
    """Check that every sample renders."""
    outcomes = sample_renderings.render_samples(case.version, case.samples)
    details = [
        {"sample": name, "problem": outcome.problem.to_dict() if outcome.problem else None}
        for name, outcome in outcomes.items()
    ]
    failing = {name: outcome.problem for name, outcome in outcomes.items() if outcome.problem}
    if failing:
        count, first = _count(len(outcomes), "sample"), _describe_first_problem(failing)
        if len(failing) == 1:
            return CheckResult(False, f"1 of {count} fails; {first}", details)
        return CheckResult(False, f"{len(failing)} of {count} fail; {first}", details)
    return CheckResult(True, "All samples render." if outcomes else "There are no samples to render.", details)


def _check_budget(case: CheckCase) -> CheckResult:
    """Check that every sample fits its limit, and that nothing is cut that the served version did not cut."""
    now = sample_renderings.render_samples(case.version, case.samples)
    before = sample_renderings.render_samples(case.against, case.samples) if case.against else {}
    details = [_describe_tokens(name, outcome, before.get(name)) for name, outcome in now.items()]
    worse = [item for item in details if item["newly_cut"] or item["problem"]]
    if not worse:
        return CheckResult(True, _describe_worst_case(details), details)
    first = worse[0]
    cause = first["problem"] or f"cuts {', '.join(first['newly_cut'])}"
    return CheckResult(False, f"{_count(len(worse), 'sample')} too long; {first['sample']}: {cause}", details)


def _describe_worst_case(details: Sequence[Mapping[str, Any]]) -> str:
    counted = [item for item in details if item["tokens"] is not None]
    if not counted and details:
        return "Every sample fits; their tokens are not counted, as this server lacks the vocabulary."
    if not counted:
        return "There are no samples to count."
    worst = max(counted, key=lambda item: int(item["tokens"]))
    of = f" of {worst['limit']:,}" if worst["limit"] else ""
    return f"Every sample fits; worst case {worst['sample']}: {worst['tokens']:,}{of} tokens."


def _check_contract(case: CheckCase) -> CheckResult:
    """Check that nothing breaks for callers of what any label serves, or for services that fetch a version by number or
    digest.
    """
    parties = _list_parties(case)
    if not parties:
        return CheckResult(True, "No label serves anything yet, so no caller can break.")
    details = []
    with borrow_renderer() as bounded:
        for party in parties:
            comparison = bounded.compare(party.version.unpacked(), case.version.unpacked())
            facts = {"against": party.version.number, "labels": party.labels, "callers": party.callers}
            details += [{**change, **facts} for change in comparison]
    breaks = [change for change in details if change["breaking"]]
    if breaks:
        whom = next(party.words for party in parties if party.version.number == breaks[0]["against"])
        return CheckResult(False, f"{_count(len(breaks), 'break')}; {whom}: {breaks[0]['message']}", details)
    return CheckResult(True, f"Callers of {', '.join(party.whose for party in parties)} are served as before.", details)


def _list_parties(case: CheckCase) -> list[_Party]:
    """The consumers that the contract covers, once per text: served by labels first, then pinned."""
    template = case.change.template
    callers = usage_queries.find_callers(template)
    parties: dict[str, _Party] = {}
    for label, version in case.served.items():
        party = parties.setdefault(version.digest, _Party(version))
        party.labels.append(label)
        party.name(callers.of_label.get(label, []))
    digests = [digest for digest in callers.of_digest if digest != case.version.digest]
    pins = template.versions.filter(digest__in=digests).order_by("number")
    for version in pins:
        if not version.is_redacted:
            parties.setdefault(version.digest, _Party(version)).name(callers.of_digest[version.digest])
    return list(parties.values())


def _check_dependants(case: CheckCase) -> CheckResult:
    """Check that each template of the namespace that includes this fragment stays as valid as required with the new
    version.
    """
    target = f"{case.change.template.name}@{case.version.number}"
    brought = case.version.unpacked()
    details: list[dict[str, Any]] = []
    with borrow_renderer() as bounded:
        for template, refs in inclusions.list_including_templates(case.change.template):
            if template.latest is None or template.latest.is_redacted:
                continue
            bundle, sample_set = template.latest.unpacked(), template.current_samples()
            problems = bounded.validate(
                replace_references(bundle["document"], refs, target),
                fragments={**bundle["fragments"], **brought["fragments"], target: brought["document"]},
                profile=bundle["profile"],
                samples=dict(sample_set.samples) if sample_set else {},
            )
            # A sample that lacks a value can't be rendered by the new version.
            errors = [
                *select_errors(problems),
                *(problem for problem in problems if problem.sample and problem.code == "PT401"),
            ]
            facts = {"template": template.name, "version": template.latest.number, "refs": refs}
            details.append({**facts, "problem": errors[0].to_dict() if errors else None})
    failing = [item for item in details if item["problem"]]
    if failing:
        first = failing[0]
        cause = f"{first['template']}: {first['problem']['message']}"
        return CheckResult(
            False, f"{len(failing)} of {_count(len(details), 'template')} would not be sound with it; {cause}", details
        )
    stays = (
        "The template that includes it stays"
        if len(details) == 1
        else f"All {len(details)} templates that include it stay"
    )
    return CheckResult(True, f"{stays} sound with it.", details)


def _check_evaluation(case: CheckCase) -> CheckResult | None:
    """Check that every attached evaluation reaches its thresholds; None while their runs are in progress."""
    judged = evaluation_check.check_evaluations(case.change, case.against, case.contributors)
    return CheckResult(judged.passed, judged.summary, judged.details) if judged else None


def _describe_tokens(name: str, outcome: SampleOutcome, before: SampleOutcome | None) -> dict[str, Any]:
    cut_before = {cut["name"] for cut in before.prompt["cut"]} if before and before.prompt else set()
    prompt = outcome.prompt
    cut = [item["name"] for item in prompt["cut"]] if prompt else []
    return {
        "sample": name,
        "tokens": prompt["token_count"] if prompt else None,
        "limit": prompt["token_limit"] - (prompt["reserve"] or 0) if prompt and prompt["token_limit"] else None,
        "tokens_before": before.prompt["token_count"] if before and before.prompt else None,
        "cut": cut,
        "newly_cut": [part for part in dict.fromkeys(cut) if before and part not in cut_before],
        "problem": outcome.problem.message if outcome.problem else None,
    }


def _describe_first_problem(failing: Mapping[str, Problem]) -> str:
    name = next(iter(failing))
    return f"{name}: {failing[name].message}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


RUNNERS: dict[str, Callable[[CheckCase], CheckResult | None]] = {
    "problems": _check_problems,
    "samples": _check_samples,
    "budget": _check_budget,
    "contract": _check_contract,
    "dependants": _check_dependants,
    "evaluation": _check_evaluation,
}
