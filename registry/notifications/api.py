"""Following a template over the API. For people who signed in, never by key."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces.authentication import actor_of
from registry.notifications import following
from registry.notifications.models import Watch
from registry.rest.input_serializers import Input, read
from registry.rest.output_serializers import Output, ProblemOutput

__all__ = ["Following"]


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
    """Whether you follow one template."""

    @extend_schema(operation_id="getFollowing", responses={200: FollowOutput, "4XX": ProblemOutput})
    def get(self, request: Request, name: str) -> Response:
        """Whether you follow this template. A wider choice, such as for its namespace, is not included."""
        return _answer(following.get_follow(actor_of(request), name))

    @extend_schema(
        operation_id="followTemplate", request=FollowInput, responses={200: FollowOutput, "4XX": ProblemOutput}
    )
    def put(self, request: Request, name: str) -> Response:
        """Follow a template: you are notified of what others do to it, on the home page and by mail."""
        actor = actor_of(request)
        following.follow_template(actor=actor, name=name, **read(FollowInput, request))
        return _answer(following.get_follow(actor, name))

    @extend_schema(operation_id="unfollowTemplate", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, name: str) -> Response:
        """Stop following a template: you are notified only of what concerns you. No error if you don't follow it."""
        following.unfollow_template(actor=actor_of(request), name=name)
        return Response(status=204)


def _answer(watch: Watch | None) -> Response:
    return Response({"follows": watch is not None, "topics": watch.topic_list if watch else []})
