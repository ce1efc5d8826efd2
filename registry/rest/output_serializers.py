"""Serializers of answers that every part of the API shares."""

from typing import Any

from rest_framework import serializers

__all__ = ["FoundProblem", "Output", "ProblemOutput"]


class Output(serializers.Serializer[Any]):
    """Fields of an answer."""


class FoundProblem(Output):
    code = serializers.CharField()
    severity = serializers.ChoiceField(["error", "warning", "note"])
    message = serializers.CharField()
    line = serializers.IntegerField()
    column = serializers.IntegerField()
    end_line = serializers.IntegerField(allow_null=True)
    end_column = serializers.IntegerField(allow_null=True)
    fix = serializers.DictField(allow_null=True)
    variable = serializers.CharField(allow_null=True)
    sample = serializers.CharField(allow_null=True)


class ProblemOutput(Output):
    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    problems = FoundProblem(many=True, required=False)
    fields = serializers.DictField(child=serializers.CharField(), required=False)  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
