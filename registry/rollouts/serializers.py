"""Serializers of rollouts for the API and its schema."""

from collections.abc import Sequence
from dataclasses import dataclass

from rest_framework import serializers

from registry.accounts.actor import Actor
from registry.changes.rollout_plan_serializers import StepOutput, StopRuleOutput
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.rest.output_serializers import Answer, Moment, Output
from registry.rollouts.models import Rollout
from registry.rollouts.stop_rules import SideScore, read_side_scores

__all__ = ["RolloutFacts", "RolloutItem", "RolloutOutput", "RolloutPage"]


class FigureOutput(Output):
    """A score of one side when the rollout was stopped."""

    side = serializers.ChoiceField(["stable", "candidate"])
    metric = serializers.CharField()
    mean = serializers.FloatField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    count = serializers.IntegerField()


class SideOutput(Output):
    """The score of one side: its mean and 95 % interval."""

    mean = serializers.FloatField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    count = serializers.IntegerField()


class SideScoreOutput(Output):
    """One metric of both sides, as services scored replies since the day on which the rollout began."""

    metric = serializers.CharField(source="name")
    stable = SideOutput(allow_null=True)
    candidate = SideOutput(allow_null=True)


class RolloutItem(Output):
    """A rollout in a list."""

    number = serializers.IntegerField()
    template = serializers.CharField(source="template.name")
    label = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    change = serializers.IntegerField(source="change_id")
    stable = serializers.IntegerField(source="stable.number", help_text="Version of all other callers.")
    candidate = serializers.IntegerField(source="candidate.number", help_text="Version of the share.")
    state = serializers.ChoiceField(Rollout.STATES)
    share = serializers.IntegerField(help_text="In ten-thousandths of the callers.")
    next_at = Moment(allow_null=True, help_text="When the next step is due; null where somebody has to do it.")
    started_by = serializers.CharField(source="started_by.username")
    created_at = Moment()
    updated_at = Moment()
    ended_at = Moment(allow_null=True)


class RolloutPage(Output):
    """A page of rollouts."""

    results = RolloutItem(many=True)
    next = serializers.CharField(allow_null=True)


@dataclass(frozen=True)
class RolloutFacts:
    """A rollout as one actor sees it, with the scores of its two sides. may_read: whether they may read texts."""

    rollout: Rollout
    scores: Sequence[SideScore]
    may_read: bool

    @classmethod
    def read(cls, rollout: Rollout, actor: Actor) -> "RolloutFacts":
        """The facts of one rollout for one actor."""
        may_read = permissions.is_allowed(actor, Verb.READ, rollout.template.namespace)
        return cls(rollout, read_side_scores([rollout])[rollout.number], may_read)


class RolloutOutput(Output):
    """A rollout: its plan, where it is, and the scores of both sides."""

    number = serializers.IntegerField(source="rollout.number")
    template = serializers.CharField(source="rollout.template.name")
    label = serializers.CharField(source="rollout.label")  # type: ignore[assignment]  # as above
    change = serializers.IntegerField(source="rollout.change_id")
    stable = serializers.IntegerField(source="rollout.stable.number", help_text="Version of all other callers.")
    candidate = serializers.IntegerField(source="rollout.candidate.number", help_text="Version of the share.")
    candidate_digest = serializers.CharField(source="rollout.candidate.digest")
    state = serializers.ChoiceField(Rollout.STATES, source="rollout.state")
    share = serializers.IntegerField(source="rollout.share", help_text="In ten-thousandths of the callers.")
    salt = serializers.CharField(source="rollout.salt", help_text="Chooses the callers, with their bucket.")
    steps = StepOutput(many=True, source="rollout.steps")
    step = serializers.IntegerField(source="rollout.step", help_text="Index of the step that is served.")
    next_at = Moment(source="rollout.next_at", allow_null=True)
    stop_rule = StopRuleOutput(source="rollout.stop_rule", allow_null=True)
    reason = serializers.CharField(source="rollout.reason", help_text="Why it was paused or stopped.")
    figures = FigureOutput(
        many=True, source="rollout.figures", allow_null=True, help_text="The scores when it was stopped."
    )
    scores = SideScoreOutput(many=True, help_text="The scores as they are now.")
    started_by = serializers.CharField(source="rollout.started_by.username")
    created_at = Moment(source="rollout.created_at")
    updated_at = Moment(source="rollout.updated_at")
    ended_at = Moment(source="rollout.ended_at", allow_null=True)

    def to_representation(self, instance: RolloutFacts) -> Answer:
        """A key that may publish but not read gets it without what people wrote."""
        answer: Answer = super().to_representation(instance)
        return answer if instance.may_read else {**answer, "reason": ""}
