"""Serializers of change requests for the API and its schema."""

from collections.abc import Sequence
from dataclasses import dataclass

from rest_framework import serializers

from registry.accounts.actor import Actor
from registry.changes import emergencies, review_requests, ungated_losses
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes.emergencies import Emergency
from registry.changes.gate import Gate
from registry.changes.gate_serializers import (
    ApprovalOutput,
    BlockerOutput,
    CheckFacts,
    ContributorOutput,
    ExemptionOutput,
    GroupApprovalOutput,
    StateOutput,
    TurnOutput,
)
from registry.changes.metric_serializers import UngatedLossesOutput
from registry.changes.models import ChangeRequest, Decision
from registry.changes.review_requests import ReviewRequest
from registry.changes.rollout_plan_serializers import RolloutPlanOutput
from registry.changes.thread_queries import CommentText, CommentTexts
from registry.changes.thread_serializers import EarlierTextOutput
from registry.changes.ungated_losses import UngatedLosses
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.rest.output_serializers import Answer, Moment, Output
from registry.templates.label_moves import find_approval_of_label

__all__ = [
    "ChangeFacts",
    "ChangeItem",
    "ChangeOutput",
    "ChangePage",
    "ChangeRow",
]


@dataclass(frozen=True)
class ChangeRow:
    """A change request in a list, with the emergency it was published in, if it was."""

    row: ChangeRequest
    emergency: Emergency | None

    @property
    def is_emergency(self) -> bool:
        """Whether it was published in an emergency."""
        return self.emergency is not None


class ChangeItem(Output):
    """A change request in a list."""

    number = serializers.IntegerField(source="row.number")
    template = serializers.CharField(source="row.template.name")
    # The metaclass takes declared fields out of the class.
    label = serializers.CharField(source="row.label")  # type: ignore[assignment]
    version = serializers.IntegerField(source="row.version.number")
    digest = serializers.CharField(source="row.version.digest")
    state = serializers.ChoiceField(["open", "approved", "published", "withdrawn"], source="row.state")
    release = serializers.IntegerField(
        allow_null=True, source="row.release_id", help_text="The number of the release that it belongs to."
    )
    message = serializers.CharField(source="row.message")
    author = serializers.CharField(source="row.opened_by.username")
    emergency = serializers.BooleanField(
        source="is_emergency", help_text="Published in an emergency, approved afterwards or not."
    )
    unreviewed = serializers.BooleanField(
        source="row.unreviewed", help_text="Published in an emergency and never approved."
    )
    created_at = Moment(source="row.created_at")
    updated_at = Moment(source="row.updated_at")


class EmergencyOutput(Output):
    """How a change was published before it was approved."""

    person = serializers.CharField(source="move.person.username")
    reason = serializers.CharField(source="move.reason")
    at = Moment(source="move.created_at")
    served = serializers.BooleanField(
        source="is_served", help_text="Whether the label still serves what was published."
    )
    rolled_back_before = serializers.BooleanField(
        source="was_left",
        help_text="Whether the label had been rolled back from this content before, so that an earlier approval of it "
        "doesn't count.",
    )
    roll_back_to = serializers.IntegerField(allow_null=True, source="roll_back_target")
    approved_by = serializers.ListField(child=serializers.CharField(), source="approvers")
    approved_at = Moment(allow_null=True)
    closed_at = Moment(
        allow_null=True,
        source="change.emergency_closed_at",
        help_text="When it was closed without an approval, after the label had moved on.",
    )


class ChangePage(Output):
    """A page of change requests."""

    results = ChangeItem(many=True)
    next = serializers.CharField(allow_null=True)


@dataclass(frozen=True)
class ReadDecision:
    """A decision with what its words say now."""

    row: Decision
    comment_text: CommentText


class DecisionOutput(Output):
    """What a reviewer said of a head."""

    number = serializers.IntegerField(source="row.number")
    person = serializers.CharField(source="row.person.username")
    decision = serializers.ChoiceField(
        ["approve", "request_changes", "comment", "acknowledge", "take_back"], source="row.decision"
    )
    version = serializers.IntegerField(source="row.version.number")
    digest = serializers.CharField(source="row.digest")
    round = serializers.IntegerField(source="row.round")
    text = serializers.CharField(source="comment_text.text")
    created_at = Moment(source="row.created_at")
    changed_at = Moment(
        allow_null=True, source="comment_text.changed_at", help_text="When its text was edited, or deleted."
    )
    deleted = serializers.BooleanField(source="comment_text.is_deleted", help_text="Whether its text was.")
    earlier = EarlierTextOutput(
        many=True, source="comment_text.earlier", help_text="What it said before, oldest first."
    )


class AskedOutput(Output):
    """Somebody who was asked for a review by name."""

    person = serializers.CharField()
    by = serializers.CharField(source="requested_by")
    at = Moment()
    decision = serializers.CharField(help_text="approve or request_changes, about the head; empty for neither.")


@dataclass(frozen=True)
class ChangeFacts(ChangeRow):
    """A change request as one actor sees it, with its gate. may_read: whether the actor may read texts."""

    gate: Gate
    may_read: bool

    @classmethod
    def read(cls, row: ChangeRequest, actor: Actor) -> "ChangeFacts":
        """The facts of a request for one actor."""
        return cls(
            row,
            emergencies.find_emergency(row),
            gate=change_gate.evaluate(row, actor),
            may_read=permissions.is_allowed(actor, Verb.READ, row.template.namespace),
        )

    @property
    def why(self) -> str | None:
        """Why the actor may not approve."""
        return self.gate.refusal or None

    @property
    def approval(self) -> str | None:
        """How the label came to what it holds now."""
        approval = find_approval_of_label(self.row.template, self.row.label)
        return approval.value if approval else None

    @property
    def overlapping(self) -> list[int]:
        """Other open requests for the same label."""
        return [other.number for other in change_queries.list_overlapping(self.row)] if self.row.is_open else []

    @property
    def checks(self) -> list[CheckFacts]:
        """The checks as the gate has them."""
        return [CheckFacts(check, self.gate) for check in self.gate.checks]

    @property
    def contributors(self) -> list[dict[str, str]]:
        """Who contributed, once for each reason."""
        return [
            {"person": person, "why": reason.they}
            for person, reasons in self.gate.facts.contributors.items()
            for reason in reasons
        ]

    @property
    def ungated_losses(self) -> UngatedLosses | None:
        """The metrics that get worse and block nothing, if there are some; for who may read runs."""
        return ungated_losses.find_ungated_losses([self.gate]).get(self.row.number) if self.may_read else None

    @property
    def decisions(self) -> Sequence[ReadDecision]:
        """What reviewers said, oldest first."""
        rows = self.row.decisions.select_related("person", "version").defer("version__bundle").order_by("number")
        texts = CommentTexts(self.row)
        return [ReadDecision(row, texts.find(0, row.number, row.text, row.created_at)) for row in rows]

    @property
    def review_requests(self) -> list[ReviewRequest]:
        """Who was asked for a review by name."""
        return review_requests.list_review_requests(self.gate)


class ChangeOutput(ChangeItem):
    """A change request with what was said and what it waits for; of a closed one, what it was decided on."""

    round = serializers.IntegerField(source="row.round")
    holds = serializers.IntegerField(allow_null=True, source="gate.facts.holds")
    published_in_emergency = EmergencyOutput(allow_null=True, source="emergency")
    approval = serializers.ChoiceField(
        ["approved", "emergency", "never_approved"],
        allow_null=True,
        help_text="How the label came to what it holds now; null where it is not protected or not set.",
    )
    closed_at = Moment(allow_null=True, source="row.closed_at")
    goes_live_at = Moment(
        allow_null=True, source="row.scheduled_at", help_text="When the worker publishes it; null: not scheduled."
    )
    planned_rollout = RolloutPlanOutput(
        allow_null=True,
        source="row.planned_rollout",
        help_text="What publishing starts; null: the label moves.",
    )
    turn = TurnOutput(allow_null=True, source="gate.turn")
    riding_along = serializers.ListField(child=serializers.IntegerField(), source="gate.versions_between")
    overlapping = serializers.ListField(child=serializers.IntegerField())
    checks = StateOutput(many=True)
    approvals = ApprovalOutput(many=True, source="gate.approvals")
    approvals_needed = serializers.IntegerField(source="gate.needed")
    group_approvals = GroupApprovalOutput(
        many=True, source="gate.group_approvals", help_text="The groups that an approval is needed from."
    )
    may_approve = serializers.BooleanField(source="gate.may_approve")
    why = serializers.CharField(allow_null=True)
    contributors = ContributorOutput(many=True)
    exemptions = ExemptionOutput(many=True, source="gate.exemptions")
    decisions = DecisionOutput(many=True)
    asked = AskedOutput(many=True, source="review_requests", help_text="Who was asked for a review by name.")
    blockers = BlockerOutput(many=True, source="gate.blockers")
    ungated_losses = UngatedLossesOutput(
        allow_null=True, help_text="Metrics that get worse and block nothing; null where there are none."
    )

    def to_representation(self, instance: ChangeFacts) -> Answer:
        """A key that may propose or publish but not read gets it without what people wrote and checks found."""
        answer: Answer = super().to_representation(instance)
        if instance.may_read:
            return answer
        check_answers = [{**check, "summary": "", "findings": []} for check in answer["checks"]]
        decisions = [{**decision, "text": "", "earlier": []} for decision in answer["decisions"]]
        return {**answer, "message": "", "checks": check_answers, "decisions": decisions}
