"""API of people's scores: the scores of a run with their agreement, and setting or removing one's own."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import counted_scores
from registry.evaluations import person_score_queries, person_scores, run_queries
from registry.evaluations.models import PersonScore
from registry.namespaces.authentication import identify_actor
from registry.rest.input_serializers import Choice, Input, Text, read_body
from registry.rest.output_serializers import Moment, Number, Output, ProblemOutput

__all__ = ["RowScore", "RunScores"]

_SCORES = ["good", "bad", *(grade for grade in PersonScore.GRADES if grade.isdigit())]


class ScoreInput(Input):
    """The caller's score of a reply."""

    score = Choice(_SCORES, help_text="good is counted as 5, bad as 1.")
    comment = Text(required=False, default="")


class PersonScoreOutput(Output):
    """One person's score of the reply to one row."""

    index = serializers.IntegerField()
    person = serializers.CharField(source="person.username")
    score = serializers.ChoiceField(_SCORES)
    comment = serializers.CharField()
    by_key = serializers.BooleanField(help_text="Given through a key; no gate counts it.")
    created_at = Moment()
    updated_at = Moment()


class CountedScoreOutput(PersonScoreOutput):
    """One person's score, and whether a gate counts it."""

    counted = serializers.BooleanField(help_text="False for people who contributed to the version, and for keys.")


class AgreementOutput(Output):
    """How far people agree beyond chance. `value` is null if all gave the same score to everything."""

    measure = serializers.ChoiceField(["cohen_kappa", "krippendorff_alpha"])
    value = Number(allow_null=True)
    raters = serializers.IntegerField()
    items = serializers.IntegerField(help_text="Replies that two people or more scored.")


class RunScoresOutput(Output):
    """The scores that people gave a run."""

    mean = Number(allow_null=True, help_text="From 0 to 1, over all scores; null without any.")
    count = serializers.IntegerField()
    raters = serializers.IntegerField()
    agreement = AgreementOutput(allow_null=True)
    differing = serializers.ListField(
        child=serializers.IntegerField(), help_text="Rows that two people graded 2 or more apart."
    )
    scores = CountedScoreOutput(many=True)


class RunScores(APIView):
    """People's scores of a run's replies."""

    @extend_schema(operation_id="listRunScores", responses={200: RunScoresOutput, "4XX": ProblemOutput})
    def get(self, request: Request, number: int) -> Response:
        """List the scores by row and person, with their mean and the agreement of the people."""
        run = run_queries.read_run(identify_actor(request), number)
        scores = person_score_queries.list_person_scores([run])
        contributors = counted_scores.find_run_contributors(run) if scores else frozenset()
        metric = person_score_queries.read_people_metric(scores)
        answer: dict[str, Any] = {
            "mean": metric.mean,
            "count": metric.count,
            "raters": metric.raters,
            "agreement": person_score_queries.measure_run_agreement(scores),
            "differing": sorted(index for _, index in person_score_queries.find_differing_rows(scores)),
            "scores": [
                {
                    **{name: getattr(score, name) for name in _COLUMNS},
                    "counted": not score.by_key and score.person.username not in contributors,
                }
                for score in scores
            ],
        }
        return Response(RunScoresOutput.of(answer))


_COLUMNS = ("index", "person", "score", "comment", "by_key", "created_at", "updated_at")


class RowScore(APIView):
    """The caller's own score of one row's reply."""

    @extend_schema(
        operation_id="setRowScore", request=ScoreInput, responses={200: PersonScoreOutput, "4XX": ProblemOutput}
    )
    def put(self, request: Request, number: int, index: int) -> Response:
        """Set your score of the reply, replacing an earlier one. Only rows with a reply are scored, also while the run
        goes on."""
        fields = read_body(ScoreInput, request)
        row = person_scores.set_score(actor=identify_actor(request), number=number, index=index, **fields)
        return Response(PersonScoreOutput.of(row))

    @extend_schema(operation_id="removeRowScore", responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, number: int, index: int) -> Response:
        """Remove your score and its comment."""
        person_scores.remove_score(actor=identify_actor(request), number=number, index=index)
        return Response(status=204)
