"""Output serializers: those of the API's responses, and the problem document that all operations may return."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any

from rest_framework import serializers

from promptuary.renderer.problems import Problem as RendererProblem
from registry.core.help_links import find_problem_url
from registry.core.timestamps import format_moment
from registry.journal.event import from_microseconds

__all__ = [
    "Answer",
    "ExactDecimal",
    "FoundProblem",
    "MicrosecondMoment",
    "Moment",
    "Number",
    "Output",
    "ProblemOutput",
]

Answer = dict[str, Any]


class Output(serializers.Serializer[Any]):
    """Fields of an answer."""

    @classmethod
    def of(cls, instance: object) -> Answer:
        """The object as plain JSON values."""
        return dict(_make_writer(cls).to_representation(instance))


@cache
def _make_writer(shape: type[Output]) -> Output:
    """The shared serializer of this shape: creating one costs more than serializing a row with it."""
    return shape()


class Moment(serializers.DateTimeField):
    """A moment in UTC, always with microseconds."""

    def to_representation(self, value: datetime) -> str:
        """As every moment of the API is written."""
        return format_moment(value)


class MicrosecondMoment(Moment):
    """A moment that is kept as microseconds since 1970 UTC."""

    def to_representation(self, value: Any) -> str:
        """As every moment of the API is written."""
        return format_moment(from_microseconds(value))


class Number(serializers.FloatField):
    """A number as it is: whole numbers stay whole."""

    def to_representation(self, value: Any) -> Any:
        """The number itself."""
        return value


class ExactDecimal(serializers.DecimalField):
    """A decimal as text, digit for digit as it is stored."""

    def to_representation(self, value: Decimal) -> str:
        """The decimal's digits, without an exponent."""
        return format(value, "f")


class FoundProblem(Output):
    """A problem of a document."""

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
    help_url = serializers.SerializerMethodField(help_text="The page that explains the code.")

    def get_help_url(self, problem: RendererProblem | Mapping[str, Any]) -> str:
        """Where the code is explained."""
        return find_problem_url(problem["code"] if isinstance(problem, Mapping) else problem.code)


class ProblemOutput(Output):
    """An error, as RFC 9457 describes it."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    problems = FoundProblem(many=True, required=False)
    # The metaclass removes declared fields from the class.
    fields = serializers.DictField(child=serializers.CharField(), required=False)  # type: ignore[assignment]
