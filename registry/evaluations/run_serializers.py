"""Serializers of runs, their rows and the comparison of two: the API's answers, and their schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from registry.evaluations.dataset_serializers import MAX_ROWS, RowOutput
from registry.evaluations.models import Run, RunRow
from registry.evaluations.run_queries import RunComparison, RunRowDetail
from registry.rest.output_serializers import Answer, ExactDecimal, Moment, Number, Output

__all__ = [
    "ComparedRuns",
    "ComparisonOutput",
    "RunEstimateOutput",
    "RunOutput",
    "RunPage",
    "RunRowOutput",
    "RunRowPage",
]


class Judge(serializers.CharField):
    """The version of a judge as name@number."""

    def to_representation(self, value: Any) -> str:
        """The version's template and number."""
        return f"{value.template.name}@{value.number}"


class NameOrNull(serializers.CharField):
    """A name, null if it is empty."""

    def to_representation(self, value: Any) -> Any:
        """The name or None."""
        return value or None


class RunOutput(Output):
    """A run with its progress and, once it is done, its scores."""

    number = serializers.IntegerField()
    template = serializers.CharField(source="template.name")
    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField(source="version.digest")
    is_draft = serializers.BooleanField(
        help_text="Whether a text was asked that nobody saved: the version is the one that it was made from."
    )
    dataset = serializers.CharField(
        allow_null=True, source="dataset_version.dataset.name", help_text="null: the template's samples"
    )
    dataset_version = serializers.IntegerField(allow_null=True, source="dataset_version.number")
    rows_digest = serializers.CharField()
    model = serializers.CharField()
    metrics = serializers.ListField(child=serializers.CharField())
    judge = Judge(allow_null=True)
    judge_model = NameOrNull(allow_null=True)
    state = serializers.ChoiceField(list(Run.STATES))
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    cached = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost = ExactDecimal(max_digits=14, decimal_places=6, allow_null=True)
    currency = serializers.CharField()
    scores = serializers.DictField(child=serializers.DictField())
    error = serializers.CharField(source="plain_error")
    change = serializers.IntegerField(allow_null=True, source="change.number")
    evaluation = serializers.CharField(help_text="Of a nightly run the evaluation that it is of, else empty.")
    night = serializers.DateField(allow_null=True, help_text="The day (UTC) that a nightly run is for.")
    person = serializers.CharField(source="started_by.username")
    created_at = Moment()
    started_at = Moment(allow_null=True)
    finished_at = Moment(allow_null=True)


class RunList(Output):
    """Runs that were started together."""

    results = RunOutput(many=True)


class RunEstimateOutput(Output):
    """What a run is expected to take and to cost."""

    rows = serializers.IntegerField()
    sampled = serializers.IntegerField(help_text="How many of the rows were rendered for the estimate.")
    misfits = serializers.IntegerField(help_text="How many of the sampled rows can't be rendered.")
    prompt_tokens = serializers.IntegerField(help_text="Of all rows together.")
    completion_tokens = serializers.IntegerField()
    is_from_replies = serializers.BooleanField(
        help_text="Whether replies are counted as long as those of an earlier run; else as long as they may be."
    )
    cost = ExactDecimal(
        max_digits=None,
        decimal_places=6,
        allow_null=True,
        help_text="With the judge's calls; null without a price, or with prices in two currencies.",
    )
    currency = serializers.CharField(help_text="Empty without a price.")
    judge_prompt_tokens = serializers.IntegerField(help_text="Of the judge's calls; 0 without a judge.")
    judge_completion_tokens = serializers.IntegerField(help_text="Its replies as long as they may be.")
    seconds = serializers.FloatField(allow_null=True, help_text="At the pace of an earlier run; null without one.")


class RunPage(Output):
    """A page of runs."""

    results = RunOutput(many=True)
    next = serializers.CharField(allow_null=True)


class RowState(serializers.ChoiceField):
    """Whether a row that was asked failed."""

    def to_representation(self, value: Any) -> str:
        """Its state as a word."""
        row: RunRow = value
        return "failed" if row.is_failed else "done"


class RunRowOutput(RowOutput):
    """A row of a run: what was asked, what came, what it scored."""

    state = RowState(["waiting", "done", "failed"], source="row")
    actual = serializers.DictField(allow_null=True, source="row.actual")
    problem = serializers.DictField(allow_null=True, source="row.problem")
    faults = serializers.ListField(child=serializers.CharField(), source="row.faults")
    cut_off = serializers.BooleanField(
        source="row.is_cut_off", help_text="Whether a reply ended at its limit of tokens."
    )
    prompts = serializers.ListField(child=serializers.ListField(child=serializers.DictField()), source="row.prompts")
    scores = serializers.DictField(child=Number(allow_null=True), source="row.scores")
    judgement = serializers.DictField(allow_null=True, source="row.judgement")
    prompt_tokens = serializers.IntegerField(allow_null=True, source="row.prompt_tokens")
    completion_tokens = serializers.IntegerField(allow_null=True, source="row.completion_tokens")
    cost = ExactDecimal(max_digits=14, decimal_places=6, allow_null=True, source="row.cost")
    cached = serializers.BooleanField(source="row.is_cached")
    milliseconds = serializers.IntegerField(source="row.milliseconds")

    def to_representation(self, instance: RunRowDetail) -> Answer:
        """The row; one that has not been asked has nothing but its question."""
        if instance.row is None:
            return {**RowOutput.of(instance), **_WAITING}
        answer: Answer = super().to_representation(instance)
        return answer


_WAITING: Mapping[str, Any] = {
    "state": "waiting",
    "faults": [],
    "cut_off": False,
    "prompts": [],
    "scores": {},
    "cached": False,
    "milliseconds": 0,
    **dict.fromkeys(("actual", "problem", "judgement", "prompt_tokens", "completion_tokens", "cost")),
}


class RunRowPage(Output):
    """A page of rows of a run."""

    results = RunRowOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ComparedRow(Output):
    """A row that both runs scored."""

    index = serializers.IntegerField()
    before = Number()
    after = Number()
    difference = Number()


@dataclass(frozen=True)
class ComparedRuns:
    """Two runs over the same rows."""

    before: Run
    after: Run
    scores: RunComparison

    @property
    def winner(self) -> int | None:
        """The number of the better run, or None."""
        winners = {"first": self.before.number, "second": self.after.number}
        winner = self.scores.comparison.winner
        return winners[winner] if winner else None

    @property
    def rows(self) -> list[Answer]:
        """The rows that both scored, the worst regression first; at most 500."""
        before, after = self.scores.before, self.scores.after
        return [
            {
                "index": index,
                "before": before[index],
                "after": after[index],
                "difference": (after[index] or 0.0) - (before[index] or 0.0),
            }
            for index in self.scores.order[:MAX_ROWS]
        ]


class ComparisonOutput(Output):
    """Two runs side by side, the worst regression first; `winner` is the number of a run or null."""

    metric = serializers.CharField(source="scores.metric")
    target = serializers.CharField(source="scores.target")
    before = serializers.IntegerField(source="before.number")
    after = serializers.IntegerField(source="after.number")
    n = serializers.IntegerField(source="scores.comparison.n")
    better = serializers.IntegerField(source="scores.comparison.better")
    worse = serializers.IntegerField(source="scores.comparison.worse")
    same = serializers.IntegerField(source="scores.comparison.same")
    difference = Number(allow_null=True, source="scores.comparison.difference")
    low = Number(allow_null=True, source="scores.comparison.low")
    high = Number(allow_null=True, source="scores.comparison.high")
    level = Number(source="scores.comparison.level")
    winner = serializers.IntegerField(allow_null=True)
    rows = ComparedRow(many=True)
