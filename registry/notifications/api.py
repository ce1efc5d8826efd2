"""Following a template, and reminding people of two-step sign-in, over the API. For signed-in people, never by key."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.notifications import following, two_step_reminders
from registry.notifications.models import Watch
from registry.rest.input_serializers import Input, read_body
from registry.rest.output_serializers import Moment, Output, ProblemOutput

__all__ = ["Following", "TwoStepReminder"]


class FollowInput(Input):
    """What of the template to hear of."""

    topics = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        default=list,
        max_length=20,
        help_text=f"Of {', '.join(Watch.TOPICS)}; empty for all of them.",
    )


class FollowOutput(Output):
    """Whether the person follows the template, and what they hear of."""

    follows = serializers.BooleanField()
    topics = serializers.ListField(child=serializers.CharField(), help_text="Empty: all of them.")


class Following(APIView):
    """Whether the caller follows a template."""

    @extend_schema(operation_id="getFollowing", responses={200: FollowOutput, "4XX": ProblemOutput})
    def get(self, request: Request, name: str) -> Response:
        """Whether you follow this template. A wider choice, such as for its namespace, is not included."""
        return _answer(following.get_follow(identify_actor(request), name))

    @extend_schema(
        operation_id="followTemplate", request=FollowInput, responses={200: FollowOutput, "4XX": ProblemOutput}
    )
    def put(self, request: Request, name: str) -> Response:
        """Follow a template: you are notified by mail of what others do to it."""
        actor = identify_actor(request)
        following.follow_template(actor=actor, name=name, **read_body(FollowInput, request))
        return _answer(following.get_follow(actor, name))

    @extend_schema(operation_id="unfollowTemplate", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, name: str) -> Response:
        """Stop following a template: you are notified only of what concerns you. No error if you don't follow it."""
        following.unfollow_template(actor=identify_actor(request), name=name)
        return Response(status=204)


class ReminderOutput(Output):
    """What a person was reminded of, and when."""

    sentence = serializers.CharField(help_text="In the person's language.")
    created_at = Moment()


class TwoStepReminder(IdempotentView):
    """A reminder of two-step sign-in."""

    @extend_schema(operation_id="remindOfTwoStep", request=None, responses={201: ReminderOutput, "4XX": ProblemOutput})
    def post(self, request: Request, person: str) -> Response:
        """Remind a person who can only read in a namespace of yours until two-step sign-in is on: on their home page
        and by mail. At most once in 24 hours. For admins of the namespace and of the installation."""
        reminder = two_step_reminders.remind_of_two_step(actor=identify_actor(request), username=person)
        return Response(ReminderOutput.of(reminder), status=201)


def _answer(watch: Watch | None) -> Response:
    return Response({"follows": watch is not None, "topics": watch.topic_list if watch else []})
