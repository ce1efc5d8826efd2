"""Scheduling and unscheduling the publication of a release."""

from datetime import UTC

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.actor import Actor
from registry.changes import schedules as change_schedules
from registry.changes.schedule_api import ScheduleInput
from registry.core.timestamps import read_moment
from registry.namespaces.authentication import identify_actor
from registry.namespaces.verbs import Verb
from registry.releases import queries, schedules
from registry.releases.expected_members import ExpectedMembers, read_expected_members
from registry.releases.serializers import ReleaseFacts, ReleaseOutput
from registry.rest.input_serializers import read_body
from registry.rest.output_serializers import ProblemOutput

__all__ = ["ReleaseSchedule"]


class ScheduleReleaseInput(ScheduleInput):
    """When it goes live, and what was seen of its templates."""

    expected = ExpectedMembers()


class ReleaseSchedule(APIView):
    """The schedule of a release."""

    @extend_schema(
        operation_id="scheduleRelease",
        request=ScheduleReleaseInput,
        responses={200: ReleaseOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, namespace: str, number: int) -> Response:
        """Schedule the publication of the release. Rights, approvals, checks and freezes are checked at that moment."""
        actor = identify_actor(request)
        queries.find_release(actor, Verb.PUBLISH, number, namespace)
        body = read_body(ScheduleReleaseInput, request)
        at = read_moment(change_schedules.FIELD, body[change_schedules.FIELD], UTC)
        schedules.schedule_release(actor=actor, number=number, at=at, expected=read_expected_members(body))
        return _show(actor, number, namespace)

    @extend_schema(operation_id="unscheduleRelease", request=None, responses={200: ReleaseOutput, "4XX": ProblemOutput})
    def delete(self, request: Request, namespace: str, number: int) -> Response:
        """Remove the schedule. The release stays open."""
        actor = identify_actor(request)
        queries.find_release(actor, Verb.PUBLISH, number, namespace)
        schedules.unschedule_release(actor=actor, number=number)
        return _show(actor, number, namespace)


def _show(actor: Actor, number: int, namespace: str) -> Response:
    release = queries.find_release(actor, Verb.PUBLISH, number, namespace)
    return Response(ReleaseOutput.of(ReleaseFacts.read(release, actor)))
