"""Planning of deliveries: each webhook reads the journal with its own cursor."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from django.db import transaction
from django.db.models import Max

from registry.accounts.models import User
from registry.journal import log
from registry.journal.event import list_worker_kinds
from registry.journal.models import Event
from registry.webhooks import chat_messages, messages
from registry.webhooks.joint_decisions import find_joint_decisions, leave_out_earlier_decisions
from registry.webhooks.models import Delivery, Webhook
from registry.webhooks.release_members import leave_out_members

__all__ = ["matches_event", "plan_deliveries"]

_BATCH = 200  # events processed in one transaction
_MAX_EVENTS_OF_ACT = 2_500  # events of an act on a release of the most templates


def plan_deliveries() -> int:
    """Queue the events not yet sent to each webhook. Return the number of deliveries queued. Safe with concurrent
    workers.
    """
    newest = Event.objects.aggregate(newest=Max("number"))["newest"] or 0
    count = 0
    for webhook in Webhook.objects.filter(paused_at=None, cursor__lt=newest).select_related("namespace"):
        while webhook.cursor < newest:
            planned = _plan_batch(webhook, newest)
            if planned is None:
                break  # another worker was faster and continues from there
            count += planned
    return count


def matches_event(webhook: Webhook, event: Event) -> bool:
    """Whether the webhook's filters let the event through. Without chosen kinds, a chat gets what people do, but not
    the result of each check.
    """
    kinds = webhook.subscribed_kinds
    if webhook.is_chat and not kinds and event.kind in list_worker_kinds():
        return False
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
    matching = [event for event in events if matches_event(webhook, event)]
    if webhook.is_chat and not webhook.template:  # with a pattern, it hears of some templates of a release only
        following = _read_following(webhook, end, newest)
        matching = leave_out_earlier_decisions(leave_out_members(matching, following), following)
    bodies = _write_bodies(webhook, matching)
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
                    body=body,
                    due_at=at,
                    created_at=at,
                )
                for event, body in zip(matching, bodies, strict=True)
            ],
            ignore_conflicts=True,
        )
    webhook.cursor = end
    return len(matching)


def _read_following(webhook: Webhook, end: int, newest: int) -> list[Event]:
    """What the webhook hears after `end`, as far as one act may reach."""
    if end == newest:
        return []
    rows = Event.objects.filter(number__gt=end, number__lte=newest, namespace=webhook.namespace.name)
    return [event for event in rows.order_by("number")[:_MAX_EVENTS_OF_ACT] if matches_event(webhook, event)]


def _write_bodies(webhook: Webhook, events: Sequence[Event]) -> list[str]:
    """The body of each event's message, in the receiver's format."""
    if not webhook.is_chat:
        return [messages.build_event_message(event) for event in events]
    people = User.objects.filter(username__in={event.person for event in events})
    names = {person.username: person.display_name for person in people}
    return [
        chat_messages.write_event_message(
            webhook.receiver,
            event,
            names.get(event.person, event.person),
            None if webhook.template else find_joint_decisions(event),
        )
        for event in events
    ]
