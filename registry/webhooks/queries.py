"""Queries of a namespace's webhooks and their delivery logs. For its admins."""

from datetime import datetime

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.journal.event import list_namespace_kinds
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.webhooks.models import Delivery, Webhook

__all__ = ["KINDS", "find_old_secret_end", "find_webhook", "list_deliveries", "list_webhooks"]

KINDS = list_namespace_kinds()  # what a webhook can be sent


def list_webhooks(actor: Actor, namespace: str) -> list[Webhook]:
    """All webhooks of the namespace in the order of creation, each with `waiting`, `failed` and `last_at`."""
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    deliveries = Delivery.objects.filter(webhook=OuterRef("pk"))
    delivered = deliveries.filter(state=Delivery.DELIVERED, finished_at__isnull=False).order_by("-finished_at")
    webhooks = space.webhooks.annotate(
        waiting=_count(deliveries.filter(state=Delivery.PENDING)),
        failed=_count(deliveries.filter(state=Delivery.FAILED)),
        last_at=Subquery(delivered.values("finished_at")[:1]),
    )
    return list(webhooks.select_related("created_by", "namespace").order_by("created_at", "pk"))


def _count(deliveries: QuerySet[Delivery]) -> Coalesce:
    """Their number by an index: a join would read every delivery of each webhook, and most are delivered."""
    counts = deliveries.order_by().values("webhook").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counts), 0)


def find_webhook(actor: Actor, webhook_id: str, namespace: str = "") -> Webhook:
    """The webhook, after checking the right to manage it. Raises NotFound if the actor may not know of it, or if it is
    not in the namespace that is given.
    """
    webhook = Webhook.objects.select_related("namespace").filter(id=webhook_id).first()
    unknown = NotFound(gettext("There is no webhook {value}, or you may not manage it.").format(value=webhook_id[:20]))
    if webhook is None or namespace not in ("", webhook.namespace.name):
        raise unknown
    try:
        permissions.require_verb(actor, Verb.MANAGE, webhook.namespace)
    except NotFound as error:
        raise unknown from error
    return webhook


def list_deliveries(
    actor: Actor, webhook_id: str, *, state: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Delivery]:
    """Deliveries sent or queued, newest first, with every attempt; with `state` only those in it."""
    if state is not None and state not in Delivery.STATES:
        raise Invalid(fields={"state": gettext("one of {names}.").format(names=", ".join(Delivery.STATES))})
    limit = check_limit(limit)
    rows = find_webhook(actor, webhook_id).deliveries.prefetch_related("attempts").order_by("-pk")
    if state:
        rows = rows.filter(state=state)
    if before := read_number(cursor):
        rows = rows.filter(pk__lt=before)
    return cut_page(rows[: limit + 1], limit, lambda delivery: delivery.pk)


def find_old_secret_end(webhook: Webhook, at: datetime) -> datetime | None:
    """Until when an earlier secret still signs; None if there is only one."""
    return (
        webhook.secrets.filter(expires_at__gt=at).order_by("-expires_at").values_list("expires_at", flat=True).first()
    )
