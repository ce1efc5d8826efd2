"""Webhook messages: an event as JSON of Standard Webhooks, signed with every valid secret."""

import json
import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Q
from standardwebhooks.webhooks import Webhook as Signer

from registry.core.encryption import unseal
from registry.core.timestamps import format_moment
from registry.journal.event import format_canonical_json, from_microseconds
from registry.journal.models import Event
from registry.webhooks.models import Delivery, Webhook

__all__ = ["PING", "build_event_message", "build_ping_message", "make_message_id", "sign_headers"]

PING = "webhook.ping"


def make_message_id() -> str:
    """A new message id."""
    return f"msg_{secrets.token_urlsafe(20)}"


def build_event_message(event: Event) -> str:
    """The body for an event: type, timestamp, and data with actor, place, a URL and the event's own facts.

    Documents and discussion are in it by digest only, as in the journal.
    """
    facts = json.loads(event.text)
    at = from_microseconds(event.at)
    return _write(
        event.kind,
        at,
        {
            "event": event.number,
            "namespace": event.namespace,
            "template": event.template or None,
            "version": event.version,
            "change": event.change,
            "person": event.person,
            "key": event.key or None,
            "url": _build_address(event),
            "details": facts["body"],
        },
    )


def build_ping_message(webhook: Webhook, person: str, at: datetime) -> str:
    """The body of a test message."""
    data = {"webhook": webhook.id, "namespace": webhook.namespace.name, "person": person}
    return _write(PING, at, data)


def sign_headers(delivery: Delivery, at: datetime) -> dict[str, str]:
    """The headers of one attempt: id, time, and a signature with each valid secret, newest first. A chat gets none of
    these.

    Raises Conflict if a secret can no longer be decrypted.
    """
    headers = {"content-type": "application/json", "user-agent": "Promptuary"}
    if delivery.webhook.is_chat:
        return headers
    valid = delivery.webhook.secrets.filter(Q(expires_at=None) | Q(expires_at__gt=at)).order_by("-pk")
    # `sign` treats the given time as UTC, whatever its zone.
    signed = [Signer(unseal(secret.sealed)).sign(delivery.message, at, delivery.body) for secret in valid]
    return {
        **headers,
        "webhook-id": delivery.message,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signed),
    }


def _write(kind: str, at: datetime, data: dict[str, Any]) -> str:
    moment = format_moment(at)
    return format_canonical_json({"type": kind, "timestamp": moment, "data": data})


def _build_address(event: Event) -> str:
    if event.change is not None:
        return f"{settings.BASE_URL}/changes/{event.change}"
    if event.template:
        return f"{settings.BASE_URL}/t/{event.template}"
    return f"{settings.BASE_URL}/t/{event.namespace}/"
