"""Events in a time range are ordered by time across pages, even if a clock was wrong."""

from datetime import timedelta

import pytest

from registry.audit import queries
from registry.audit.queries import EventFilter
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.journal.models import Event
from registry.namespaces import services

pytestmark = pytest.mark.django_db
MINUTES = (0, 9, 3, 3, 6, 1)  # of the events, as their clocks said


@pytest.fixture
def clocks(admin):
    """An admin of a namespace whose events carry these times, the number before them, and the time of the first."""
    services.create_namespace(actor=admin, name="clocks")
    number, now = Event.objects.order_by("-number").values_list("number", flat=True)[0], log.now()
    for place, minutes in enumerate(MINUTES, 1):
        at = to_microseconds(now + timedelta(minutes=minutes))
        facts = {"kind": "key.issued", "at": at, "person": "admin", "namespace": "clocks", "text": "{}"}
        Event.objects.create(number=number + place, hash=f"{place}", **facts)
    return admin, number, now


def read_numbers(actor, sought, limit):
    """The numbers of all events, page by page."""
    numbers, cursor = [], None
    while True:
        page = queries.read_page(actor, "clocks", sought=sought, cursor=cursor, limit=limit)
        numbers += [row.number for row in page.items]
        cursor = page.next
        if cursor is None:
            return numbers


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_events_between_two_moments_come_by_time_and_none_is_left_out(clocks, limit):
    actor, number, now = clocks
    sought = EventFilter(kind="key.issued", since=now + timedelta(minutes=1), until=now + timedelta(minutes=9))
    assert [found - number for found in read_numbers(actor, sought, limit)] == [5, 4, 3, 6]


def test_without_moments_they_come_by_number(clocks):
    actor, number, _ = clocks
    found = read_numbers(actor, EventFilter(kind="key.issued"), 4)
    assert [one - number for one in found] == [6, 5, 4, 3, 2, 1]
