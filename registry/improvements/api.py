"""API of improvements: asking a model for a better text of a run's version, and accepting or dismissing it."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.improvements import queries, services
from registry.improvements.failing_rows import MAX_SHOWN
from registry.improvements.queries import MAX_GUIDANCE_LENGTH
from registry.improvements.serializers import (
    ImprovementDetailOutput,
    ImprovementOutput,
    ImprovementPage,
    ImprovementPlanOutput,
    TakenDraftOutput,
)
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.rest.input_serializers import Input, Integer, NoInput, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.rest.output_serializers import ProblemOutput

__all__ = [
    "DismissImprovement",
    "OneImprovement",
    "PlanImprovement",
    "RunImprovements",
    "StopImprovement",
    "TakeImprovement",
]

_DETAIL = {200: ImprovementDetailOutput, "4XX": ProblemOutput}


class ImprovementInput(Input):
    """Whom to ask, by which template, and with how many failing rows."""

    model = Text()
    prompt = Text(help_text="namespace/name@ref of a template that asks for improvements")
    rows = Integer(required=False, default=5, help_text=f"1 to {MAX_SHOWN}, and at most half of those that failed")
    guidance = Text(required=False, default="", help_text=f"up to {MAX_GUIDANCE_LENGTH} characters")


class TakeInput(Input):
    """The name of the draft."""

    draft = Text()


class RunImprovements(IdempotentView):
    """The caller's improvements of a run."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="listImprovements",
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses={200: ImprovementPage, "4XX": ProblemOutput},
    )
    def get(self, request: Request, number: int) -> Response:
        """List your own improvements of a run, newest first."""
        page = queries.list_own_improvements(identify_actor(request), number, **read_query(request))
        return answer_page(request, page, ImprovementOutput.of)

    @extend_schema(
        operation_id="startImprovement",
        request=ImprovementInput,
        responses={202: ImprovementOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Start an improvement: the worker asks a model for a better text, and measures it on the run's rows; nothing
        is applied."""
        fields = read_body(ImprovementInput, request)
        improvement = services.start_improvement(actor=identify_actor(request), run=number, **fields)
        address = f"/api/v1/improvements/{improvement.number}"
        return Response(ImprovementOutput.of(improvement), 202, headers={"Location": address})


class PlanImprovement(APIView):
    """Plan an improvement without starting it."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="planImprovement",
        request=ImprovementInput,
        responses={200: ImprovementPlanOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Preview an improvement: the rows that would be sent, and the expected cost. No model is called, nothing is
        stored.
        """
        plan = queries.plan_improvement(
            actor=identify_actor(request), run=number, **read_body(ImprovementInput, request)
        )
        return Response(ImprovementPlanOutput.of(plan))


class OneImprovement(APIView):
    """One improvement of the caller."""

    @extend_schema(operation_id="getImprovement", responses=_DETAIL)
    def get(self, request: Request, number: int) -> Response:
        """Read an improvement: its state, the proposal, and the figures once it is measured."""
        return Response(ImprovementDetailOutput.of(queries.find_own_improvement(identify_actor(request), number)))


class StopImprovement(IdempotentView):
    """Stop an improvement."""

    @extend_schema(operation_id="stopImprovement", request=NoInput, responses=_DETAIL)
    def post(self, request: Request, number: int) -> Response:
        """Stop an improvement: no further calls are made; one that is under way is counted."""
        read_body(NoInput, request)
        return Response(
            ImprovementDetailOutput.of(services.stop_improvement(actor=identify_actor(request), number=number))
        )


class TakeImprovement(IdempotentView):
    """Take an improvement's text into a draft."""

    @extend_schema(
        operation_id="takeImprovement", request=TakeInput, responses={200: TakenDraftOutput, "4XX": ProblemOutput}
    )
    def post(self, request: Request, number: int) -> Response:
        """Create a draft of yours from the proposal."""
        name = read_body(TakeInput, request)["draft"]
        draft = services.take_improvement(actor=identify_actor(request), number=number, draft_name=name)
        return Response(TakenDraftOutput.of(draft))


class DismissImprovement(IdempotentView):
    """Dismiss an improvement."""

    @extend_schema(operation_id="dismissImprovement", request=NoInput, responses=_DETAIL)
    def post(self, request: Request, number: int) -> Response:
        """Dismiss the proposal; it can be read for 30 days."""
        read_body(NoInput, request)
        return Response(
            ImprovementDetailOutput.of(services.dismiss_improvement(actor=identify_actor(request), number=number))
        )
