"""Merging what a label holds into a request that diverged from it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.changes import merge as services
from registry.changes import queries as change_queries
from registry.changes.api import show_change
from registry.changes.merge_serializers import NO_MERGE, MergeOutput
from registry.changes.serializers import ChangeOutput
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.namespaces.verbs import Verb
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Text, read_body

__all__ = ["Merge"]


class MergeInput(Input):
    """The merged document, if there are conflicts to decide."""

    document = Text(required=False, allow_null=True, default=None, help_text="Not needed where the merge is clean.")
    message = Text(required=False, default="")


class Merge(IdempotentView):
    """The proposed version and what the label holds, brought together line by line."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="getMerge",
        responses={200: MergeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, number: int) -> Response:
        """Whether a merge is needed, and the merged document; conflicts are between markers and are listed."""
        preview = services.preview_merge(change_queries.get_change(identify_actor(request), number))
        return Response(MergeOutput.of(preview) if preview else NO_MERGE)

    @extend_schema(
        operation_id="mergeChange",
        request=MergeInput,
        responses={200: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Save the merge as a version made from the one that the label serves, and propose it. Earlier approvals no
        longer count.
        """
        services.merge_change(actor=identify_actor(request), number=number, **read_body(MergeInput, request))
        return show_change(request, number, Verb.SAVE)
