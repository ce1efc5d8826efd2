"""Every other place that can contain a template's text or its renderings, and what a redaction does there.

A new in-process cache must be a `registry.core.lru.Recent` or be registered with `registry.core.lru.register_cache`.
"""

from dataclasses import dataclass

__all__ = ["STORES", "Store"]


@dataclass(frozen=True)
class Store:
    """A place outside the database, and what a redaction does there."""

    name: str
    redaction: str


STORES = (
    Store("the Git mirror and the copies that rebuilds set aside", "written from the journal again, without the text"),
    Store("remotes", "out of reach: reported as diverged until their owners empty them"),
    Store(
        "the memory of web processes: answers to fetches, conversions, checks, comparisons", "dropped within a second"
    ),
    Store("the memory of workers", "dropped within a few seconds"),
    Store("the renderer's helper processes", "keep nothing from one request to the next"),
    Store("the broker's messages", "name rows by number only"),
    Store(
        "exports and reports of runs", "written when asked for, from the rows, into folders that are removed at once"
    ),
    Store("metrics", "hold counts"),
    Store("logs", "out of reach: they name templates and errors, and a fault of the renderer with its message"),
    Store("mail that was sent", "out of reach: it holds the sentences of notifications"),
    Store("webhooks' receivers", "out of reach: they were sent the events' facts, texts by digest"),
    Store("backups, clones, HTTP caches, clients' copies and vendored files", "out of reach"),
    Store(
        "unsaved work in people's browsers", "out of reach: it stays in that browser's own storage until it is saved"
    ),
)
