"""The checks of a change request: their inputs, their results, and the blockers that result."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Subquery
from django.utils.translation import gettext

from registry.changes.blockers import Blocker
from registry.changes.facts import Exemption, GroupApproval
from registry.core.sentences import end_sentence
from registry.evaluations.models import Attachment
from registry.journal.event import compute_digest, format_canonical_json
from registry.namespaces.rules import CHECKS, Rules
from registry.templates.models import Inclusion, SampleSet, Template
from registry.usage.models import Fetch
from registry.usage.queries import DAYS, PINS

__all__ = [
    "VOID",
    "Approval",
    "Check",
    "CheckInputs",
    "DecisionRecord",
    "RelatedFacts",
    "check_blockers",
    "compute_check_key",
    "compute_digests",
    "find_related_facts",
    "is_void",
    "list_checks",
    "list_required_checks",
    "read_decision_record",
]

VOID = {
    "dependants": "No template of its namespace includes it.",
    "evaluation": "No evaluation is attached to this template.",
}

_LOOKS_AT = {
    "problems": ("version", "samples"),
    "samples": ("version", "samples"),
    "budget": ("version", "samples", "against"),
    "contract": ("version", "served", "fetched"),
    "dependants": ("version", "dependants"),
    "evaluation": ("version", "against", "evaluations"),
}


@dataclass(frozen=True)
class CheckInputs:
    """The digests that the checks of a request are bound to. Digest tuples are sorted."""

    template: str
    version: str  # the head
    samples: str | None  # the current samples
    against: str | None  # what the request's label serves
    served: tuple[str, ...] = ()  # what any label of the template serves
    fetched: tuple[str, ...] = ()  # versions that are still fetched by number or digest
    dependants: tuple[str, ...] = ()  # the templates that include this one as a fragment
    evaluations: tuple[Mapping[str, object], ...] = ()  # for each evaluation its rows, model and thresholds


@dataclass(frozen=True)
class Check:
    """One check of a request. `outcome` is passed, failed, or None without a result for these digests.

    `action` is what to do if no result arrives by itself; `at` is the time of the verdict, in microseconds since 1970
    UTC.
    """

    name: str
    key: str
    is_required: bool
    outcome: str | None
    summary: str
    findings: tuple[Mapping[str, object], ...] = ()
    is_acknowledged: bool = False
    action: str = ""
    at: int | None = None

    @property
    def is_blocking(self) -> bool:
        """Whether it keeps the request from being published."""
        return self.is_required and self.outcome != "passed" and not self.is_acknowledged


class RelatedFacts(NamedTuple):
    """Related data of a template: the digest of its samples, and whether there is more to look up."""

    template: int
    samples: str | None
    has_attachments: bool  # whether its namespace has any
    is_pinned: bool
    is_included: bool


def find_related_facts(template_ids: Collection[int]) -> list[RelatedFacts]:
    """Find the related data of each of these templates, in one query."""
    newest = SampleSet.objects.filter(template=OuterRef("pk")).order_by("-number").values("digest")[:1]
    since = datetime.now(UTC).date() - timedelta(days=DAYS)
    # Not `Exists`: PostgreSQL would read the fetches of all templates once instead of those of each template.
    pinned = Fetch.objects.filter(PINS, version__template=OuterRef("pk"), day__gt=since)
    rows = Template.objects.filter(pk__in=template_ids).values_list(
        "pk",
        Subquery(newest),
        Exists(Attachment.objects.filter(namespace=OuterRef("namespace"))),
        Subquery(pinned.values("pk")[:1]),
        Exists(Inclusion.objects.filter(fragment=OuterRef("name"))),
    )
    return [
        RelatedFacts(template, samples, has_attachments, pin is not None, is_included)
        for template, samples, has_attachments, pin, is_included in rows
    ]


def list_required_checks(rules: Rules) -> tuple[str, ...]:
    """The checks that must pass; backward compatibility makes the contract one of them."""
    required = {*rules.required_checks, *(["contract"] if rules.compatibility == "backward" else [])}
    return tuple(check for check in CHECKS if check in required)


def list_checks(inputs: CheckInputs, needed: Sequence[str]) -> tuple[str, ...]:
    """The checks that a request has, in order. A check without anything to look at is listed only if it is required."""
    return tuple(name for name in CHECKS if name in needed or not is_void(name, inputs))


def is_void(name: str, inputs: CheckInputs) -> bool:
    """Whether the check has nothing to look at, and so passes without a verdict."""
    return (name == "evaluation" and not inputs.evaluations) or (name == "dependants" and not inputs.dependants)


def compute_digests(name: str, inputs: CheckInputs) -> dict[str, Any]:
    """The digests that this check looks at, keyed by their source."""
    digests = {part: getattr(inputs, part) for part in _LOOKS_AT[name]}
    if not digests.get("fetched"):  # omitted when empty, so that older verdicts keep their keys
        digests.pop("fetched", None)
    return {part: list(value) if isinstance(value, tuple) else value for part, value in digests.items()}


def compute_check_key(name: str, inputs: CheckInputs) -> str:
    """One digest over the check's name and every digest that it looks at."""
    return compute_digest(
        format_canonical_json({"check": name, "template": inputs.template, **compute_digests(name, inputs)})
    )


def check_blockers(results: Sequence[Check], author: str) -> list[Blocker]:
    """The blockers from required checks, each with the next action."""
    blockers = []
    for check in results:
        if not check.is_blocking:
            continue
        code = f"check:{check.name}"
        if check.outcome is None:
            cause = gettext("The check {check} has not finished.").format(check=check.name)
            cause += f" {check.summary}" if check.action else ""
            blockers.append(Blocker(code, cause, check.action or gettext("Wait for it. It runs automatically.")))
            continue
        if check.name == "contract":
            action = gettext(
                "Save a version that fixes it, and update the change to that version. "
                "Or let a reviewer accept the break."
            )
        else:
            action = gettext("Save a version that fixes it, and update the change to that version.")
        cause = gettext("The check {check} failed: {summary}").format(
            check=check.name, summary=end_sentence(check.summary)
        )
        blockers.append(Blocker(code, cause, action, (author,)))
    return blockers


@dataclass(frozen=True)
class Approval:
    """One approval that counted, and its time (microseconds since 1970 UTC)."""

    person: str
    at: int


@dataclass(frozen=True)
class DecisionRecord:
    """What a closed request was decided on: its checks and approvals at that time.

    In the closing event, and in the column `decided` of the request, it is this JSON object:

        {"approvals": [{"person", "at"}], "needed": 1, "checks": [{"name", "key", "outcome", "summary", "required",
         "acknowledged", "at"}], "exemptions": [{"person", "rule", "why"}], "groups": [{"name", "title", "people"}]}

    The last two are omitted if empty.

    Times are microseconds since 1970 UTC; `outcome` and `at` are null for a check without a result.
    """

    approvals: tuple[Approval, ...]
    needed: int
    checks: tuple[Check, ...]
    exemptions: tuple[Exemption, ...] = ()
    groups: tuple[GroupApproval, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object without the findings of checks: those are stored with the verdict that has the key."""
        decided: dict[str, Any] = {
            "approvals": [{"person": one.person, "at": one.at} for one in self.approvals],
            "needed": self.needed,
            "checks": [_write(state) for state in self.checks],
        }
        if self.exemptions:
            decided["exemptions"] = [{"person": it.person, "rule": it.rule, "why": it.why} for it in self.exemptions]
        if self.groups:
            decided["groups"] = [{"name": it.name, "title": it.title, "people": list(it.people)} for it in self.groups]
        return decided


def read_decision_record(
    stored: Mapping[str, Any], findings: Mapping[str, Sequence[Mapping[str, object]]]
) -> DecisionRecord:
    """Parse the JSON object. findings: those of the verdicts with these keys."""
    return DecisionRecord(
        tuple(Approval(one["person"], one["at"]) for one in stored["approvals"]),
        stored["needed"],
        tuple(_build_check(check, findings.get(check["key"], ())) for check in stored["checks"]),
        tuple(Exemption(one["person"], one["rule"], one["why"]) for one in stored.get("exemptions", ())),
        tuple(GroupApproval(one["name"], one["title"], tuple(one["people"])) for one in stored.get("groups", ())),
    )


def _write(state: Check) -> dict[str, Any]:
    return {
        "name": state.name,
        "key": state.key,
        "outcome": state.outcome,
        "summary": state.summary if state.outcome else "",
        "required": state.is_required,
        "acknowledged": state.is_acknowledged,
        "at": state.at,
    }


def _build_check(check: Mapping[str, Any], findings: Sequence[Mapping[str, object]]) -> Check:
    return Check(
        name=check["name"],
        key=check["key"],
        is_required=check["required"],
        outcome=check["outcome"],
        summary=check["summary"] or gettext("It was not finished when the change was closed."),
        findings=tuple(findings) if check["at"] is not None else (),  # else the verdict is newer
        is_acknowledged=check["acknowledged"],
        at=check["at"],
    )
