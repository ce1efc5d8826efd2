"""The calendar page: a month with what goes live, freezes, and moves of protected labels."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.dates import WEEKDAYS_ABBR

from frontend.browse.calendar_days import Month, lay_out_days, parse_month
from frontend.web.decorators import signed_in
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.namespaces import queries as namespace_queries
from registry.releases.calendar_queries import MAX_MOVES, MAX_SCHEDULED, read_calendar
from registry.rollouts.timetable import MAX_ROLLOUTS

__all__ = ["show_calendar"]


@signed_in
def show_calendar(request: HttpRequest, actor: Actor) -> HttpResponse:
    """A month in the reader's time zone. `month` has the form 2026-11; `namespace` limits the page to one namespace."""
    zone, today = timezone.get_current_timezone(), timezone.localdate()
    month = parse_month(request.GET.get("month", ""), today)
    names = [space.name for space, _role in namespace_queries.list_namespaces(actor)]
    namespace = request.GET.get("namespace", "")
    namespace = namespace if namespace in names else ""
    entries = read_calendar(actor, *month.span(zone), namespace)
    days = lay_out_days(month, entries, today, zone)
    context: dict[str, Any] = {
        "section": "environments",
        "month": month,
        "days": days,
        "weekdays": list(WEEKDAYS_ABBR.values()),
        "is_empty": all(day.is_empty for day in days),
        "is_cut": entries.is_cut,
        "most_moves": MAX_MOVES,
        "has_more_scheduled": entries.has_more_scheduled,
        "most_scheduled": MAX_SCHEDULED,
        "has_more_rollouts": entries.has_more_rollouts,
        "most_rollouts": MAX_ROLLOUTS,
        "zone": timezone.get_current_timezone_name(),
        "names": names,
        "namespace": namespace,
        "previous_url": _build_address(month.previous, namespace),
        "next_url": _build_address(month.following, namespace),
        "today_url": _build_address(parse_month("", today), namespace),
    }
    return render_page(request, "browse/calendar.html", context)


def _build_address(month: Month, namespace: str) -> str:
    return f"?{urlencode({'month': month.slug, **({'namespace': namespace} if namespace else {})})}"
