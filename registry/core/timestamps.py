"""Moments as the journal and the API write them: microseconds since 1970 UTC, and ISO text with microseconds."""

from datetime import UTC, datetime, timedelta
from typing import overload

__all__ = ["format_moment", "from_microseconds", "to_microseconds"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_microseconds(moment: datetime) -> int:
    """Microseconds since 1970 UTC, exactly."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_microseconds(microseconds: int) -> datetime:
    """The moment, exactly; in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)


@overload
def format_moment(moment: datetime) -> str: ...
@overload
def format_moment(moment: None) -> None: ...
@overload
def format_moment(moment: datetime | None) -> str | None: ...
def format_moment(moment: datetime | None) -> str | None:
    """UTC with microseconds, `2026-05-01T09:30:00.000000Z`; None for None."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z") if moment else None
