"""Serializers of planned rollouts, for changes and for the rollouts they become."""

from rest_framework import serializers

from registry.rest.input_serializers import Flag, Input, Integer, Number, Text
from registry.rest.output_serializers import Output

__all__ = ["RolloutPlanInput", "RolloutPlanOutput", "StepInput", "StepOutput", "StopRuleInput", "StopRuleOutput"]


class StepInput(Input):
    """A step: a share of the callers, and how long it lasts."""

    share = Integer(help_text="In ten-thousandths: 500 is 5 %.")
    hours = Integer(allow_null=True, required=False, default=None, help_text="Until the next step; null: by hand.")


class StopRuleInput(Input):
    """What stops the rollout by itself: a value, being worse than the stable version, or both."""

    metric = Text()
    replies = Integer(required=False)
    below = Number(required=False, allow_null=True)
    worse_than_stable = Flag(required=False)


class RolloutPlanInput(Input):
    """The rollout that publishing starts."""

    steps = StepInput(many=True, required=False, help_text="By default 5 % and 25 %, a day each; then everybody.")
    stop_rule = StopRuleInput(required=False, allow_null=True)


class StepOutput(Output):
    """A step of a rollout."""

    share = serializers.IntegerField(help_text="In ten-thousandths of the callers.")
    hours = serializers.IntegerField(allow_null=True, help_text="Until the next step; null: by hand.")


class StopRuleOutput(Output):
    """What stops a rollout by itself."""

    metric = serializers.CharField()
    replies = serializers.IntegerField(help_text="Scores of the candidate before the rule says anything.")
    below = serializers.FloatField(allow_null=True, help_text="Stops where the candidate's mean is under this.")
    worse_than_stable = serializers.BooleanField(
        help_text="Stops where the candidate's 95 % interval is under that of the stable version."
    )


class RolloutPlanOutput(Output):
    """The rollout that publishing starts."""

    steps = StepOutput(many=True)
    stop_rule = StopRuleOutput(allow_null=True)
