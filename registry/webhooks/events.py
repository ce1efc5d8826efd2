"""The events of webhooks. Neither the address nor the secret stands in the journal."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.journal.event import JournalEvent, event

__all__ = ["WebhookRemoved", "WebhookSet"]


@event("webhook.set", template="")  # the field of that name is a pattern
@dataclass(frozen=True, kw_only=True)
class WebhookSet(JournalEvent):
    """A webhook was made or changed. kinds: those it hears of, empty for all. template: a pattern of paths, empty for all."""

    id: str
    host: str
    kinds: Sequence[str]
    template: str
    paused: bool
    rotated: bool | None = None


@event("webhook.removed")
@dataclass(frozen=True, kw_only=True)
class WebhookRemoved(JournalEvent):
    """A webhook was removed."""

    id: str
    host: str
