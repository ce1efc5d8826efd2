"""Serializers of releases for the API and its schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.accounts.actor import Actor
from registry.changes import ungated_losses
from registry.changes.gate_serializers import BlockerOutput, TurnOutput
from registry.changes.metric_serializers import UngatedLossesOutput
from registry.changes.preview_api import LabelPreviewOutput, SizedPreviewOutput
from registry.changes.thread_queries import CommentText
from registry.changes.thread_serializers import EarlierTextOutput
from registry.changes.ungated_losses import UngatedLosses
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.releases import gate as release_gate
from registry.releases.comment_texts import read_comment_texts
from registry.releases.gate import ReleaseGate
from registry.releases.models import Release, ReleaseComment
from registry.releases.plans import LeftOut
from registry.rest.output_serializers import Answer, Moment, Output

__all__ = ["PlanOutput", "ReleaseFacts", "ReleaseItem", "ReleaseOutput", "ReleasePage", "RollBackPreviewOutput"]

_LEFT_OUT = ["archived", "unset", "redacted", "equal", "emergency", "superseded", "member", "rollout"]


class ReleaseItem(Output):
    """A release in a list."""

    number = serializers.IntegerField()
    namespace = serializers.CharField(source="namespace.name")
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    title = serializers.CharField()
    state = serializers.ChoiceField(Release.STATES)
    author = serializers.CharField(source="opened_by.username")
    created_at = Moment()
    updated_at = Moment()
    closed_at = Moment(allow_null=True)
    rolled_back_at = Moment(allow_null=True, help_text="When labels were rolled back together last.")


class ReleasePage(Output):
    """A page of releases."""

    results = ReleaseItem(many=True)
    next = serializers.CharField(allow_null=True)


class LeftOutOutput(Output):
    """A template that was selected and is not in the release."""

    template = serializers.CharField()
    code = serializers.ChoiceField(_LEFT_OUT)
    reason = serializers.CharField()


class PlannedOutput(Output):
    """A version that would be proposed."""

    template = serializers.CharField(source="template.name")
    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField(source="version.digest")
    holds = serializers.IntegerField(allow_null=True, source="serves", help_text="What the label serves now.")
    change = serializers.IntegerField(
        allow_null=True, source="change.number", default=None, help_text="An open request that would become the member."
    )
    preview = serializers.SerializerMethodField()

    @extend_schema_field(SizedPreviewOutput())
    def get_preview(self, planned: Mapping[str, Any]) -> Any:
        """What follows from moving the label, as `previewLabel` says, without what would evaluate it."""
        preview = planned["preview"]
        if planned["may_read"]:
            return SizedPreviewOutput.of(preview)
        return {**LabelPreviewOutput.of(preview), "size": None}  # the size names samples and inputs


class PlanOutput(Output):
    """What a release would hold."""

    members = PlannedOutput(many=True)
    left_out = LeftOutOutput(many=True)


class RollBackMemberOutput(Output):
    """A template that the release published, and where its label would go back to."""

    template = serializers.CharField(source="target.template.name")
    change = serializers.IntegerField(source="target.change", help_text="The change that published it.")
    serves = serializers.IntegerField(
        allow_null=True, source="target.served.number", default=None, help_text="What the label serves now."
    )
    version = serializers.IntegerField(
        allow_null=True,
        source="target.version.number",
        default=None,
        help_text="Where it would go back to; null: it had no version before.",
    )
    rolled_back = serializers.BooleanField(
        source="target.is_back", help_text="Whether the label is back on that version already."
    )
    blocked_by = serializers.CharField(
        source="fault", allow_blank=True, help_text="Why the label can't go back, as a sentence; empty if it can."
    )
    missing_right = serializers.CharField(
        allow_blank=True, help_text="Why the caller may not put it back, as a sentence; empty if they may."
    )
    preview = SizedPreviewOutput(
        allow_null=True, help_text="What follows from going back, as `previewLabel` says; null without a version."
    )


class RollBackPreviewOutput(Output):
    """What follows from rolling back a release."""

    release = serializers.IntegerField(source="release.number")
    label = serializers.CharField(source="release.label")  # type: ignore[assignment]  # as above
    title = serializers.CharField(source="release.title")
    ready = serializers.BooleanField(
        source="is_ready", help_text="Whether the caller can roll back all that were not rolled back yet, together."
    )
    services = serializers.IntegerField(
        source="moving_services", help_text="Services that get another version from those whose label can go back."
    )
    fetches_moving = serializers.IntegerField(help_text="Their fetches a day.")
    members = RollBackMemberOutput(many=True)


class ReleaseMemberOutput(Output):
    """A change request of a release, and what it waits for."""

    change = serializers.IntegerField(source="change.number")
    template = serializers.CharField(source="change.template.name")
    version = serializers.IntegerField(source="change.version.number")
    digest = serializers.CharField(source="change.version.digest")
    holds = serializers.IntegerField(allow_null=True, source="gate.facts.holds", help_text="What the label serves now.")
    state = serializers.ChoiceField(["open", "approved", "published", "withdrawn"], source="change.state")
    approved_by = serializers.ListField(child=serializers.CharField(), source="gate.approval_status.approvals")
    approvals_needed = serializers.IntegerField(source="gate.needed")
    may_approve = serializers.BooleanField(source="gate.may_approve")
    superseded = serializers.BooleanField(
        source="is_superseded", help_text="Whether the label serves this already, or something that contains it."
    )
    blockers = BlockerOutput(many=True)


class ReleaseCommentOutput(Output):
    """What somebody said about the release as a whole."""

    number = serializers.IntegerField(source="row.number")
    person = serializers.CharField(source="row.person.username")
    text = serializers.CharField(source="comment_text.text", help_text="What it says now, as Markdown.")
    created_at = Moment(source="row.created_at")
    changed_at = Moment(
        allow_null=True, source="comment_text.changed_at", help_text="When its text was edited, or deleted."
    )
    deleted = serializers.BooleanField(source="comment_text.is_deleted", help_text="Whether its text was.")
    earlier = EarlierTextOutput(
        many=True, source="comment_text.earlier", help_text="What it said before, oldest first."
    )


@dataclass(frozen=True)
class ReadReleaseComment:
    """A comment on a release, and what it says now."""

    row: ReleaseComment
    comment_text: CommentText


@dataclass(frozen=True)
class ReleaseFacts:
    """A release as one actor sees it.

    may_read: whether they may read texts. left_out: known in the answer that opens it only.
    """

    gate: ReleaseGate
    comments: Sequence[ReadReleaseComment]
    may_read: bool
    left_out: Sequence[LeftOut] = ()

    @property
    def ungated_losses(self) -> list[UngatedLosses]:
        """The metrics of its templates that get worse and block nothing; for who may read runs."""
        gates = [member.gate for member in self.gate.open_members] if self.may_read else []
        return list(ungated_losses.find_ungated_losses(gates).values())

    @classmethod
    def read(cls, release: Release, actor: Actor, left_out: Sequence[LeftOut] = ()) -> "ReleaseFacts":
        """The facts of a release for one actor."""
        texts = read_comment_texts(release)
        rows = release.comments.select_related("person").order_by("number")
        comments = [ReadReleaseComment(row, texts[row.number]) for row in rows]
        may_read = permissions.is_allowed(actor, Verb.READ, release.namespace)
        return cls(release_gate.evaluate_release(release, actor), comments, may_read, left_out)


class ReleaseOutput(Output):
    """A release with its members, what each waits for, and the conversation about all of it."""

    number = serializers.IntegerField(source="gate.release.number")
    namespace = serializers.CharField(source="gate.release.namespace.name")
    label = serializers.CharField(source="gate.release.label")  # type: ignore[assignment]  # as above
    title = serializers.CharField(source="gate.release.title")
    description = serializers.CharField(source="gate.release.description")
    state = serializers.ChoiceField(Release.STATES, source="gate.release.state")
    superseded = serializers.BooleanField(
        source="gate.is_superseded", help_text="Whether all of it went live by other changes."
    )
    ready = serializers.BooleanField(source="gate.may_publish_now", help_text="Whether nothing blocks it.")
    author = serializers.CharField(source="gate.release.opened_by.username")
    created_at = Moment(source="gate.release.created_at")
    updated_at = Moment(source="gate.release.updated_at")
    closed_at = Moment(allow_null=True, source="gate.release.closed_at")
    rolled_back_at = Moment(allow_null=True, source="gate.release.rolled_back_at")
    goes_live_at = Moment(
        allow_null=True,
        source="gate.release.scheduled_at",
        help_text="When the worker publishes it; null: not scheduled.",
    )
    turn = TurnOutput(allow_null=True, source="gate.turn")
    members = ReleaseMemberOutput(many=True, source="gate.members")
    ungated_losses = UngatedLossesOutput(many=True, help_text="Metrics that get worse and block nothing.")
    comments = ReleaseCommentOutput(many=True)
    left_out = LeftOutOutput(many=True, help_text="What the selection named and was left out; when it is opened only.")

    def to_representation(self, instance: ReleaseFacts) -> Answer:
        """A key that may propose or publish but not read gets it without what people wrote."""
        answer: Answer = super().to_representation(instance)
        return answer if instance.may_read else {**answer, "title": "", "description": "", "comments": []}
