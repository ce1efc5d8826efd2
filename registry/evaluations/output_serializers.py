"""The answers about datasets, runs and attachments as the schema describes them."""

from rest_framework import serializers

from registry.evaluations.models import Run
from registry.rest.output_serializers import Output

__all__ = [
    "AttachmentList",
    "AttachmentOutput",
    "ComparisonOutput",
    "DatasetOutput",
    "DatasetPage",
    "DatasetRowPage",
    "DatasetVersionPage",
    "DifferenceOutput",
    "ModelList",
    "RunOutput",
    "RunPage",
    "RunRowPage",
    "SavedDatasetOutput",
]


class DatasetLatest(Output):
    version = serializers.IntegerField()
    digest = serializers.CharField()
    count = serializers.IntegerField()


class DatasetOutput(Output):
    name = serializers.CharField()
    latest = DatasetLatest()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class DatasetPage(Output):
    results = DatasetOutput(many=True)
    next = serializers.CharField(allow_null=True)


class SavedDatasetOutput(DatasetLatest):
    name = serializers.CharField()
    base = serializers.IntegerField(allow_null=True)
    author = serializers.CharField()
    message = serializers.CharField()
    created_at = serializers.DateTimeField()


class DatasetSaveOutput(SavedDatasetOutput):
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What looks like personal data or a credential, row by row."
    )


class DatasetVersionPage(Output):
    results = SavedDatasetOutput(many=True)
    next = serializers.CharField(allow_null=True)


class RowOutput(Output):
    index = serializers.IntegerField()
    id = serializers.CharField()
    inputs = serializers.DictField()
    expected = serializers.DictField(allow_null=True)


class DatasetRowPage(Output):
    results = RowOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ChangedRow(Output):
    index = serializers.IntegerField()
    before = RowOutput()
    after = RowOutput()


class DifferenceOutput(Output):
    # `from` is no name in Python, so the schema alone names it; see registry.evaluations.serializers.difference.
    to = serializers.IntegerField()
    same = serializers.IntegerField()
    moved = serializers.IntegerField()
    added = RowOutput(many=True)
    removed = RowOutput(many=True)
    changed = ChangedRow(many=True)

    def get_fields(self) -> dict[str, serializers.Field[object, object, object, object]]:
        """The declared fields, and the one whose name is a keyword."""
        return {"from": serializers.IntegerField(), **super().get_fields()}


class RunOutput(Output):
    number = serializers.IntegerField()
    template = serializers.CharField()
    version = serializers.IntegerField()
    digest = serializers.CharField()
    dataset = serializers.CharField(allow_null=True, help_text="null: the template's samples")
    dataset_version = serializers.IntegerField(allow_null=True)
    rows_digest = serializers.CharField()
    model = serializers.CharField()
    metrics = serializers.ListField(child=serializers.CharField())
    judge = serializers.CharField(allow_null=True)
    judge_model = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(list(Run.STATES))
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    cached = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost = serializers.DecimalField(max_digits=14, decimal_places=6, allow_null=True)
    currency = serializers.CharField()
    scores = serializers.DictField(child=serializers.DictField())
    error = serializers.CharField()
    change = serializers.IntegerField(allow_null=True)
    person = serializers.CharField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class RunPage(Output):
    results = RunOutput(many=True)
    next = serializers.CharField(allow_null=True)


class RunRowOutput(RowOutput):
    state = serializers.ChoiceField(["waiting", "done", "failed"])
    actual = serializers.DictField(allow_null=True)
    problem = serializers.DictField(allow_null=True)
    faults = serializers.ListField(child=serializers.CharField())
    prompts = serializers.ListField(child=serializers.ListField(child=serializers.DictField()))
    scores = serializers.DictField(child=serializers.FloatField(allow_null=True))
    judgement = serializers.DictField(allow_null=True)
    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)
    cost = serializers.DecimalField(max_digits=14, decimal_places=6, allow_null=True)
    cached = serializers.BooleanField()
    milliseconds = serializers.IntegerField()


class RunRowPage(Output):
    results = RunRowOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ComparedRow(Output):
    index = serializers.IntegerField()
    before = serializers.FloatField()
    after = serializers.FloatField()
    difference = serializers.FloatField()


class ComparisonOutput(Output):
    metric = serializers.CharField()
    target = serializers.CharField()
    before = serializers.IntegerField()
    after = serializers.IntegerField()
    n = serializers.IntegerField()
    better = serializers.IntegerField()
    worse = serializers.IntegerField()
    same = serializers.IntegerField()
    difference = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    level = serializers.FloatField()
    winner = serializers.IntegerField(allow_null=True)
    rows = ComparedRow(many=True)


class AttachmentOutput(Output):
    name = serializers.CharField()
    pattern = serializers.CharField()
    dataset = serializers.CharField()
    dataset_version = serializers.IntegerField(allow_null=True)
    model = serializers.CharField()
    gates = serializers.ListField(child=serializers.CharField())
    metrics = serializers.ListField(child=serializers.CharField())
    person = serializers.CharField()
    created_at = serializers.DateTimeField()


class AttachmentList(Output):
    results = AttachmentOutput(many=True)


class PriceOutput(Output):
    prompt = serializers.CharField()
    completion = serializers.CharField()
    currency = serializers.CharField()


class ModelOutput(Output):
    name = serializers.CharField()
    kind = serializers.ChoiceField(["http", "recorded", "echo"])
    price = PriceOutput(allow_null=True)


class ModelList(Output):
    results = ModelOutput(many=True)
