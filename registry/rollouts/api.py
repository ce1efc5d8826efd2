"""API of rollouts: start, list, read, step, pause, resume, stop and finish."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes.api import SeenVersion
from registry.changes.rollout_plan_serializers import RolloutPlanInput
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.verbs import Verb
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Integer, NoInput, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.rollouts import queries, services
from registry.rollouts.serializers import RolloutFacts, RolloutItem, RolloutOutput, RolloutPage
from registry.templates.serializers import ExpectedNumber

__all__ = [
    "FinishRollout",
    "OneRollout",
    "PauseRollout",
    "ResumeRollout",
    "Rollouts",
    "StepRollout",
    "StopRollout",
]

_ANSWERS = {200: RolloutOutput, "4XX": output_serializers.ProblemOutput}
_FILTERS = ("state", "namespace", "template")


class StartRolloutInput(RolloutPlanInput):
    """Which change is published gradually, and how."""

    change = Integer(min_value=1)
    version = SeenVersion()
    expected = ExpectedNumber()


class NextStepInput(Input):
    """From where to go on, where the caller says."""

    share = Integer(required=False, help_text="The share that you saw: 409 where it is another one by now.")


class PauseInput(Input):
    """Why it is paused, if somebody says."""

    reason = Text(required=False, default="")


class StopInput(Input):
    """Why it is stopped."""

    reason = Text()


class Rollouts(IdempotentView):
    """All rollouts that the caller may read."""

    @extend_schema(
        operation_id="listRollouts",
        parameters=[OpenApiParameter(name, str) for name in (*_FILTERS, "cursor")] + [OpenApiParameter("limit", int)],
        responses={200: RolloutPage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request) -> Response:
        """List rollouts, newest first. `state` is running, paused, stopped, finished, or active for the first two."""
        page = queries.list_rollouts(identify_actor(request), **read_query(request, *_FILTERS))
        return answer_page(request, page, RolloutItem.of)

    @extend_schema(
        operation_id="startRollout",
        request=StartRolloutInput,
        responses={201: RolloutOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Publish an approved change gradually: its label serves it to a growing share of the callers."""
        rollout = services.start_rollout(actor=identify_actor(request), **read_body(StartRolloutInput, request))
        answer = _show(request, rollout.number, Verb.PUBLISH, 201)
        answer["Location"] = f"/api/v1/rollouts/{rollout.number}"
        return answer


class OneRollout(APIView):
    """One rollout."""

    @extend_schema(operation_id="getRollout", responses=_ANSWERS)
    def get(self, request: Request, number: int) -> Response:
        """Read a rollout: its plan, its state, and the scores of both sides. Not for limited keys."""
        return _show(request, number, Verb.READ)


class StepRollout(IdempotentView):
    """Take the next step of a rollout."""

    @extend_schema(operation_id="stepRollout", request=NextStepInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Take the next step now. After the last step, everybody gets the candidate."""
        services.step_rollout(actor=identify_actor(request), number=number, **read_body(NextStepInput, request))
        return _show(request, number, Verb.PUBLISH)


class PauseRollout(IdempotentView):
    """Pause a rollout."""

    @extend_schema(operation_id="pauseRollout", request=PauseInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Keep the share as it is until somebody resumes the rollout. Its stop rule stays in force."""
        services.pause_rollout(actor=identify_actor(request), number=number, **read_body(PauseInput, request))
        return _show(request, number, Verb.PUBLISH)


class ResumeRollout(IdempotentView):
    """Resume a paused rollout."""

    @extend_schema(operation_id="resumeRollout", request=NoInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Resume a paused rollout: the wait for its next step begins again."""
        read_body(NoInput, request)
        services.resume_rollout(actor=identify_actor(request), number=number)
        return _show(request, number, Verb.PUBLISH)


class StopRollout(IdempotentView):
    """Stopping a rollout: the stable version is served to everybody again."""

    @extend_schema(operation_id="stopRollout", request=StopInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Stop the rollout: everybody gets the stable version again. The change request stays open."""
        services.stop_rollout(actor=identify_actor(request), number=number, **read_body(StopInput, request))
        return _show(request, number, Verb.ROLL_BACK)


class FinishRollout(IdempotentView):
    """Finishing a rollout: the new version is served to everybody."""

    @extend_schema(operation_id="finishRollout", request=NoInput, responses=_ANSWERS)
    def post(self, request: Request, number: int) -> Response:
        """Serve the candidate to everybody now: the label moves, and the change request is published."""
        read_body(NoInput, request)
        services.finish_rollout(actor=identify_actor(request), number=number)
        return _show(request, number, Verb.PUBLISH)


def _show(request: Request, number: int, verb: Verb, status: int = 200) -> Response:
    """The current state of the rollout, returned by every call that changes it. verb: what the call has just done."""
    actor = identify_actor(request)
    rollout = queries.find_rollout(actor, verb, number)
    return Response(RolloutOutput.of(RolloutFacts.read(rollout, actor)), status)
