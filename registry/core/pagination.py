"""Cursor pagination: a cursor marks where the next page begins, so rows added meanwhile don't shift pages."""

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.utils.translation import gettext

from registry.core.errors import Invalid

__all__ = ["LIMIT", "Page", "check_limit", "cut_page", "read_number", "read_text"]

LIMIT = 200
Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """Some items, and the cursor of the page after them, or None at the end."""

    items: list[Item]
    next: str | None


def cut_page(rows: Iterable[Item], limit: int, position: Callable[[Item], str | int]) -> Page[Item]:
    """The page made of the first `limit` of `limit + 1` rows; `position` of the last one becomes the cursor."""
    items_and_next = list(rows)
    items = items_and_next[:limit]
    return Page(items, _write(position(items[-1])) if len(items_and_next) > limit else None)


def check_limit(limit: int) -> int:
    """Return the limit if it is 1 to 200, else raise Invalid."""
    if not 1 <= limit <= LIMIT:
        raise Invalid(
            fields={"limit": gettext("from 1 to {most} items a page; this is {limit}.").format(most=LIMIT, limit=limit)}
        )
    return limit


def read_number(cursor: str | None) -> int | None:
    """The number that a cursor points to."""
    value = _read(cursor)
    if value is not None and not isinstance(value, int):
        raise _refuse_cursor()
    return value


def read_text(cursor: str | None) -> str | None:
    """The name that a cursor points to."""
    value = _read(cursor)
    if value is not None and not isinstance(value, str):
        raise _refuse_cursor()
    return value


def _write(position: str | int) -> str:
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def _read(cursor: str | None) -> str | int | None:
    if not cursor:
        return None
    try:
        value = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise _refuse_cursor() from error
    if isinstance(value, bool) or not isinstance(value, str | int) or "\0" in str(value):
        raise _refuse_cursor()
    if isinstance(value, int) and abs(value) >= 2**63:
        raise _refuse_cursor()
    return value


def _refuse_cursor() -> Invalid:
    return Invalid(fields={"cursor": gettext("this cursor does not come from an earlier page.")})
