"""The events of webhooks. Neither the address nor the secret stands in the journal."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.journal.event import Cache, JournalEvent, Page, event

__all__ = ["WebhookRemoved", "WebhookSet"]


# The field `template` is a pattern, not the name of a template.
@event("webhook.set", template="", caches=Cache.NOTHING, page=Page.WEBHOOKS)
@dataclass(frozen=True, kw_only=True)
class WebhookSet(JournalEvent):
    """A webhook was made or changed. kinds: those it hears of, empty for all. template: a pattern of paths, empty for all."""

    id: str
    host: str
    kinds: Sequence[str]
    template: str
    paused: bool
    rotated: bool | None = None

    def sentence(self) -> str:
        return f"set the webhook to {self.host}"


@event("webhook.removed", caches=Cache.NOTHING, page=Page.WEBHOOKS)
@dataclass(frozen=True, kw_only=True)
class WebhookRemoved(JournalEvent):
    """A webhook was removed."""

    id: str
    host: str

    def sentence(self) -> str:
        return f"removed the webhook to {self.host}"
