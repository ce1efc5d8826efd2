"""Evaluations that change requests have to pass, and the models there are."""

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.connections import queries as connection_queries
from registry.evaluations import attachment_queries as queries
from registry.evaluations import attachments as services
from registry.evaluations.attachment_serializers import AttachmentList, AttachmentOutput, ModelList, ModelOutput
from registry.evaluations.models import SCORES_NEEDED
from registry.namespaces import queries as namespace_queries
from registry.namespaces.authentication import identify_actor
from registry.rest.input_serializers import Input, Integer, Text, read_body
from registry.rest.output_serializers import ProblemOutput

__all__ = ["AttachInput", "Attachment", "Attachments", "Models"]

_NAMESPACE = [OpenApiParameter("namespace", str, required=True)]


class AttachInput(Input):
    """Which templates are measured by which rows with which model, and what they have to reach."""

    pattern = Text(help_text="Over paths inside the namespace; * matches anything.")
    dataset = Text()
    dataset_version = Integer(min_value=1, required=False, allow_null=True, default=None)
    model = Text()
    gates = serializers.ListField(child=Text(), help_text="squad_f1 >= 0.8, or squad_f1 - 0.02")
    metrics = serializers.ListField(child=Text(), required=False, default=list)
    scores_needed = Integer(
        min_value=1,
        required=False,
        default=SCORES_NEEDED,
        help_text="How many scores by people a gate `reviewed_by_people >= 0.8` is decided from.",
    )
    nightly = serializers.BooleanField(
        required=False, default=False, help_text="Whether what is live is measured every night."
    )
    judge = Text(required=False, allow_null=True, default=None, help_text="Who judges each row: namespace/name@ref.")
    judge_model = Text(required=False, allow_null=True, default=None)
    judge_paths = serializers.DictField(
        child=Text(), required=False, default=dict, help_text="Where a row has documents, question and response."
    )


class Attachments(APIView):
    """What the change requests of a namespace are measured by."""

    @extend_schema(
        operation_id="listAttachments",
        parameters=_NAMESPACE,
        responses={200: AttachmentList, "4XX": ProblemOutput},
    )
    def get(self, request: Request) -> Response:
        """List the attachments by name."""
        rows = queries.list_attachments(identify_actor(request), _read_namespace(request))
        return Response({"results": [AttachmentOutput.of(row) for row in rows]})


class Attachment(APIView):
    """One evaluation that change requests have to pass."""

    @extend_schema(
        operation_id="attachEvaluation",
        request=AttachInput,
        responses={200: AttachmentOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, namespace: str, name: str) -> Response:
        """Attach an evaluation. One with this name is replaced. For admins who signed in."""
        fields = read_body(AttachInput, request)
        row = services.attach_evaluation(actor=identify_actor(request), namespace=namespace, name=name, **fields)
        return Response(AttachmentOutput.of(row))

    @extend_schema(operation_id="detachEvaluation", responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, namespace: str, name: str) -> Response:
        """Remove an attachment. For admins who signed in."""
        services.detach_evaluation(actor=identify_actor(request), namespace=namespace, name=name)
        return Response(status=204)


class Models(APIView):
    """The models that runs may ask."""

    @extend_schema(operation_id="listModels", parameters=_NAMESPACE, responses={200: ModelList, "4XX": ProblemOutput})
    def get(self, request: Request) -> Response:
        """List the models of a namespace: its connections, those that the operator lists for it, and the echo model."""
        space = namespace_queries.get_namespace(identify_actor(request), _read_namespace(request))
        return Response(
            {"results": [ModelOutput.of(endpoint) for endpoint in connection_queries.list_endpoints(space.name)]}
        )


def _read_namespace(request: Request) -> str:
    namespace = request.query_params.get("namespace", "")
    if not namespace or "\0" in namespace:
        raise ValidationError({"namespace": [gettext("Name a namespace.")]})
    return namespace
