"""API of clients' reports about their renderings."""

# no texts here: services read it

import re
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.core.input_checks import parse_number
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Integer, Text, read_body
from registry.usage import client_reports

__all__ = ["Reports", "ReportsInput"]

LIMIT = 500
MAX_COUNT = 10**9
MAX_TOKENS = 10**8
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


class Counts(serializers.DictField):
    """Counts by name."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=Integer(min_value=0, max_value=MAX_COUNT), required=False, default=dict, **options)


class EntryInput(Input):
    """What one client saw of one version since its last report."""

    name = Text(max_length=520)
    digest = serializers.RegexField(r"^sha256:[0-9a-f]{64}$")
    renders = Integer(min_value=0, max_value=MAX_COUNT)
    failures = Counts(help_text="Problem code or error class to how often.")
    tokens = Counts(help_text="Tokens of the prompt to how many prompts; round up to two figures.")
    inputs = Counts(help_text="Name of an input to how many renderings were given it. Never its value.")
    cut = Integer(
        min_value=0,
        max_value=MAX_COUNT,
        required=False,
        default=0,
        help_text="Of the renders, how many lost text to the token limit.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a report in which more prompts are cut than were rendered."""
        if attrs["cut"] > attrs["renders"]:
            raise serializers.ValidationError({"cut": ["More than were rendered."]})
        return attrs

    def validate_failures(self, value: dict[str, int]) -> dict[str, int]:
        """At most 50 plain codes."""
        if len(value) > client_reports.MAX_CODES or not all(_CODE.fullmatch(code) for code in value):
            raise serializers.ValidationError(
                [f"At most {client_reports.MAX_CODES} codes of letters, digits, '.', '_', '-'."]
            )
        return value

    def validate_tokens(self, value: dict[str, int]) -> dict[int, int]:
        """At most 600 whole numbers."""
        numbers = [parse_number(text) for text in value]
        fits = all(number is not None and number <= MAX_TOKENS for number in numbers)
        if len(value) > client_reports.MAX_BUCKETS or not fits:
            raise serializers.ValidationError(
                [f"At most {client_reports.MAX_BUCKETS} whole numbers up to {MAX_TOKENS}."]
            )
        return {int(text): count for text, count in value.items()}

    def validate_inputs(self, value: dict[str, int]) -> dict[str, int]:
        """At most 200 names."""
        if len(value) > client_reports.MAX_NAMES or not all(0 < len(name) <= 100 for name in value):
            raise serializers.ValidationError([f"At most {client_reports.MAX_NAMES} names of at most 100 characters."])
        return value


class ReportsInput(Input):
    """A client's report: one entry a version."""

    reports = serializers.ListField(child=EntryInput(), max_length=LIMIT)


class IgnoredReport(output_serializers.Output):
    """A report that was not counted, and why."""

    name = serializers.CharField()
    digest = serializers.CharField()
    reason = serializers.CharField()


class ReportOutput(output_serializers.Output):
    """How many reports were counted."""

    accepted = serializers.IntegerField()
    ignored = IgnoredReport(many=True)


class Reports(IdempotentView):
    """Record the usage that clients report."""

    @extend_schema(
        operation_id="report",
        request=ReportsInput,
        responses={202: ReportOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Add counts by version: renders, failures by code, tokens, names of inputs. For keys only; never send
        values.
        """
        entries = [client_reports.ReportEntry(**entry) for entry in read_body(ReportsInput, request)["reports"]]
        result = client_reports.add_reports(actor=identify_actor(request), entries=entries)
        return Response({"accepted": result.accepted, "ignored": result.ignored}, status=202)
