"""Templates that include a fragment: listing them, and moving them to another version of it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.changes import dependant_update as services
from registry.changes.merge_serializers import DependantList, UpdatedList, UpdatedOutput
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Integer, Text, read_body
from registry.templates import fragments
from registry.templates import queries as template_queries

__all__ = ["Dependants"]


class UpdateInput(Input):
    """The fragment's version to move to, and the label that the requests are for."""

    version = Integer(min_value=1)
    label = Text(  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
        required=False, default="production"
    )
    message = Text(required=False, default="")


class Dependants(IdempotentView):
    """Templates whose latest document includes this one."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="listDependants",
        responses={200: DependantList, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """List the templates that include this one and that the caller may read, with the references as written."""
        actor = identify_actor(request)
        dependants = fragments.list_dependants(actor, template_queries.get_template(actor, name))
        return Response({"results": [{"template": row.name, "references": refs} for row, refs in dependants]})

    @extend_schema(
        operation_id="updateDependants",
        request=UpdateInput,
        responses={200: UpdatedList, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, name: str) -> Response:
        """Save a version of each with its reference updated, and open a request if the label is protected.

        A template that you may not save, or whose new version would not be valid, is skipped, with the reason in
        `refusal`.
        """
        updated = services.update_dependants(
            actor=identify_actor(request), name=name, **read_body(UpdateInput, request)
        )
        return Response({"results": [UpdatedOutput.of(row) for row in updated]})
