"""Serializers of improvements: the API's answers, and their schema."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.improvements.figures import GROUPS, measure_improvement
from registry.improvements.models import Improvement
from registry.improvements.queries import MAX_CALLS, ImprovementPlan
from registry.rest.output_serializers import Answer, ExactDecimal, Moment, Number, Output

__all__ = [
    "ImprovementDetailOutput",
    "ImprovementOutput",
    "ImprovementPage",
    "ImprovementPlanOutput",
    "TakenDraftOutput",
]


class ImprovementOutput(Output):
    """An improvement of a run."""

    number = serializers.IntegerField()
    run = serializers.IntegerField(source="run.number")
    template = serializers.CharField(source="run.template.name")
    version = serializers.IntegerField(source="run.version.number", help_text="The version that it was asked for.")
    prompt = serializers.SerializerMethodField(help_text="The template and version that asks, as namespace/name@n.")
    model = serializers.CharField()
    guidance = serializers.CharField()
    shown_rows = serializers.ListField(
        child=serializers.IntegerField(), help_text="Indexes of the failing rows that the model was shown."
    )
    state = serializers.ChoiceField(list(Improvement.STAGES), source="stage")
    calls = serializers.IntegerField(help_text=f"How often the model was asked, {MAX_CALLS} times at most.")
    error = serializers.CharField(source="reason", help_text="Why it failed, else empty.")
    prompt_tokens = serializers.IntegerField(help_text="Of all calls, as they count as spent.")
    completion_tokens = serializers.IntegerField()
    cost = ExactDecimal(
        max_digits=14, decimal_places=6, allow_null=True, help_text="Of the calls; null without a price."
    )
    currency = serializers.CharField()
    measurement = serializers.IntegerField(
        allow_null=True, source="measurement.number", help_text="The run that measures the proposal."
    )
    draft = serializers.CharField(source="draft_name", help_text="The draft that it was taken into, else empty.")
    person = serializers.CharField(source="person.username")
    created_at = Moment()
    finished_at = Moment(allow_null=True)

    def get_prompt(self, improvement: Improvement) -> str:
        """The address of the version that asks."""
        return f"{improvement.prompt.template.name}@{improvement.prompt.number}"


class ImprovementPage(Output):
    """A page of improvements."""

    results = ImprovementOutput(many=True)
    next = serializers.CharField(allow_null=True)


class MetricFiguresOutput(Output):
    """One metric of one output, before and after, as means of the rows that both runs scored."""

    metric = serializers.CharField()
    target = serializers.CharField()
    before = Number(allow_null=True)
    after = Number(allow_null=True)
    difference = Number(allow_null=True, source="comparison.difference")
    low = Number(allow_null=True, source="comparison.low", help_text="Of the difference's 95 % interval.")
    high = Number(allow_null=True, source="comparison.high")
    pairs = serializers.IntegerField(source="comparison.n")
    reading = serializers.ChoiceField(["better", "worse", "unclear"])


class GroupFiguresOutput(Output):
    """The rows of a group: unseen, seen or all."""

    group = serializers.ChoiceField(list(GROUPS))
    rows = serializers.IntegerField()
    failed_before = serializers.IntegerField()
    failed_after = serializers.IntegerField()
    better = serializers.IntegerField(help_text="Rows with any metric that rose, or that got an answer.")
    worse = serializers.IntegerField()
    metrics = MetricFiguresOutput(many=True)


class FiguresOutput(Output):
    """What the proposal changes, by rows that the model did not see, rows that it saw, and all."""

    groups = GroupFiguresOutput(many=True)
    is_no_improvement = serializers.BooleanField(help_text="Whether no row got better.")
    is_only_on_seen = serializers.BooleanField(help_text="Whether none got better that the model did not see.")
    has_few_unseen = serializers.BooleanField(help_text="Whether the unseen rows are too few to say much.")


class ImprovementDetailOutput(ImprovementOutput):
    """An improvement with its proposal and its figures."""

    document = serializers.CharField(help_text="The proposed text, empty until there is one.")
    explanation = serializers.CharField()
    input_changes = serializers.ListField(
        child=serializers.CharField(), help_text="How the inputs change, in the model's words."
    )
    problems = serializers.ListField(child=serializers.CharField(), help_text="Why the last reply could not be used.")
    reply = serializers.CharField(help_text="The model's last reply, as it came.")
    figures = serializers.SerializerMethodField()

    @extend_schema_field(FiguresOutput(allow_null=True))
    def get_figures(self, improvement: Improvement) -> Answer | None:
        """The figures, null until the proposal is measured."""
        figures = measure_improvement(improvement)
        return FiguresOutput.of(figures) if figures else None


class ImprovementPlanOutput(Output):
    """What an improvement would be made of, and what it is expected to cost."""

    run = serializers.IntegerField(source="run.number")
    model = serializers.CharField(source="endpoint.name")
    prompt = serializers.SerializerMethodField(help_text="The template and version that asks, as namespace/name@n.")
    failing = serializers.SerializerMethodField(help_text="How many rows the run failed on.")
    shown_rows = serializers.ListField(child=serializers.IntegerField())
    prompt_tokens = serializers.IntegerField(source="first_prompt.tokens", help_text="Of the first call.")
    longest_reply = serializers.IntegerField(source="first_prompt.longest_reply")
    asking_cost = ExactDecimal(
        max_digits=14, decimal_places=6, allow_null=True, help_text="Of one call with the longest reply."
    )
    most_asking_cost = ExactDecimal(max_digits=14, decimal_places=6, allow_null=True)
    currency = serializers.CharField()
    measuring_cost = ExactDecimal(
        max_digits=14,
        decimal_places=6,
        allow_null=True,
        source="measuring.cost",
        help_text="Of the run of the proposal, without a judge's calls; the run before is known and costs nothing.",
    )
    measuring_currency = serializers.CharField(source="measuring.currency")

    def get_prompt(self, plan: ImprovementPlan) -> str:
        """The address of the version that asks."""
        return f"{plan.prompt.template.name}@{plan.prompt.number}"

    def get_failing(self, plan: ImprovementPlan) -> int:
        """The number of failing rows."""
        return len(plan.failing)


class TakenDraftOutput(Output):
    """The draft that an improvement became."""

    template = serializers.SerializerMethodField()
    draft = serializers.CharField(source="name")
    base = serializers.IntegerField(source="base.number", help_text="The version that it was made from.")

    def get_template(self, draft: Any) -> str:
        """The template's full name."""
        return f"{draft.namespace.name}/{draft.path}"
