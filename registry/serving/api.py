"""Versions: fetching one, and the history."""

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.core.client_address import read_client_address
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.list_responses import answer_page, read_query
from registry.serving.fetcher import get_fetcher
from registry.serving.responses import Answer
from registry.serving.rollout_sides import read_bucket
from registry.templates import limited_key_view
from registry.templates.serializers import FetchOutput, HistoryItem, HistoryPage

__all__ = ["Fetch", "History"]


class Fetch(APIView):
    """A version with all that rendering it needs. Not throttled: this is what services do all day."""

    throttle_classes = ()

    @extend_schema(
        operation_id="fetchVersion",
        parameters=[
            OpenApiParameter("name", str, OpenApiParameter.PATH),
            OpenApiParameter("ref", str, OpenApiParameter.PATH, description="A number, a label or a digest."),
            OpenApiParameter(
                "bucket",
                str,
                description="Who asks, such as a user's id: chooses the side while a rollout divides the label.",
            ),
            OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER),
        ],
        responses={
            200: FetchOutput,
            304: None,
            "4XX": output_serializers.ProblemOutput,
        },
    )
    def get(self, request: Request, name: str, ref: str) -> HttpResponse:
        """Fetch by number, digest (both immutable) or label, with an entity tag for conditional requests."""
        actor, target = identify_actor(request), f"{name}@{ref}"
        known_etag = request.headers.get("If-None-Match", "")
        bucket = read_bucket(request.META.get("QUERY_STRING", ""))
        get_fetcher().follower.mark_due()  # this path is slow anyway, so it can be exact
        if actor.key is not None:
            authorization = request.META["HTTP_AUTHORIZATION"]
            return _respond(
                get_fetcher().answer(authorization, target, known_etag, read_client_address(request.META), bucket)
            )
        return _respond(get_fetcher().answer_person(actor.person, target, known_etag, bucket))


class History(APIView):
    """The versions of a template."""

    @extend_schema(
        operation_id="listVersions",
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses={200: HistoryPage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, name: str) -> Response:
        """List the versions of a template, newest first; for a limited key those that it may fetch. `commit` is null
        until the mirror has it."""
        page = limited_key_view.list_visible_versions(identify_actor(request), name, **read_query(request))
        return answer_page(request, page, HistoryItem.of)


def _respond(answer: Answer) -> HttpResponse:
    return HttpResponse(answer.body, status=answer.status, headers=dict(answer.headers))
