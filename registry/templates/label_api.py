"""Labels: moving one, and going back."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Integer, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.templates import labels as services
from registry.templates import limited_key_view
from registry.templates.serializers import ExpectedNumber, LabelMoveOutput, LabelMovePage, LabelOutput

__all__ = ["History", "Move", "MoveInput", "RollBack", "RollBackInput"]


class MoveInput(Input):
    """Where to, and where from."""

    version = Integer(min_value=1)
    expected = Integer(min_value=1, allow_null=True, help_text="The number it points to; null where it is not set.")
    reason = Text(required=False, default="", help_text="Why, for the history of the label.")


class RollBackInput(Input):
    """Where to, and why."""

    version = Integer(min_value=1)
    reason = Text()
    expected = ExpectedNumber()


class Move(APIView):
    """A label of a template."""

    @extend_schema(
        operation_id="moveLabel",
        request=MoveInput,
        responses={200: LabelOutput, "4XX": output_serializers.ProblemOutput},
    )
    def put(self, request: Request, name: str, label: str) -> Response:
        """Move an unprotected label; a protected one is refused with the type `approval-required`."""
        data = read_body(MoveInput, request)
        row = services.move_label(actor=identify_actor(request), name=name, label=label, **data)
        return Response(LabelOutput.of(row))


class History(APIView):
    """Where a label has been."""

    @extend_schema(
        operation_id="listLabelMoves",
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses={200: LabelMovePage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, name: str, label: str) -> Response:
        """List the moves of a label, newest first: who, from where, where to, how and why."""
        page = limited_key_view.list_visible_moves(identify_actor(request), name, label, **read_query(request))
        return answer_page(request, page, LabelMoveOutput.of)


class RollBack(IdempotentView):
    """A label that goes back to what it held before."""

    @extend_schema(
        operation_id="rollBackLabel",
        request=RollBackInput,
        responses={200: LabelOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, name: str, label: str) -> Response:
        """Roll a label, protected or not, back to a version that it served before. For reviewers, with a reason."""
        data = read_body(RollBackInput, request)
        row = services.roll_back_label(actor=identify_actor(request), name=name, label=label, **data)
        return Response(LabelOutput.of(row))
