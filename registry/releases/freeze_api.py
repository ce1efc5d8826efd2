"""Freezes of a namespace: listing, setting and removing them. Members read, admins write, not by key."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.freezes import queries, services
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.releases.stopped_schedules import FreezeEffect, list_freeze_effects
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.output_serializers import Moment, Output, ProblemOutput

__all__ = ["Freezes", "OneFreeze"]


class FreezeInput(Input):
    """When nothing is published to protected labels."""

    repeat = Text(help_text=f"One of {', '.join(services.REPEATS)}.")
    starts = Text(help_text="Once: a date and time (ISO 8601). Weekly: a day and time, as in fri 16:00.")
    ends = Text(help_text="As `starts`. A weekly one that ends before it starts ends in the next week.")
    time_zone = Text(required=False, default="", help_text="An IANA name such as Europe/Zurich; empty for UTC.")
    reason = Text(help_text="Read by whoever wants to publish then.")


class StoppedScheduleOutput(Output):
    """A change or a release whose scheduled moment is in the freeze, so it is not published then; or a rollout whose
    next step is, so it waits until the freeze ends.
    """

    kind = serializers.ChoiceField(choices=("change", "release", "rollout"))
    number = serializers.IntegerField()
    subject = serializers.CharField(help_text="Template and version of a change or rollout, title of a release.")
    goes_live_at = Moment(help_text="Of a rollout: when its next step is due.")
    scheduled_by = serializers.CharField(help_text="Of a rollout: the person who started or last resumed it.")
    change = serializers.IntegerField(allow_null=True, help_text="The change itself, or that of a rollout.")


class FreezeOutput(Output):
    """A freeze: once with `starts_at`, weekly with `weekly_start`."""

    number = serializers.IntegerField(source="freeze.number")
    repeat = serializers.SerializerMethodField()
    starts_at = Moment(source="freeze.starts_at", allow_null=True)
    ends_at = Moment(source="freeze.ends_at", allow_null=True)
    weekly_start = serializers.CharField(
        source="freeze.weekly_start", help_text="As in fri 16:00; empty where it happens once."
    )
    weekly_end = serializers.CharField(source="freeze.weekly_end")
    time_zone = serializers.CharField(source="freeze.time_zone", help_text="Of a weekly one.")
    reason = serializers.CharField(source="freeze.reason")
    created_by = serializers.CharField(source="freeze.created_by.username")
    created_at = Moment(source="freeze.created_at")
    stops = StoppedScheduleOutput(many=True, help_text="Scheduled publishes and steps of rollouts that are due in it.")

    def get_repeat(self, effect: FreezeEffect) -> str:
        """`once` or `weekly`."""
        return "weekly" if effect.freeze.is_weekly else "once"


class FreezeList(Output):
    """The freezes of a namespace that are not over."""

    results = FreezeOutput(many=True)


class Freezes(IdempotentView):
    """The freezes of a namespace."""

    @extend_schema(operation_id="listFreezes", responses={200: FreezeList, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the current and the coming freezes."""
        rows = queries.list_freezes(identify_actor(request), namespace)
        return Response({"results": [FreezeOutput.of(row) for row in list_freeze_effects(rows)]})

    @extend_schema(operation_id="setFreeze", request=FreezeInput, responses={201: FreezeOutput, "4XX": ProblemOutput})
    def post(self, request: Request, namespace: str) -> Response:
        """Set a freeze: nothing is published to protected labels in that time. Rolling back and emergencies ignore it.
        For admins, not by key.
        """
        freeze = services.set_freeze(
            actor=identify_actor(request), namespace=namespace, **read_body(FreezeInput, request)
        )
        return Response(FreezeOutput.of(list_freeze_effects([freeze])[0]), 201)


class OneFreeze(APIView):
    """One freeze."""

    @extend_schema(operation_id="removeFreeze", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, namespace: str, number: int) -> Response:
        """End a freeze immediately. For admins, not by key."""
        services.remove_freeze(actor=identify_actor(request), namespace=namespace, number=number)
        return Response(status=204)
