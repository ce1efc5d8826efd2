"""Lists that grow with the history use an index, on the engine at hand: no table is scanned."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from registry.changes.models import ChangeRequest
from registry.evaluations.models import Run
from registry.jobs.models import Job
from registry.journal.models import Event
from registry.templates.label_models import LabelMove

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
