"""Serializers of metrics compared with what a label serves: for move previews, change requests and releases."""

from rest_framework import serializers

from registry.rest.output_serializers import Number, Output

__all__ = ["MetricOutput", "UngatedLossesOutput"]


class MetricOutput(Output):
    """One metric of one output, against what is served now."""

    metric = serializers.CharField()
    target = serializers.CharField()
    before = Number(allow_null=True)
    after = Number(allow_null=True)
    difference = Number(allow_null=True)
    low = Number(allow_null=True)
    high = Number(allow_null=True)
    reading = serializers.ChoiceField(["worse", "better", "unclear"])
    gate = serializers.CharField(help_text="The threshold that an attached evaluation sets for it, or nothing.")
    passes = serializers.BooleanField(allow_null=True)


class UngatedLossesOutput(Output):
    """The metrics of a change request that get worse and that no threshold holds."""

    change = serializers.IntegerField()
    run = serializers.IntegerField(source="run.number", help_text="The newest finished run of the version.")
    baseline_run = serializers.IntegerField(
        source="baseline.number", help_text="The run of what is served now, over the same rows."
    )
    metrics = MetricOutput(many=True)
