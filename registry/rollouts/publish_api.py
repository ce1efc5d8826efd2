"""Publishing a change: moves its label, or starts the rollout that was planned for it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.changes import api as change_api
from registry.changes import services as change_services
from registry.changes.serializers import ChangeOutput
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.verbs import Verb
from registry.rest import output_serializers
from registry.rest.input_serializers import Flag, read_body
from registry.rollouts import publishing

__all__ = ["Publish"]


class PublishInput(change_api.SeenInput):
    """What was seen of the change and its label, and whether a planned rollout is passed over."""

    at_once = Flag(
        required=False,
        default=False,
        help_text="Move the label also where the proposal planned a rollout, which starts otherwise.",
    )


class Publish(IdempotentView):
    """Publishing a change request."""

    @extend_schema(
        operation_id="publishChange",
        request=PublishInput,
        responses={200: ChangeOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, number: int) -> Response:
        """Publish: move the label if nothing blocks the change. If a rollout was planned, start it instead."""
        data, actor = read_body(PublishInput, request), identify_actor(request)
        expectations = {name: data[name] for name in ("version", "expected")}
        if data["at_once"]:
            change_services.publish_change(actor=actor, number=number, **expectations)
        else:
            publishing.publish_as_proposed(actor=actor, number=number, **expectations)
        return change_api.show_change(request, number, Verb.PUBLISH)
