"""Merging what a label holds into a request that was made beside it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.access import Verb
from registry.api import outputs, review_outputs, shapes
from registry.api.authentication import actor_of
from registry.api.changes import show
from registry.api.serializers import Input, Text, read
from registry.api.throttling import CallThrottle, RenderThrottle
from registry.queries import changes, progress
from registry.services import merges as services

__all__ = ["Merge"]


class MergeInput(Input):
    """The merged document, where there are conflicts to decide."""

    document = Text(required=False, allow_null=True, default=None, help_text="Not needed where the merge is clean.")
    message = Text(required=False, default="")


class Merge(APIView):
    """The proposed version and what the label holds, brought together line by line."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(operation_id="getMerge", responses={200: review_outputs.MergeOutput, "4XX": outputs.ProblemOutput})
    def get(self, request: Request, number: int) -> Response:
        """Whether a merge is needed, and what it comes to; conflicts stand between markers and are listed."""
        return Response(shapes.merge(progress.merge(changes.get(actor_of(request), number))))

    @extend_schema(
        operation_id="mergeChange",
        request=MergeInput,
        responses={200: review_outputs.ChangeOutput, "4XX": outputs.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Save the merge as a version made from what the label holds, and propose that; approvals so far are void."""
        services.merge(actor=actor_of(request), number=number, **read(MergeInput, request))
        return show(request, number, Verb.SAVE)
