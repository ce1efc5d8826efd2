"""Tables next to the list on the people page: the keys in short form, and shortened lists."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from registry.accounts.actor import Actor
from registry.namespaces import key_queries

__all__ = ["MAX_PEOPLE", "KeyRow", "list_key_rows", "shorten_list"]

MAX_PEOPLE = 25
"""How many users the page lists by default, so that the groups and keys below stay within reach."""


@dataclass(frozen=True)
class KeyRow:
    """An active key: its service and namespace, its permissions, its last use, and when it expires, None for never."""

    id: str
    name: str
    namespace: str
    rights: str
    last_used_at: datetime | None
    expires_at: datetime | None


class _Row(Protocol):
    @property
    def is_open(self) -> bool: ...


Row = TypeVar("Row", bound=_Row)


def list_key_rows(actor: Actor) -> list[KeyRow]:
    """Active keys of all namespaces whose keys the user may manage, by namespace."""
    return [
        KeyRow(key.id, key.name, key.namespace.name, key_queries.describe_rights(key), key.last_used_at, key.expires_at)
        for key in key_queries.list_managed_keys(actor)
    ]


def shorten_list(rows: list[Row], *, is_whole: bool) -> list[Row]:
    """The first rows and the opened one; all of them if the reader requested that."""
    if is_whole or len(rows) <= MAX_PEOPLE:
        return rows
    return [row for position, row in enumerate(rows) if position < MAX_PEOPLE or row.is_open]
