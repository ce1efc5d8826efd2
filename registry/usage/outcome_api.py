"""API of outcomes: scores of replies come in, means and intervals by version go out."""

# no texts here: services read it

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Number, Text, read_body
from registry.templates import queries as template_queries
from registry.usage import outcome_queries, outcomes
from registry.usage.outcomes import LARGEST_VALUE, MAX_ID_LENGTH, OutcomeEntry

__all__ = ["Outcomes", "TemplateOutcomes"]

LIMIT = 1000  # of one request


class OutcomeInput(Input):
    """A score of one reply."""

    template = Text(max_length=520)
    digest = serializers.RegexField(
        r"^sha256:[0-9a-f]{64}$",
        help_text="Of the version that was rendered.",
        error_messages={"invalid": "sha256: and 64 hexadecimal digits in lower case."},
    )
    name = serializers.RegexField(
        r"^[a-z][a-z0-9_]{0,59}$",
        help_text="Of the score, such as `helpful`.",
        error_messages={"invalid": "1 to 60 lower-case letters, digits and _, a letter first."},
    )
    value = Number(min_value=-LARGEST_VALUE, max_value=LARGEST_VALUE, help_text="0 or 1 counts as a share.")
    trace_id = Text(
        max_length=MAX_ID_LENGTH,
        required=False,
        default="",
        help_text="Of the reply. A later score of this name with the same trace id replaces the earlier one.",
    )
    bucket = Text(
        max_length=MAX_ID_LENGTH,
        required=False,
        default="",
        help_text="Whose reply it was, such as a user's number. Only a hash of it is kept, to count them.",
    )


class OutcomesInput(Input):
    """Scores of replies."""

    outcomes = serializers.ListField(child=OutcomeInput(), max_length=LIMIT)


class IgnoredOutcomeOutput(output_serializers.Output):
    """A score that was not counted: its place in the list, from 0, and why."""

    index = serializers.IntegerField()
    reason = serializers.CharField()


class OutcomesOutput(output_serializers.Output):
    """How many scores were counted, and which were not."""

    accepted = serializers.IntegerField()
    ignored = IgnoredOutcomeOutput(many=True)


class ScoreOutput(output_serializers.Output):
    """The scores of one name for one version. `low` and `high` bound the mean with 95 % confidence; null below 30."""

    name = serializers.CharField()
    by = serializers.ChoiceField(choices=("people", "services"))
    count = serializers.IntegerField()
    mean = output_serializers.Number()
    low = output_serializers.Number(allow_null=True)
    high = output_serializers.Number(allow_null=True)
    is_share = serializers.BooleanField(help_text="Whether all values are 0 or 1.")
    buckets = serializers.IntegerField(help_text="Different callers among the scores that came with a bucket.")
    reading = serializers.ChoiceField(
        choices=("", "better", "worse", "unclear"),
        allow_blank=True,
        help_text="Against the version before that has this score; empty where there is none.",
    )
    last_at = output_serializers.Moment()


class VersionScoresOutput(output_serializers.Output):
    """One version's scores."""

    version = serializers.IntegerField()
    scores = ScoreOutput(many=True)


class TemplateOutcomesOutput(output_serializers.Output):
    """Scores of the last thirty days, the newest version first."""

    versions = VersionScoresOutput(many=True)


class Outcomes(IdempotentView):
    """Where services and people report scores."""

    @extend_schema(
        operation_id="report_outcomes",
        request=OutcomesInput,
        responses={202: OutcomesOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Report scores of replies, by the digest of the version that was rendered. Never send a reply's text."""
        entries = [OutcomeEntry(**entry) for entry in read_body(OutcomesInput, request)["outcomes"]]
        ignored = outcomes.add_outcomes(actor=identify_actor(request), entries=entries)
        answer = {
            "accepted": len(entries) - len(ignored),
            "ignored": [{"index": entry.index, "reason": entry.reason} for entry in ignored],
        }
        return Response(answer, status=202)


class TemplateOutcomes(APIView):
    """The scores of a template's versions."""

    @extend_schema(
        operation_id="list_outcomes",
        responses={200: TemplateOutcomesOutput, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """Read the mean and interval of each score of each version, from the last thirty days."""
        template = template_queries.get_template(identify_actor(request), name)
        changes = outcome_queries.compare_scores(outcome_queries.read_scores_by_version(template))
        versions = [
            {"version": number, "scores": [_describe_score(change) for change in rows]}
            for number, rows in changes.items()
        ]
        return Response(TemplateOutcomesOutput.of({"versions": versions}))


def _describe_score(change: outcome_queries.ScoreChange) -> dict[str, Any]:
    score = change.score
    return {
        "name": score.name,
        "by": "people" if score.by_person else "services",
        "count": score.count,
        "mean": score.mean,
        "low": score.low,
        "high": score.high,
        "is_share": score.is_share,
        "buckets": score.buckets,
        "reading": change.reading,
        "last_at": score.last_at,
    }
