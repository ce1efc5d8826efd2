"""Planning of deliveries: each webhook reads the journal with a cursor of its own."""

from fnmatch import fnmatchcase

from django.db import transaction
from django.db.models import Max

from registry.journal import log
from registry.journal.models import Event
from registry.webhooks import messages
from registry.webhooks.models import Delivery, Webhook

__all__ = ["matches_event", "plan_deliveries"]

_BATCH = 200  # events looked at in one transaction


def plan_deliveries() -> int:
    """Queue what each webhook has not been told yet; how many deliveries were made. Safe in several workers at once."""
    newest = Event.objects.aggregate(newest=Max("number"))["newest"] or 0
    count = 0
    for webhook in Webhook.objects.filter(paused_at=None, cursor__lt=newest).select_related("namespace"):
        while webhook.cursor < newest:
            planned = _plan_batch(webhook, newest)
            if planned is None:
                break  # another worker was faster; it goes on from there
            count += planned
    return count


def matches_event(webhook: Webhook, event: Event) -> bool:
    """Whether the webhook's filters let the event through."""
    kinds = webhook.kinds_heard
    if event.namespace != webhook.namespace.name or (kinds and event.kind not in kinds):
        return False
    path = event.template.partition("/")[2]
    return not webhook.template or (bool(path) and fnmatchcase(path, webhook.template))


def _plan_batch(webhook: Webhook, newest: int) -> int | None:
    events = list(
        Event.objects.filter(number__gt=webhook.cursor, number__lte=newest, namespace=webhook.namespace.name).order_by(
            "number"
        )[:_BATCH]
    )
    end = events[-1].number if len(events) == _BATCH else newest
    heard = [event for event in events if matches_event(webhook, event)]
    at = log.now()
    with transaction.atomic():
        if not Webhook.objects.filter(pk=webhook.pk, cursor=webhook.cursor).update(cursor=end):
            return None
        Delivery.objects.bulk_create(
            [
                Delivery(
                    webhook=webhook,
                    event=event.number,
                    message=messages.make_message_id(),
                    kind=event.kind,
                    body=messages.event_message(event),
                    due_at=at,
                    created_at=at,
                )
                for event in heard
            ],
            ignore_conflicts=True,
        )
    webhook.cursor = end
    return len(heard)
