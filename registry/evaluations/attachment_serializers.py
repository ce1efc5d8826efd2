"""Serializers of attached evaluations and models: the API's answers, and their schema."""

from rest_framework import serializers

from registry.rest.output_serializers import Moment, Output

__all__ = ["AttachmentList", "AttachmentOutput", "ModelList", "ModelOutput"]


class AttachmentOutput(Output):
    """An evaluation that changes of the templates of a pattern have to pass."""

    name = serializers.CharField()
    pattern = serializers.CharField()
    dataset = serializers.CharField(source="dataset.name")
    dataset_version = serializers.IntegerField(allow_null=True)
    model = serializers.CharField()
    gates = serializers.ListField(child=serializers.CharField())
    metrics = serializers.ListField(child=serializers.CharField())
    scores_needed = serializers.IntegerField()
    nightly = serializers.BooleanField()
    judge = serializers.CharField(
        source="judge_address", allow_null=True, help_text="The template and version that judges each row."
    )
    judge_model = serializers.CharField()
    judge_paths = serializers.DictField(child=serializers.CharField())
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
