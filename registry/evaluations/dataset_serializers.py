"""Serializers of datasets, their versions, rows and differences: the API's answers, and their schema."""

from dataclasses import dataclass

from rest_framework import serializers

from promptuary.evaluation import Row
from registry.evaluations.dataset_difference import RowDifference
from registry.evaluations.dataset_models import DatasetVersion
from registry.rest.output_serializers import Answer, Moment, Output

__all__ = [
    "MAX_ROWS",
    "DatasetDifference",
    "DatasetDifferenceOutput",
    "DatasetOutput",
    "DatasetPage",
    "DatasetRowPage",
    "DatasetSaveOutput",
    "DatasetVersionPage",
    "RowOutput",
    "SavedDatasetOutput",
    "describe_placed_row",
]

MAX_ROWS = 500  # the most in a difference or a comparison; the counts cover all rows


def describe_placed_row(index: int, row: Row) -> Answer:
    """A row of a dataset with its index, from 0."""
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
    archived_at = Moment(allow_null=True)


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
    tags = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Absent where the row has none."
    )


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
        return [describe_placed_row(*placed) for placed in self.difference.added[:MAX_ROWS]]

    @property
    def removed(self) -> list[Answer]:
        """Rows that only the first version has."""
        return [describe_placed_row(*placed) for placed in self.difference.removed[:MAX_ROWS]]

    @property
    def changed(self) -> list[Answer]:
        """Rows that both have, differently."""
        return [
            {"index": index, "before": describe_placed_row(index, old), "after": describe_placed_row(index, new)}
            for index, old, new in self.difference.changed[:MAX_ROWS]
        ]


class DatasetDifferenceOutput(Output):
    """What changed between two versions of a dataset."""

    # `from` is a keyword in Python, so get_fields adds it.
    to = serializers.IntegerField(source="after.number")
    same = serializers.IntegerField(source="difference.same")
    moved = serializers.IntegerField(source="difference.moved")
    added = RowOutput(many=True)
    removed = RowOutput(many=True)
    changed = ChangedRow(many=True)

    def get_fields(self) -> dict[str, serializers.Field[object, object, object, object]]:
        """The declared fields, and the one whose name is a keyword."""
        return {"from": serializers.IntegerField(source="before.number"), **super().get_fields()}
