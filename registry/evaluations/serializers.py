"""Serializers of datasets, runs, attached evaluations and models: the API's answers, and their schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from promptuary.evaluation import Row
from registry.evaluations.dataset_queries import RowDifference
from registry.evaluations.models import DatasetVersion, Run, RunRow
from registry.evaluations.run_queries import RunComparison, RunRowDetail
from registry.rest.output_serializers import Answer, ExactDecimal, Moment, Number, Output

__all__ = [
    "AttachmentList",
    "AttachmentOutput",
    "ComparedRuns",
    "ComparisonOutput",
    "DatasetDifference",
    "DatasetOutput",
    "DatasetPage",
    "DatasetRowPage",
    "DatasetSaveOutput",
    "DatasetVersionPage",
    "DifferenceOutput",
    "ModelList",
    "ModelOutput",
    "RunOutput",
    "RunPage",
    "RunRowOutput",
    "RunRowPage",
    "SavedDatasetOutput",
    "placed_row",
]

_MOST_ROWS = 500  # of a difference or a comparison that are told; the counts are of all


def placed_row(index: int, row: Row) -> Answer:
    """A row of a dataset with its place, from 0."""
    return {"index": index, **row.to_dict()}


class DatasetLatest(Output):
    """A version of a dataset, in short."""

    version = serializers.IntegerField(source="number")
    digest = serializers.CharField()
    count = serializers.IntegerField()


class DatasetOutput(Output):
    """A dataset without its rows."""

    name = serializers.CharField()
    latest = DatasetLatest()
    created_at = Moment()
    updated_at = Moment()


class DatasetPage(Output):
    """A page of datasets."""

    results = DatasetOutput(many=True)
    next = serializers.CharField(allow_null=True)


class SavedDatasetOutput(DatasetLatest):
    """A version of a dataset without its rows."""

    name = serializers.CharField(source="dataset.name")
    base = serializers.IntegerField(allow_null=True, source="base.number")
    author = serializers.CharField(source="author.username")
    message = serializers.CharField()
    created_at = Moment()


class DatasetSaveOutput(SavedDatasetOutput):
    """A version of a dataset as it was saved."""

    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What looks like personal data or a credential, row by row."
    )


class DatasetVersionPage(Output):
    """A page of versions."""

    results = SavedDatasetOutput(many=True)
    next = serializers.CharField(allow_null=True)


class RowOutput(Output):
    """A row of a dataset."""

    index = serializers.IntegerField()
    id = serializers.CharField()
    inputs = serializers.DictField()
    expected = serializers.DictField(allow_null=True)


class DatasetRowPage(Output):
    """A page of rows."""

    results = RowOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ChangedRow(Output):
    """A row that two versions have differently."""

    index = serializers.IntegerField()
    before = RowOutput()
    after = RowOutput()


@dataclass(frozen=True)
class DatasetDifference:
    """What changed between two versions, with at most 500 rows of each kind."""

    before: DatasetVersion
    after: DatasetVersion
    difference: RowDifference

    @property
    def added(self) -> list[Answer]:
        """Rows that only the second version has."""
        return [placed_row(*placed) for placed in self.difference.added[:_MOST_ROWS]]

    @property
    def removed(self) -> list[Answer]:
        """Rows that only the first version has."""
        return [placed_row(*placed) for placed in self.difference.removed[:_MOST_ROWS]]

    @property
    def changed(self) -> list[Answer]:
        """Rows that both have, differently."""
        return [
            {"index": index, "before": placed_row(index, old), "after": placed_row(index, new)}
            for index, old, new in self.difference.changed[:_MOST_ROWS]
        ]


class DifferenceOutput(Output):
    """What changed between two versions of a dataset."""

    # `from` is no name in Python, so get_fields adds it.
    to = serializers.IntegerField(source="after.number")
    same = serializers.IntegerField(source="difference.same")
    moved = serializers.IntegerField(source="difference.moved")
    added = RowOutput(many=True)
    removed = RowOutput(many=True)
    changed = ChangedRow(many=True)

    def get_fields(self) -> dict[str, serializers.Field[object, object, object, object]]:
        """The declared fields, and the one whose name is a keyword."""
        return {"from": serializers.IntegerField(source="before.number"), **super().get_fields()}


class Judge(serializers.CharField):
    """The version of a judge as name@number."""

    def to_representation(self, value: Any) -> str:
        """The version's template and number."""
        return f"{value.template.name}@{value.number}"


class NameOrNull(serializers.CharField):
    """A name, null where it is empty."""

    def to_representation(self, value: Any) -> Any:
        """The name or None."""
        return value or None


class RunOutput(Output):
    """A run with its progress and, once it is done, its scores."""

    number = serializers.IntegerField()
    template = serializers.CharField(source="template.name")
    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField(source="version.digest")
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
    error = serializers.CharField()
    change = serializers.IntegerField(allow_null=True, source="change.number")
    person = serializers.CharField(source="started_by.username")
    created_at = Moment()
    started_at = Moment(allow_null=True)
    finished_at = Moment(allow_null=True)


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
    found: RunComparison

    @property
    def winner(self) -> int | None:
        """The number of the better run, or None."""
        winners = {"first": self.before.number, "second": self.after.number}
        winner = self.found.comparison.winner
        return winners[winner] if winner else None

    @property
    def rows(self) -> list[Answer]:
        """The rows that both scored, the worst regression first; at most 500."""
        before, after = self.found.before, self.found.after
        return [
            {
                "index": index,
                "before": before[index],
                "after": after[index],
                "difference": (after[index] or 0.0) - (before[index] or 0.0),
            }
            for index in self.found.order[:_MOST_ROWS]
        ]


class ComparisonOutput(Output):
    """Two runs side by side, the worst regression first; `winner` is the number of a run or null."""

    metric = serializers.CharField(source="found.metric")
    target = serializers.CharField(source="found.target")
    before = serializers.IntegerField(source="before.number")
    after = serializers.IntegerField(source="after.number")
    n = serializers.IntegerField(source="found.comparison.n")
    better = serializers.IntegerField(source="found.comparison.better")
    worse = serializers.IntegerField(source="found.comparison.worse")
    same = serializers.IntegerField(source="found.comparison.same")
    difference = Number(allow_null=True, source="found.comparison.difference")
    low = Number(allow_null=True, source="found.comparison.low")
    high = Number(allow_null=True, source="found.comparison.high")
    level = Number(source="found.comparison.level")
    winner = serializers.IntegerField(allow_null=True)
    rows = ComparedRow(many=True)


class AttachmentOutput(Output):
    """An evaluation that changes of the templates of a pattern have to pass."""

    name = serializers.CharField()
    pattern = serializers.CharField()
    dataset = serializers.CharField(source="dataset.name")
    dataset_version = serializers.IntegerField(allow_null=True)
    model = serializers.CharField()
    gates = serializers.ListField(child=serializers.CharField())
    metrics = serializers.ListField(child=serializers.CharField())
    person = serializers.CharField(source="created_by.username")
    created_at = Moment()


class AttachmentList(Output):
    """The evaluations of a namespace."""

    results = AttachmentOutput(many=True)


class PriceOutput(Output):
    """What a model costs a million tokens."""

    prompt = serializers.CharField()
    completion = serializers.CharField()
    currency = serializers.CharField()


class ModelOutput(Output):
    """A model as authors may know it: neither its address nor its credential."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(["http", "recorded", "echo"])
    price = PriceOutput(allow_null=True)


class ModelList(Output):
    """The models that runs may ask."""

    results = ModelOutput(many=True)
