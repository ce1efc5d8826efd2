"""The events of webhooks. Neither the address nor the secret is in the journal."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["WebhookRemoved", "WebhookSet"]


# The field `template` is a pattern, not the name of a template.
@event("webhook.set", template="", caches=Cache.NOTHING, page=Page.WEBHOOKS)
@dataclass(frozen=True, kw_only=True)
class WebhookSet(JournalEvent):
    """A webhook was created or changed. kinds: those that are sent, empty for all. template: a pattern of paths, empty
    for all. receiver: slack or teams; absent for a receiver of Standard Webhooks.
    """

    id: str
    host: str
    kinds: Sequence[str]
    template: str
    paused: bool
    rotated: bool | None = None
    receiver: str | None = None

    def write_sentence(self) -> str:
        return gettext("set the webhook to {host}").format(host=self.host)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_webhook(texts.namespace, self.id): texts.record()}
        return CommitContent(f"{texts.namespace}: webhook {self.id} of {self.host} set", files)

    def restore(self, rows: Restorer) -> None:
        """No row: neither the address nor the secret is known, so an admin has to create the webhook again."""


@event("webhook.removed", caches=Cache.NOTHING, page=Page.WEBHOOKS)
@dataclass(frozen=True, kw_only=True)
class WebhookRemoved(JournalEvent):
    """A webhook was removed."""

    id: str
    host: str

    def write_sentence(self) -> str:
        return gettext("removed the webhook to {host}").format(host=self.host)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_webhook(texts.namespace, self.id): None}
        return CommitContent(f"{texts.namespace}: webhook {self.id} removed", files)

    def restore(self, rows: Restorer) -> None:
        """No row: see `WebhookSet`."""
