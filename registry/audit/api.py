"""The audit endpoints: pages of events, their export, and the state of the chain."""

from typing import Any

from django.http import StreamingHttpResponse
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.audit import export, queries
from registry.audit import services as audit_services
from registry.audit.queries import EventFilter
from registry.core.timestamps import format_moment
from registry.idempotency.views import IdempotentView
from registry.namespaces import queries as namespace_queries
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.list_responses import answer_page, read_query

__all__ = ["ChainState", "Events", "Export"]

FILTERS = ("kind", "person", "key", "template", "since", "until")
PARAMETERS = [OpenApiParameter(name, str) for name in FILTERS[:4]] + [
    OpenApiParameter(name, OpenApiTypes.DATETIME) for name in FILTERS[4:]
]


class EventOutput(output_serializers.Output):
    number = serializers.IntegerField()
    at = serializers.DateTimeField()
    kind = serializers.CharField()
    person = serializers.CharField()
    key = serializers.CharField(allow_null=True)
    namespace = serializers.CharField()
    template = serializers.CharField(allow_null=True)
    version = serializers.IntegerField(allow_null=True)
    change = serializers.IntegerField(allow_null=True)
    body = serializers.DictField()
    previous = serializers.CharField(allow_null=True)
    hash = serializers.CharField()


class EventPage(output_serializers.Output):
    results = EventOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ChainOutput(output_serializers.Output):
    verified = serializers.IntegerField(allow_null=True, help_text="The last event that the last check reached.")
    fault = serializers.CharField(allow_null=True, help_text="What it found wrong.")
    at = serializers.DateTimeField(allow_null=True)
    running = serializers.BooleanField()


class Events(APIView):
    """The events of a namespace, in pages."""

    @extend_schema(
        operation_id="listEvents",
        parameters=[*PARAMETERS, OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses={200: EventPage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, namespace: str) -> Response:
        """List the namespace's events, newest first. For members; `since` is inclusive, `until` is exclusive."""
        filters = read_query(request, *FILTERS)
        places = {name: filters.pop(name) for name in ("cursor", "limit") if name in filters}
        page = queries.read_page(identify_actor(request), namespace, sought=_read(filters), **places)
        return answer_page(request, page, export.format_event)


class Export(APIView):
    """Export all events of a namespace in one answer."""

    @extend_schema(
        operation_id="exportEvents",
        parameters=[*PARAMETERS, OpenApiParameter("format", str, enum=["csv", "jsonl"], required=True)],
        responses={
            (200, "text/csv"): str,
            (200, "application/x-ndjson"): str,
            "4XX": output_serializers.ProblemOutput,
        },
    )
    def get(self, request: Request, namespace: str) -> StreamingHttpResponse:
        """Export the events that match the filters, oldest first, streamed as CSV or JSON lines. For members."""
        filters = read_query(request, *FILTERS, "format")
        form = filters.pop("format", "")
        filters.pop("limit")
        if "cursor" in filters:
            raise ValidationError({"cursor": [gettext("An export is one answer; it takes no cursor.")]})
        if form not in export.CONTENT_TYPES:
            raise ValidationError(
                {"format": [gettext("One of {names}.").format(names=", ".join(export.CONTENT_TYPES))]}
            )
        lines = queries.stream_events(identify_actor(request), namespace, _read(filters))
        headers = {"Content-Disposition": f'attachment; filename="{namespace}-events.{form}"'}
        return StreamingHttpResponse(
            export.write_lines(form, lines), content_type=export.CONTENT_TYPES[form], headers=headers
        )


class ChainState(IdempotentView):
    """Check the journal's chain of hashes; it is one for all namespaces."""

    @extend_schema(operation_id="getChain", responses={200: ChainOutput, "4XX": output_serializers.ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """Read the result of the last verification of the journal. For members."""
        namespace_queries.get_namespace(identify_actor(request), namespace)
        return Response(_describe_chain())

    @extend_schema(
        operation_id="checkChain",
        request=None,
        responses={202: ChainOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Ask the worker to verify every event. For admins, not by key."""
        audit_services.check_chain(actor=identify_actor(request), namespace=namespace)
        return Response(_describe_chain(), 202)


def _read(filters: dict[str, Any]) -> EventFilter:
    faults: dict[str, Any] = {}
    for name in ("since", "until"):
        if name in filters:
            try:
                filters[name] = serializers.DateTimeField().to_internal_value(filters[name])
            except ValidationError as error:
                faults[name] = error.detail
    if faults:
        raise ValidationError(faults)
    return EventFilter(**filters)


def _describe_chain() -> dict[str, Any]:
    chain = queries.read_chain()
    return {
        "verified": chain.verified,
        "fault": chain.fault or None,
        "at": format_moment(chain.at),
        "running": chain.is_running,
    }
