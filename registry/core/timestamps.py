"""Moments as the API writes them: ISO text in UTC, always with microseconds."""

from datetime import datetime
from typing import overload

__all__ = ["format_moment"]


@overload
def format_moment(moment: datetime) -> str: ...
@overload
def format_moment(moment: None) -> None: ...
@overload
def format_moment(moment: datetime | None) -> str | None: ...
def format_moment(moment: datetime | None) -> str | None:
    """UTC with microseconds, `2026-05-01T09:30:00.000000Z`; None for None."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z") if moment else None
