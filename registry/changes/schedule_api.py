"""Scheduling and unscheduling the publication of a change request."""

from datetime import UTC

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import schedules
from registry.changes.api import SeenVersion, show_change
from registry.changes.serializers import ChangeOutput
from registry.core.timestamps import read_moment
from registry.namespaces.authentication import identify_actor
from registry.namespaces.verbs import Verb
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.output_serializers import ProblemOutput
from registry.templates.serializers import ExpectedNumber

__all__ = ["ChangeSchedule", "ScheduleInput"]


class ScheduleInput(Input):
    """When it goes live."""

    goes_live_at = Text(help_text="A date and time (ISO 8601), in UTC where it names no offset.")


class ScheduleChangeInput(ScheduleInput):
    """When it goes live, and what the change was seen to propose and its label to serve."""

    version = SeenVersion()
    expected = ExpectedNumber()


class ChangeSchedule(APIView):
    """The schedule of a change request."""

    @extend_schema(
        operation_id="scheduleChange", request=ScheduleChangeInput, responses={200: ChangeOutput, "4XX": ProblemOutput}
    )
    def put(self, request: Request, number: int) -> Response:
        """Schedule the publication. Rights, approvals, checks and freezes are checked at that moment."""
        body = read_body(ScheduleChangeInput, request)
        at = read_moment(schedules.FIELD, body[schedules.FIELD], UTC)
        schedules.schedule_change(
            actor=identify_actor(request), number=number, at=at, version=body["version"], expected=body["expected"]
        )
        return show_change(request, number, Verb.PUBLISH)

    @extend_schema(operation_id="unscheduleChange", request=None, responses={200: ChangeOutput, "4XX": ProblemOutput})
    def delete(self, request: Request, number: int) -> Response:
        """Remove the schedule. The request stays open."""
        schedules.unschedule_change(actor=identify_actor(request), number=number)
        return show_change(request, number, Verb.PUBLISH)
