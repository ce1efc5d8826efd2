"""Services of freezes: setting and removing them; admins only."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.core.timestamps import check_moment, read_moment
from registry.freezes.events import FreezeRemoved, FreezeSet
from registry.freezes.models import Freeze
from registry.freezes.windows import DAYS
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["LIMIT", "REPEATS", "read_freeze", "remove_freeze", "set_freeze"]

LIMIT = 50  # active freezes per namespace
REPEATS = ("once", "weekly")
_WEEKLY = re.compile(rf"({'|'.join(DAYS)})[a-z]* ([01]?\d|2[0-3]):([0-5]\d)", re.IGNORECASE | re.ASCII)
_MAX_REASON = 500


def set_freeze(
    *, actor: Actor, namespace: str, repeat: str, starts: str, ends: str, reason: str, time_zone: str = ""
) -> Freeze:
    """Block publishing to protected labels of the namespace during a time, or the same hours of every week; admins
    only.

    repeat: `once` or `weekly`. starts, ends: for `once` a date and time (ISO 8601, in the time zone unless it has an
    offset); for `weekly` a day and time, as in `fri 16:00`. time_zone: an IANA name; empty for UTC. Raises Invalid by
    field.
    """
    freeze = read_freeze(repeat=repeat, starts=starts, ends=ends, reason=reason, time_zone=time_zone)
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        if Freeze.objects.filter(namespace=space, removed_at=None).exclude(ends_at__lte=log.now()).count() >= LIMIT:
            raise Conflict(
                gettext("{namespace} has {most} freezes already: remove one first.").format(
                    namespace=namespace, most=LIMIT
                )
            )
        freeze.number = (Freeze.objects.aggregate(last=Max("number"))["last"] or 0) + 1
        freeze.namespace, freeze.created_by, freeze.created_at = space, actor.person, log.now()
        freeze.save(force_insert=True)
        event = FreezeSet(
            number=freeze.number,
            reason=freeze.reason,
            starts_at=to_microseconds(freeze.starts_at) if freeze.starts_at else None,
            ends_at=to_microseconds(freeze.ends_at) if freeze.ends_at else None,
            week_start=freeze.week_start,
            week_end=freeze.week_end,
            time_zone=freeze.time_zone or None,
        )
        log.append(actor, event, namespace=space, at=freeze.created_at, subject=freeze)
    return freeze


def read_freeze(*, repeat: str, starts: str, ends: str, reason: str, time_zone: str = "") -> Freeze:
    """Validate and return the freeze that `set_freeze` would set, unsaved and without namespace. Raises Invalid by
    field.
    """
    values = _read_times(repeat, starts, ends, _read_zone(time_zone))
    if not check_text("reason", reason, _MAX_REASON).strip():
        raise Invalid(fields={"reason": gettext("say why: people who try to publish then will read it.")})
    return Freeze(reason=reason.strip(), **values)


def remove_freeze(*, actor: Actor, namespace: str, number: int) -> Freeze:
    """End a freeze immediately; admins only. A no-op if it was already removed."""
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        freeze = Freeze.objects.select_related("namespace").filter(namespace=space, number=number).first()
        if freeze is None:
            raise NotFound(gettext("{namespace} has no freeze {number}.").format(namespace=namespace, number=number))
        if freeze.removed_at is not None:
            return freeze
        permissions.require_proof(actor)
        freeze.removed_at = log.now()
        freeze.save(update_fields=["removed_at"])
        log.append(actor, FreezeRemoved(number=number), namespace=space, at=freeze.removed_at, subject=freeze)
    return freeze


def _read_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name.strip() or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(fields={"time_zone": gettext("there is no time zone {name}.").format(name=name[:60])}) from error


def _read_times(repeat: str, starts: str, ends: str, zone: ZoneInfo) -> dict[str, object]:
    """Parse the columns that hold the times."""
    if repeat == "weekly":
        week_start, week_end = _read_minute("starts", starts), _read_minute("ends", ends)
        if week_start == week_end:
            raise Invalid(fields={"ends": gettext("this is when it starts: nothing would ever be published.")})
        return {"week_start": week_start, "week_end": week_end, "time_zone": zone.key}
    if repeat != "once":
        raise Invalid(fields={"repeat": gettext("one of {names}.").format(names=", ".join(REPEATS))})
    first = check_moment("starts", read_moment("starts", starts, zone))
    last = check_moment("ends", read_moment("ends", ends, zone))
    if last <= first:
        raise Invalid(fields={"ends": gettext("this is not after the start.")})
    if last <= datetime.now(UTC):
        raise Invalid(fields={"ends": gettext("this is in the past.")})
    return {"starts_at": first, "ends_at": last}


def _read_minute(field: str, text: str) -> int:
    match = _WEEKLY.fullmatch(text.strip())
    if match is None:
        raise Invalid(fields={field: gettext("a day and a time, as in fri 16:00.")})
    day, hour, minute = match.groups()
    return (DAYS.index(day.lower()) * 24 + int(hour)) * 60 + int(minute)
