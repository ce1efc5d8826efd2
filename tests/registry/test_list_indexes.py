"""Lists that grow with the history use an index, on the engine at hand: no table is scanned."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes.models import ChangeRequest
from registry.evaluations.models import Run
from registry.jobs.models import Job
from registry.journal.models import Event
from registry.releases.calendar_queries import read_calendar
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from registry.templates.label_models import LabelMove
from registry.usage.models import Fetch
from registry.webhooks.models import Delivery

pytestmark = pytest.mark.django_db
AT = datetime(2026, 1, 1, tzinfo=UTC)
EVENTS = Event.objects.filter(namespace="support")
LISTS = {
    "event_by_namespace": EVENTS.filter(number__lt=70).order_by("-number")[:51],
    "event_by_kind": EVENTS.filter(kind="version.saved", number__lt=70).order_by("-number")[:51],
    "event_by_person": EVENTS.filter(person="author", number__lt=70).order_by("-number")[:51],
    "event_by_key": EVENTS.filter(key="abcdefgh", number__lt=70).order_by("-number")[:51],
    "event_by_time": EVENTS.filter(at__gte=5, at__lt=9).order_by("-at", "-number")[:51],
    "label_move_protected": LabelMove.objects.filter(protected=True, created_at__gte=AT).order_by("-created_at")[:51],
    "change_in_emergency or change_unreviewed": ChangeRequest.objects.in_emergency().order_by("-number")[:51],
    "job_by_kind": Job.objects.filter(kind="journal.check").order_by("-pk")[:1],
    "run_by_state": Run.objects.filter(state="failed").order_by("-pk")[:51],
    "release_by_state": Release.objects.filter(state="open").order_by("-number")[:51],
    "delivery_by_state": Delivery.objects.filter(webhook="a", state="delivered").order_by("-finished_at")[:1],
    "fetch_by_key": Fetch.objects.filter(key="abcdefgh", day=AT.date()),
    "rollout_by_start": Rollout.objects.filter(created_at__gte=AT, created_at__lt=AT),
    "rollout_by_end": Rollout.objects.filter(state="stopped", ended_at__gte=AT, ended_at__lt=AT),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_read_along_its_index(name):
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # of a table without rows, reading it through is cheapest
            cursor.execute("SET LOCAL enable_sort = off")
            cursor.execute("SET LOCAL enable_bitmapscan = off")
        plan = LISTS[name].explain()
    assert any(index in plan for index in name.split(" or "))
    assert "TEMP B-TREE" not in plan


@pytest.mark.sqlite  # PostgreSQL reads small tables whole whatever indexes there are
def test_the_calendar_reads_rollouts_by_their_times(author):
    with CaptureQueriesContext(connection) as captured:
        read_calendar(author, AT, AT.replace(month=2))
    (sql,) = [query["sql"] for query in captured if 'FROM "registry_rollout"' in query["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        plan = "\n".join(row[3] for row in cursor.fetchall())
    assert all(f"INDEX rollout_by_{time} (" in plan for time in ("start", "end", "due_time")), plan
    assert "SCAN" not in plan
