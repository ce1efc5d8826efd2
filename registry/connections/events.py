"""The events of connections. A connection's key is in no event."""

from dataclasses import dataclass

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["ConnectionRemoved", "ConnectionSet", "SpendingCapped"]


@event("connection.set", caches=Cache.NOTHING, page=Page.CONNECTIONS, title="Model connection set")
@dataclass(frozen=True, kw_only=True)
class ConnectionSet(JournalEvent):
    """A model was connected, or its connection changed. Prices are decimal texts, per million tokens. key: whether it
    has one. rotated: true if the key was replaced.
    """

    id: str
    name: str
    protocol: str
    base_url: str
    model: str
    key: bool
    prompt_price: str | None
    completion_price: str | None
    currency: str
    timeout: int
    concurrency: int
    per_second: float | None
    rotated: bool | None = None

    def write_sentence(self) -> str:
        return gettext("set the connection {name} to {model}").format(name=self.name, model=self.model)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_connection(texts.namespace, self.id): texts.record()}
        return CommitContent(f"{texts.namespace}: connection {self.name} set", files)

    def restore(self, rows: Restorer) -> None:
        """The key isn't in the journal, so an admin has to enter it again before the connection works."""
        values = {name: value for name, value in self.build_body().items() if name not in ("id", "key", "rotated")}
        values["has_key"] = self.key
        first = {**values, "namespace": rows.namespace, "created_by": rows.author, "created_at": rows.at}
        rows.update_or_create("Connection", {"id": self.id}, values, first)


@event("connection.removed", caches=Cache.NOTHING, page=Page.CONNECTIONS, title="Model connection removed")
@dataclass(frozen=True, kw_only=True)
class ConnectionRemoved(JournalEvent):
    """A connection was removed."""

    id: str
    name: str

    def write_sentence(self) -> str:
        return gettext("removed the connection {name}").format(name=self.name)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_connection(texts.namespace, self.id): None}
        return CommitContent(f"{texts.namespace}: connection {self.name} removed", files)

    def restore(self, rows: Restorer) -> None:
        rows.delete("Connection", id=self.id)


@event("spending.capped", caches=Cache.NOTHING, page=Page.CONNECTIONS, title="Spending cap set")
@dataclass(frozen=True, kw_only=True)
class SpendingCapped(JournalEvent):
    """The caps on the cost of model calls were set, as decimal texts; None: no cap."""

    person_day: str | None
    namespace_month: str | None
    currency: str

    def write_sentence(self) -> str:
        if self.person_day is None and self.namespace_month is None:
            return gettext("removed the spending caps")
        return gettext("set the spending caps")

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_spending_cap(texts.namespace): texts.write_yaml(self.build_body())}
        return CommitContent(f"{texts.namespace}: spending caps set", files)

    def restore(self, rows: Restorer) -> None:
        rows.update_or_create("SpendingCap", {"namespace": rows.namespace}, self.build_body())
