"""One event as the mirror writes it: plain values, no database and no Git."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from registry.journal.mirroring import Move

__all__ = ["Entry", "Move"]


@dataclass(frozen=True)
class Entry:
    """An event with everything its commit is made of.

    `at` is in microseconds since 1970 UTC, `record` the event's canonical JSON on one line, `chain` its hash;
    `files` maps a path to its new bytes, or to None where the file goes.
    """

    number: int
    at: int
    author: str
    subject: str
    record: str
    chain: str
    note: str = ""
    template: str = ""
    version: int | None = None
    digest: str = ""
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    move: Move | None = None
