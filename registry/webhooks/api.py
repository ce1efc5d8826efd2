"""Webhooks: listing, making, changing, trying and removing them, and the log of what they were sent. For admins."""

from datetime import timedelta
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.core.timestamps import format_moment
from registry.idempotency.views import IdempotentView
from registry.journal import log
from registry.namespaces.authentication import identify_actor
from registry.rest import output_serializers
from registry.rest.input_serializers import Flag, Input, Integer, Text, read_body
from registry.rest.list_responses import answer_page, read_query
from registry.webhooks import queries, services
from registry.webhooks.models import Attempt, Delivery, Webhook

__all__ = ["Deliveries", "OneWebhook", "Ping", "Replay", "Rotate", "Webhooks"]


class WebhookInput(Input):
    """An address and what it hears of."""

    url = Text(help_text="https, to a public address.")
    kinds = serializers.ListField(
        child=Text(), required=False, default=list, help_text="Kinds of events, as label.moved; empty for all."
    )
    template = Text(required=False, default="", help_text="A pattern of paths in the namespace; empty for all.")
    receiver = Text(
        required=False,
        default=Webhook.STANDARD,
        help_text="What reads the messages: standard (signed, Standard Webhooks), slack or teams.",
    )


class WebhookPatch(Input):
    """What is to change; what is absent or null stays."""

    url = Text(required=False, allow_null=True)
    kinds = serializers.ListField(child=Text(), required=False, allow_null=True)
    template = Text(required=False, allow_null=True)
    paused = Flag(required=False, allow_null=True, help_text="true gives up what waits; false goes on from now.")


class WebhookRotation(Input):
    """How long the secrets before go on signing."""

    overlap_hours = Integer(required=False, default=24, min_value=0, max_value=720)


class WebhookReplay(Input):
    """What to send again."""

    message = Text(required=False, allow_null=True, default=None, help_text="One message's id; null: all that failed.")


class WebhookOutput(output_serializers.Output):
    id = serializers.CharField()
    receiver = serializers.ChoiceField(Webhook.RECEIVERS)
    url = serializers.CharField(help_text="Of slack and teams only scheme and host: the rest is a secret.")
    kinds = serializers.ListField(child=serializers.CharField())
    template = serializers.CharField()
    paused_at = serializers.DateTimeField(allow_null=True)
    pause_reason = serializers.CharField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    old_secret_until = serializers.DateTimeField(allow_null=True, help_text="Until then an older secret signs as well.")


class WebhookMade(WebhookOutput):
    secret = serializers.CharField(
        help_text="What receivers verify signatures with, shown this once; empty for slack and teams."
    )


class WebhookList(output_serializers.Output):
    results = WebhookOutput(many=True)


class AttemptOutput(output_serializers.Output):
    at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True, help_text="null: there was no answer.")
    milliseconds = serializers.IntegerField()
    said = serializers.CharField(help_text="The beginning of the answer, or why there was none.")


class DeliveryOutput(output_serializers.Output):
    message = serializers.CharField()
    kind = serializers.CharField()
    event = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(Delivery.STATES)
    due_at = serializers.DateTimeField(allow_null=True, help_text="When it is tried next; null once it is settled.")
    created_at = serializers.DateTimeField()
    body = serializers.CharField()
    attempts = AttemptOutput(many=True)


class DeliveryPage(output_serializers.Output):
    results = DeliveryOutput(many=True)
    next = serializers.CharField(allow_null=True)


class ReplayOutput(output_serializers.Output):
    queued = serializers.IntegerField()


class Webhooks(IdempotentView):
    """The webhooks of a namespace."""

    @extend_schema(operation_id="listWebhooks", responses={200: WebhookList, "4XX": output_serializers.ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the webhooks, without their secrets."""
        return Response(
            {
                "results": [
                    _describe_webhook(webhook) for webhook in queries.list_webhooks(identify_actor(request), namespace)
                ]
            }
        )

    @extend_schema(
        operation_id="createWebhook",
        request=WebhookInput,
        responses={201: WebhookMade, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Create a webhook: events are sent to its address. Only this answer contains its secret."""
        created = services.create_webhook(
            actor=identify_actor(request), namespace=namespace, **read_body(WebhookInput, request)
        )
        return _answer(created, 201)


class OneWebhook(APIView):
    """One webhook."""

    @extend_schema(
        operation_id="changeWebhook",
        request=WebhookPatch,
        responses={200: WebhookOutput, "4XX": output_serializers.ProblemOutput},
    )
    def patch(self, request: Request, webhook: str) -> Response:
        """Change a webhook's address or filters, pause it or resume it."""
        return Response(
            _describe_webhook(
                services.change_webhook(
                    actor=identify_actor(request), webhook_id=webhook, **read_body(WebhookPatch, request)
                )
            )
        )

    @extend_schema(
        operation_id="removeWebhook",
        request=None,
        responses={204: None, "4XX": output_serializers.ProblemOutput},
    )
    def delete(self, request: Request, webhook: str) -> Response:
        """Remove a webhook with its log."""
        services.remove_webhook(actor=identify_actor(request), webhook_id=webhook)
        return Response(status=204)


class Rotate(IdempotentView):
    """Replace the secret of a webhook."""

    @extend_schema(
        operation_id="rotateWebhookSecret",
        request=WebhookRotation,
        responses={200: WebhookMade, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, webhook: str) -> Response:
        """Create a new secret; messages are signed with the old and the new one until the overlap ends."""
        overlap = timedelta(hours=read_body(WebhookRotation, request)["overlap_hours"])
        return _answer(services.rotate_secret(actor=identify_actor(request), webhook_id=webhook, overlap=overlap), 200)


class Ping(IdempotentView):
    """Send a test message."""

    @extend_schema(
        operation_id="pingWebhook",
        request=None,
        responses={202: DeliveryOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, webhook: str) -> Response:
        """Queue a test message; the log shows how it went."""
        return Response(
            _describe_delivery(services.ping_webhook(actor=identify_actor(request), webhook_id=webhook)), 202
        )


class Replay(IdempotentView):
    """Send messages again."""

    @extend_schema(
        operation_id="replayWebhook",
        request=WebhookReplay,
        responses={202: ReplayOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, webhook: str) -> Response:
        """Send one message again, or all that failed, with their original ids."""
        queued = services.replay_deliveries(
            actor=identify_actor(request), webhook_id=webhook, **read_body(WebhookReplay, request)
        )
        return Response({"queued": queued}, 202)


class Deliveries(APIView):
    """The log of a webhook."""

    @extend_schema(
        operation_id="listDeliveries",
        parameters=[
            OpenApiParameter("state", str, enum=Delivery.STATES),
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
        ],
        responses={200: DeliveryPage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, webhook: str) -> Response:
        """List the messages, newest first, sent or queued, with every attempt; kept for 30 days."""
        page = queries.list_deliveries(identify_actor(request), webhook, **read_query(request, "state"))
        return answer_page(request, page, _describe_delivery)


def _answer(created: services.CreatedWebhook, status: int) -> Response:
    return Response(
        {**_describe_webhook(created.webhook), "secret": created.secret}, status, headers={"Cache-Control": "no-store"}
    )


def _describe_webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "receiver": webhook.receiver,
        "url": webhook.url,
        "kinds": webhook.subscribed_kinds,
        "template": webhook.template,
        "paused_at": format_moment(webhook.paused_at),
        "pause_reason": webhook.pause_reason,
        "created_by": webhook.created_by.username,
        "created_at": format_moment(webhook.created_at),
        "old_secret_until": format_moment(queries.find_old_secret_end(webhook, log.now())),
    }


def _describe_delivery(delivery: Delivery) -> dict[str, Any]:
    return {
        "message": delivery.message,
        "kind": delivery.kind,
        "event": delivery.event,
        "state": delivery.state,
        "due_at": format_moment(delivery.due_at) if delivery.state == Delivery.PENDING else None,
        "created_at": format_moment(delivery.created_at),
        "body": delivery.body,
        "attempts": [_describe_attempt(attempt) for attempt in sorted(delivery.attempts.all(), key=lambda row: row.pk)],
    }


def _describe_attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "at": format_moment(attempt.at),
        "status": attempt.status,
        "milliseconds": attempt.milliseconds,
        "said": attempt.said,
    }
