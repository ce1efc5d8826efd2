"""Timestamps as text: written in UTC with microseconds, and parsed from what people and programs send."""

from datetime import UTC, datetime, tzinfo
from typing import overload

from django.utils.translation import gettext

from registry.core.errors import Invalid

__all__ = ["check_moment", "format_moment", "read_moment"]

# The journal holds microseconds since 1970 as JSON numbers, which are exact up to 2**53.
_EARLIEST, _LATEST = datetime(1700, 1, 1, tzinfo=UTC), datetime(2250, 1, 1, tzinfo=UTC)


@overload
def format_moment(moment: datetime) -> str: ...
@overload
def format_moment(moment: None) -> None: ...
@overload
def format_moment(moment: datetime | None) -> str | None: ...
def format_moment(moment: datetime | None) -> str | None:
    """Format in UTC with microseconds, `2026-05-01T09:30:00.000000Z`; None for None."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z") if moment else None


def read_moment(field: str, text: str, zone: tzinfo) -> datetime:
    """The moment of an ISO 8601 text, in UTC; in `zone` if the text has no offset. Raises Invalid for `field`."""
    try:
        moment = datetime.fromisoformat(text.strip())
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Invalid(fields={field: gettext("a date and a time, as in 2026-11-27T16:00.")}) from error


def check_moment(field: str, moment: datetime) -> datetime:
    """Return a moment that the journal can hold. Raises Invalid for `field` outside the years 1700 to 2249."""
    if not _EARLIEST <= moment < _LATEST:
        raise Invalid(fields={field: gettext("choose a year from 1700 to 2249.")})
    return moment
