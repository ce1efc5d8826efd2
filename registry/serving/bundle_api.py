"""API of what a namespace serves as a whole: the bundle of a label, and the moves of its labels."""

from django.http import HttpResponse
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from registry.core.client_address import read_client_address
from registry.core.errors import NotFound
from registry.namespaces.authentication import identify_actor
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import find_role
from registry.rest import output_serializers
from registry.serving import namespace_bundle
from registry.serving.credentials import Caller
from registry.serving.fetcher import get_fetcher
from registry.serving.label_moves_long_poll import label_moves_poll
from registry.serving.responses import Answer
from registry.serving.serializers import BundleOutput, MovesOutput

__all__ = ["Bundle", "Moves"]


class Bundle(APIView):
    """All versions that a label holds, for a service that starts cold. Not throttled, as no fetch is."""

    throttle_classes = ()

    @extend_schema(
        operation_id="fetchBundle",
        parameters=[
            OpenApiParameter("label", str, description="production if none"),
            OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER),
        ],
        responses={
            200: BundleOutput,
            304: None,
            "4XX": output_serializers.ProblemOutput,
        },
    )
    def get(self, request: Request, namespace: str) -> HttpResponse:
        """Fetch all versions that a label serves in a namespace, sorted by name, with one digest for conditional
        requests.
        """
        get_fetcher().follower.mark_due()
        label = request.query_params.get("label", "production")
        known_etag = request.headers.get("If-None-Match", "")
        return _respond(
            namespace_bundle.answer_bundle(
                get_fetcher(), _authenticate(request, namespace), namespace, label, known_etag
            )
        )


class Moves(APIView):
    """Label moves since a cursor. Not throttled; ahead of Django the request may wait for one."""

    throttle_classes = ()

    @extend_schema(
        operation_id="listMoves",
        parameters=[
            OpenApiParameter("after", str, description="The cursor of the answer before; none: the cursor of now."),
            OpenApiParameter("wait", int, description="Seconds to wait for a move where there is none, up to 30."),
        ],
        responses={200: MovesOutput, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, namespace: str) -> HttpResponse:
        """The label moves since then. Ask again after `again` seconds."""
        actor, query = identify_actor(request), request.META.get("QUERY_STRING", "")
        get_fetcher().follower.mark_due()
        if actor.key is not None:
            authorization, address = request.META["HTTP_AUTHORIZATION"], read_client_address(request.META)
            return _respond(label_moves_poll().answer(authorization, namespace, query, address))
        return _respond(label_moves_poll().answer_caller(_authenticate(request, namespace), namespace, query))


def _authenticate(request: Request, namespace: str) -> Caller:
    actor = identify_actor(request)
    if actor.key is not None:
        return get_fetcher().authenticate(request.META["HTTP_AUTHORIZATION"], read_client_address(request.META))
    space = Namespace.objects.filter(name=namespace).first()
    if space is None or find_role(actor.person, space) is None:
        raise NotFound(
            gettext("There is no namespace {name}, or you don't have access to it.").format(name=namespace[:100])
        )
    return Caller("", space.name)


def _respond(answer: Answer) -> HttpResponse:
    return HttpResponse(answer.body, status=answer.status, headers=dict(answer.headers))
