"""Serializers of merges, and of updating the templates that include a fragment."""

from rest_framework import serializers

from registry.rest.output_serializers import Answer, Output

__all__ = ["NO_MERGE", "DependantList", "DependantOutput", "MergeOutput", "UpdatedList", "UpdatedOutput"]


class DependantOutput(Output):
    """A template that includes a fragment."""

    template = serializers.CharField()
    references = serializers.ListField(child=serializers.CharField())


class DependantList(Output):
    """Templates that include a fragment."""

    results = DependantOutput(many=True)


class UpdatedOutput(Output):
    """The result for one template that includes a fragment."""

    template = serializers.CharField(source="template.name")
    version = serializers.IntegerField(allow_null=True, source="version.number")
    change = serializers.IntegerField(allow_null=True, source="change.number")
    refusal = serializers.CharField()


class UpdatedList(Output):
    """The results for the templates that include a fragment."""

    results = UpdatedOutput(many=True)


class ConflictOutput(Output):
    """Lines that both sides of a merge changed."""

    line = serializers.IntegerField()
    base = serializers.CharField()
    ours = serializers.CharField()
    theirs = serializers.CharField()


class MergeOutput(Output):
    """The merge of the head and the label's version."""

    needed = serializers.BooleanField(source="is_needed")
    base = serializers.IntegerField(allow_null=True, source="base.number")
    held = serializers.IntegerField(allow_null=True, source="served.number")
    head = serializers.IntegerField(allow_null=True, source="head.number")
    clean = serializers.BooleanField(allow_null=True, source="merged.is_clean")
    document = serializers.CharField(allow_null=True, source="merged.text")
    conflicts = ConflictOutput(many=True, source="merged.conflicts")


# The response if the head descends from what the label holds.
NO_MERGE: Answer = {
    "needed": False,
    **dict.fromkeys(("base", "held", "head", "clean", "document")),
    "conflicts": [],
}
