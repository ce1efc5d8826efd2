"""Serializers of a change's gate: blockers, turn, checks, and whose approval counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from registry.changes import checks
from registry.changes.checks import Check
from registry.changes.gate import Gate
from registry.rest.output_serializers import Answer, MicrosecondMoment, Moment, Output

__all__ = [
    "ApprovalOutput",
    "BlockerOutput",
    "CheckFacts",
    "ContributorOutput",
    "ExemptionOutput",
    "GroupApprovalOutput",
    "StateOutput",
    "TurnOutput",
]


class BlockerOutput(Output):
    """One reason why a change can't be published yet."""

    code = serializers.CharField()
    cause = serializers.CharField()
    action = serializers.CharField()
    next_slot = Moment(allow_null=True, help_text="Of a freeze: when nothing freezes the namespace.")


class TurnOutput(Output):
    """Whose turn it is."""

    people = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField()
    since = Moment()


class DigestsOutput(Output):
    """What a check result is bound to."""

    version = serializers.CharField(required=False, help_text="Absent, as the rest is, once the request is closed.")
    samples = serializers.CharField(allow_null=True, required=False)
    against = serializers.CharField(allow_null=True, required=False)
    served = serializers.ListField(child=serializers.CharField(), required=False)
    fetched = serializers.ListField(child=serializers.CharField(), required=False)
    dependants = serializers.ListField(child=serializers.CharField(), required=False)
    evaluations = serializers.ListField(child=serializers.DictField(), required=False)

    def to_representation(self, instance: Mapping[str, Any]) -> Answer:
        """The digests that the check looks at, and no others."""
        return dict(instance)


@dataclass(frozen=True)
class CheckFacts:
    """A check as a change's gate has it."""

    check: Check
    gate: Gate

    @property
    def state(self) -> str:
        """Its result, or why there is none yet."""
        return self.check.outcome or ("unfinished" if self.gate.inputs is None else "waiting")

    @property
    def is_blocking(self) -> bool:
        """Whether it keeps an open request from being published."""
        return self.check.is_blocking and self.gate.inputs is not None

    @property
    def digests(self) -> Mapping[str, Any]:
        """What the result is bound to; nothing for a closed request."""
        return checks.compute_digests(self.check.name, self.gate.inputs) if self.gate.inputs else {}


class StateOutput(Output):
    """A check of a change."""

    name = serializers.CharField(source="check.name")
    state = serializers.ChoiceField(["passed", "failed", "waiting", "unfinished"])
    # The metaclass takes declared fields out of the class.
    required = serializers.BooleanField(source="check.is_required")  # type: ignore[assignment]
    blocking = serializers.BooleanField(source="is_blocking")
    acknowledged = serializers.BooleanField(source="check.is_acknowledged")
    summary = serializers.CharField(source="check.summary")
    at = MicrosecondMoment(allow_null=True, source="check.at")
    findings = serializers.ListField(child=serializers.DictField(), source="check.findings")
    digests = DigestsOutput()


class ApprovalOutput(Output):
    """An approval that counts."""

    person = serializers.CharField()
    at = MicrosecondMoment()


class ContributorOutput(Output):
    """A person whose approval does not count, and why."""

    person = serializers.CharField()
    why = serializers.CharField()


class ExemptionOutput(ContributorOutput):
    """A contributor whose approval counts by a rule."""

    rule = serializers.ChoiceField(["suggesters_may_approve", "self_approval"])


class GroupApprovalOutput(Output):
    """A group that an approval is needed from."""

    name = serializers.CharField()
    title = serializers.CharField()
    people = serializers.ListField(
        child=serializers.CharField(), help_text="Those in it whose approval counts; empty while none does."
    )
