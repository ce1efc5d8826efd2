"""Change requests: propose, decide, publish."""

from datetime import UTC
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import check_results, decisions, emergencies, queries, schedules, services
from registry.changes.rollout_plan_serializers import RolloutPlanInput
from registry.changes.serializers import ChangeFacts, ChangeItem, ChangeOutput, ChangePage, ChangeRow
from registry.core.timestamps import read_moment
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.throttling import CallThrottle, RenderThrottle
from registry.namespaces.verbs import Verb
from registry.rest import output_serializers
from registry.rest.input_serializers import Choice, Input, Integer, NoInput, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.templates.serializers import ExpectedNumber

__all__ = [
    "AcceptBreak",
    "Change",
    "Changes",
    "CloseEmergency",
    "Decide",
    "Emergency",
    "Reopen",
    "RunChecks",
    "SeenInput",
    "SeenVersion",
    "SetVersion",
    "Withdraw",
    "show_change",
]

_ANSWERS = {200: ChangeOutput, "4XX": output_serializers.ProblemOutput}
_FILTERS = ("state", "namespace", "template")


class ProposeInput(Input):
    """What a change request asks for."""

    template = Text()
    label = Text()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    version = Integer(min_value=1)
    message = Text(help_text="Why, for the reviewers; may be empty.")
    expected = ExpectedNumber()
    reviewers = serializers.ListField(
        child=Text(), required=False, default=list, max_length=20, help_text="Usernames asked for a review by name."
    )
    goes_live_at = Text(
        required=False,
        default="",
        help_text="When the worker publishes it (ISO 8601), in UTC where it names no offset.",
    )
    planned_rollout = RolloutPlanInput(
        required=False, allow_null=True, help_text="Publishing starts this rollout; not together with `goes_live_at`."
    )


class SeenVersion(Integer):
    """The number of the version that a change proposed when the caller looked; left out if nobody looked."""

    def __init__(self, **options: Any) -> None:
        # no text: for the schema
        sentence = "The version that the change proposes as you saw it: 409 where it is another by now. null: any."
        more = {"required": False, "allow_null": True, "default": None, "help_text": sentence, **options}
        super().__init__(min_value=1, **more)


class SeenInput(Input):
    """What the change was seen to propose, and its label to serve."""

    version = SeenVersion()
    expected = ExpectedNumber()


class VersionInput(Input):
    """Another version for the request."""

    version = Integer(min_value=1)


class DecisionInput(Input):
    """What a reviewer says to one digest."""

    decision = Choice(["approve", "request_changes", "comment", "take_back"])
    digest = Text()
    text = Text(required=False, default="")


class BreakInput(Input):
    """Why a break of the contract is accepted, for one digest."""

    digest = Text()
    text = Text(help_text="Why callers will not be hurt, or have been told.")


class WithdrawChangeInput(Input):
    """Why it is withdrawn."""

    reason = Text(help_text="Everyone who reviewed it reads this.")


class ClosingInput(Input):
    """Why an emergency needs no approval any more."""

    reason = Text()


class EmergencyInput(SeenInput):
    """Why it can't wait."""

    reason = Text()


class Changes(IdempotentView):
    """All change requests that the caller may read."""

    @extend_schema(
        operation_id="listChanges",
        parameters=[OpenApiParameter(name, str) for name in (*_FILTERS, "cursor")] + [OpenApiParameter("limit", int)],
        responses={200: ChangePage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request) -> Response:
        """List change requests, newest first. `state` is open, approved, published, withdrawn, or pending for all that
        wait for somebody."""
        page = queries.list_changes(identify_actor(request), **read_query(request, *_FILTERS))
        emergency_by_change = emergencies.find_emergencies(page.items)
        return answer_page(request, page, lambda row: ChangeItem.of(ChangeRow(row, emergency_by_change.get(row.pk))))

    @extend_schema(
        operation_id="proposeChange",
        request=ProposeInput,
        responses={201: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Propose a version for a protected label."""
        data, actor = read_body(ProposeInput, request), identify_actor(request)
        text = data.pop(schedules.FIELD)
        at = read_moment(schedules.FIELD, text, UTC) if text else None
        row = schedules.propose_at(actor=actor, at=at, name=data.pop("template"), **data)
        location = f"/api/v1/changes/{row.number}"
        answer = show_change(request, row.number, Verb.PROPOSE, 201)
        answer["Location"] = location
        return answer


class Change(APIView):
    """One change request."""

    @extend_schema(operation_id="getChange", responses=_ANSWERS)
    def get(self, request: Request, number: int) -> Response:
        """Read a change request: what it proposes, its conversation, and what it waits for. Not for limited keys."""
        return show_change(request, number, Verb.READ)


class SetVersion(IdempotentView):
    """The version that a change request proposes."""

    @extend_schema(operation_id="setChangeVersion", request=VersionInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Propose another version. Earlier approvals no longer count."""
        services.set_head(actor=identify_actor(request), number=number, **read_body(VersionInput, request))
        return show_change(request, number, Verb.PROPOSE)


class Decide(IdempotentView):
    """Decisions on a change request."""

    @extend_schema(
        operation_id="decideChange",
        request=DecisionInput,
        responses={201: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Approve, ask for edits or comment on the digest that you read, or take back your earlier decision."""
        decisions.decide_on_change(actor=identify_actor(request), number=number, **read_body(DecisionInput, request))
        return show_change(request, number, Verb.COMMENT, 201)


class RunChecks(IdempotentView):
    """The checks of a change request."""

    throttle_classes = (CallThrottle, RenderThrottle)

    @extend_schema(
        operation_id="runChecks",
        request=NoInput,
        responses={202: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Run the checks that have no result for these digests yet. The worker runs them."""
        read_body(NoInput, request)
        check_results.rerun_checks(actor=identify_actor(request), number=number)
        return show_change(request, number, Verb.COMMENT, 202)


class AcceptBreak(IdempotentView):
    """Acknowledge that a change request breaks the contract."""

    @extend_schema(
        operation_id="acceptBreak",
        request=BreakInput,
        responses={201: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Accept that this digest breaks the contract with callers. For reviewers who signed in; it counts as a
        decision.
        """
        decisions.decide_on_change(
            actor=identify_actor(request), number=number, decision="acknowledge", **read_body(BreakInput, request)
        )
        return show_change(request, number, Verb.COMMENT, 201)


class Emergency(IdempotentView):
    """Publish a change request in an emergency, before its approvals."""

    @extend_schema(operation_id="publishInEmergency", request=EmergencyInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Move the label immediately, without approvals, if the namespace allows it. For reviewers who signed in;
        everybody can read the reason.
        """
        emergencies.publish_in_emergency(
            actor=identify_actor(request), number=number, **read_body(EmergencyInput, request)
        )
        return show_change(request, number, Verb.COMMENT)


class CloseEmergency(IdempotentView):
    """Close an emergency whose version is no longer served."""

    @extend_schema(operation_id="closeEmergency", request=ClosingInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Close an emergency without an approval after the label has moved on. For another reviewer who signed in, with
        a reason.
        """
        emergencies.close_emergency(actor=identify_actor(request), number=number, **read_body(ClosingInput, request))
        return show_change(request, number, Verb.COMMENT)


class Withdraw(IdempotentView):
    """Withdraw a change request."""

    @extend_schema(operation_id="withdrawChange", request=WithdrawChangeInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Withdraw the change, with a reason."""
        services.withdraw_change(
            actor=identify_actor(request), number=number, **read_body(WithdrawChangeInput, request)
        )
        return show_change(request, number, Verb.PROPOSE)


class Reopen(IdempotentView):
    """Reopen a withdrawn change request."""

    @extend_schema(operation_id="reopenChange", request=NoInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Reopen a withdrawn request. It needs new approvals."""
        read_body(NoInput, request)
        services.reopen_change(actor=identify_actor(request), number=number)
        return show_change(request, number, Verb.PROPOSE)


def show_change(request: Request, number: int, verb: Verb, status: int = 200) -> Response:
    """The current state of the request, returned by every call that changes it. verb: what the call has just done."""
    actor = identify_actor(request)
    return Response(ChangeOutput.of(ChangeFacts.read(queries.find_change(actor, verb, number), actor)), status)
