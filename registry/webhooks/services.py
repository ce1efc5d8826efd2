"""Services of webhooks: creating, changing and trying them, and sending messages again. For a namespace's admins."""

import base64
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import safe_http
from registry.core.encryption import seal
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.journal.event import format_canonical_json, list_namespace_kinds
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.webhooks import chat_messages, messages, queries
from registry.webhooks.events import WebhookRemoved, WebhookSet
from registry.webhooks.models import Delivery, Webhook, WebhookSecret

__all__ = [
    "LIMIT",
    "OVERLAP",
    "CreatedWebhook",
    "change_webhook",
    "create_webhook",
    "ping_webhook",
    "remove_webhook",
    "replay_deliveries",
    "rotate_secret",
]

LIMIT = 20  # the most webhooks of one namespace
OVERLAP = timedelta(hours=24)  # how long the old secret still signs after a rotation
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that are easily confused


@dataclass(frozen=True)
class CreatedWebhook:
    """A webhook and its new secret, which is never shown again: `whsec_` and 32 random bytes in base64; empty for a
    chat, whose messages are not signed.
    """

    webhook: Webhook
    secret: str


def create_webhook(
    *,
    actor: Actor,
    namespace: str,
    url: str,
    kinds: Iterable[str] = (),
    template: str = "",
    receiver: str = Webhook.STANDARD,
) -> CreatedWebhook:
    """Create a webhook: the namespace's future events are sent to an address; admins only.

    kinds: of events, empty for all (for a chat: all that people do); template: a pattern of paths in the namespace,
    empty for all; receiver: of the messages, one of Webhook.RECEIVERS. The journal event contains only the host of the
    address, which may contain a secret.
    """
    if receiver not in Webhook.RECEIVERS:
        raise Invalid(fields={"receiver": gettext("one of {names}.").format(names=", ".join(Webhook.RECEIVERS))})
    values = {"receiver": receiver, **_read_address(url, receiver), **_read_filters(kinds, template)}
    at = log.now()
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        permissions.require_proof(actor)
        if space.webhooks.count() >= LIMIT:
            raise Conflict(
                gettext("{namespace} has {most} webhooks: remove one first.").format(namespace=namespace, most=LIMIT)
            )
        webhook = Webhook.objects.create(
            id="".join(secrets.choice(_LETTERS) for _ in range(8)),
            namespace=space,
            cursor=0,  # set below: only events after its creation are sent
            created_by=actor.person,
            created_at=at,
            **values,
        )
        secret = "" if webhook.is_chat else _add_secret(webhook, at)
        event = log.append(actor, _describe(webhook), namespace=space, at=at)
        webhook.cursor = event.number
        webhook.save(update_fields=["cursor"])
    return CreatedWebhook(webhook, secret)


def change_webhook(  # each a thing that can be changed
    *,
    actor: Actor,
    webhook_id: str,
    url: str | None = None,
    kinds: Iterable[str] | None = None,
    template: str | None = None,
    paused: bool | None = None,
) -> Webhook:
    """Change the given fields; admins only. Pausing drops waiting messages; resuming starts with the next event."""
    at = log.now()
    with transaction.atomic():
        log.lock()
        webhook = queries.find_webhook(actor, webhook_id)
        if (url, kinds, template) != (None, None, None):  # where events go; pausing is quick
            permissions.require_proof(actor)
        values = _read_filters(
            webhook.subscribed_kinds if kinds is None else kinds, webhook.template if template is None else template
        )
        if url is not None:
            values |= _read_address(url, webhook.receiver)
        for field, value in values.items():
            setattr(webhook, field, value)
        if paused is True and webhook.paused_at is None:
            webhook.paused_at, webhook.pause_reason = at, f"Paused by {actor.person.username}."
        resumed = paused is False and webhook.paused_at is not None
        if resumed:
            webhook.paused_at, webhook.pause_reason = None, ""
        if paused is True:
            webhook.deliveries.filter(state=Delivery.PENDING).update(state=Delivery.FAILED, finished_at=at)
        event = log.append(actor, _describe(webhook), namespace=webhook.namespace, at=at)
        if resumed:
            webhook.cursor = event.number
        webhook.save()
    return webhook


def remove_webhook(*, actor: Actor, webhook_id: str) -> None:
    """Remove a webhook with its log; admins only."""
    with transaction.atomic():
        log.lock()
        webhook = queries.find_webhook(actor, webhook_id)
        event = WebhookRemoved(id=webhook.id, host=webhook.host)
        log.append(actor, event, namespace=webhook.namespace, at=log.now())
        webhook.delete()


def rotate_secret(*, actor: Actor, webhook_id: str, overlap: timedelta = OVERLAP) -> CreatedWebhook:
    """Create a new secret; earlier ones keep signing for `overlap` (at most 30 days). Admins only."""
    if not timedelta() <= overlap <= timedelta(days=30):
        raise Invalid(fields={"overlap": gettext("from 0 to 30 days.")})
    at = log.now()
    with transaction.atomic():
        log.lock()
        webhook = queries.find_webhook(actor, webhook_id)
        permissions.require_proof(actor)
        if webhook.is_chat:
            raise Conflict(gettext("Messages to a chat are not signed: set the address again, which is its secret."))
        before = webhook.secrets.filter(Q(expires_at=None) | Q(expires_at__gt=at + overlap))
        before.update(expires_at=at + overlap)
        webhook.secrets.filter(expires_at__lte=at).delete()
        secret = _add_secret(webhook, at)
        log.append(actor, _describe(webhook, rotated=True), namespace=webhook.namespace, at=at)
    return CreatedWebhook(webhook, secret)


def ping_webhook(*, actor: Actor, webhook_id: str) -> Delivery:
    """Queue a test message; admins only."""
    with transaction.atomic():
        webhook = queries.find_webhook(actor, webhook_id)
        _require_running(webhook)
        at = log.now()
        return Delivery.objects.create(
            webhook=webhook,
            message=messages.make_message_id(),
            kind=messages.PING,
            body=(
                chat_messages.write_trial_message(webhook, actor.person.display_name)
                if webhook.is_chat
                else messages.build_ping_message(webhook, actor.person.username, at)
            ),
            due_at=at,
            created_at=at,
        )


def replay_deliveries(*, actor: Actor, webhook_id: str, message: str | None = None) -> int:
    """Send one message again, or all that failed, with their original ids, so that receivers detect repeats; admins
    only.
    """
    with transaction.atomic():
        webhook = queries.find_webhook(actor, webhook_id)
        _require_running(webhook)
        deliveries = webhook.deliveries.exclude(state=Delivery.PENDING)
        deliveries = deliveries.filter(state=Delivery.FAILED) if message is None else deliveries.filter(message=message)
        count = deliveries.update(state=Delivery.PENDING, attempts_made=0, due_at=log.now(), finished_at=None)
    if message is not None and not count and not webhook.deliveries.filter(message=message).exists():
        raise NotFound(gettext("There is no message {value} of this webhook.").format(value=message[:40]))
    return count


def _require_running(webhook: Webhook) -> None:
    if webhook.paused_at is not None:
        raise Conflict(
            gettext("The webhook is paused ({pause_reason}) Resume it first.").format(pause_reason=webhook.pause_reason)
        )


def _read_address(url: str, receiver: str) -> dict[str, str]:
    """The columns of the address; for a chat only scheme and host are in plain text."""
    check_text("url", url, 2000, may_hold_secrets=True)  # the journal and the mirror get its host only
    safe_http.check_url(url)
    if receiver == Webhook.STANDARD:
        return {"url": url, "sealed_url": ""}
    parts = urlsplit(url)
    return {"url": f"{parts.scheme}://{parts.netloc}/…", "sealed_url": seal(url)}


def _read_filters(kinds: Iterable[str], template: str) -> dict[str, str]:
    check_text("template", template, 200)
    kind_names = sorted(set(kinds))
    if unknown := [kind for kind in kind_names if kind not in list_namespace_kinds()]:
        all_kinds = ", ".join(list_namespace_kinds())
        raise Invalid(
            fields={
                "kinds": gettext("there is no event {value!r}; there are {all_kinds}.").format(
                    value=str(unknown[0])[:40], all_kinds=all_kinds
                )
            }
        )
    return {"kinds": format_canonical_json(kind_names), "template": template.strip()}


def _add_secret(webhook: Webhook, at: datetime) -> str:
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode("ascii")
    WebhookSecret.objects.create(webhook=webhook, sealed=seal(secret), created_at=at)
    return secret


def _describe(webhook: Webhook, *, rotated: bool = False) -> WebhookSet:
    return WebhookSet(
        id=webhook.id,
        host=webhook.host,
        kinds=webhook.subscribed_kinds,
        template=webhook.template,
        paused=webhook.paused_at is not None,
        rotated=True if rotated else None,
        receiver=webhook.receiver if webhook.is_chat else None,
    )
