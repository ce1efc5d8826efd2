"""The journal in the API."""

import csv
import io
import json

import pytest

from registry.jobs.models import Job
from registry.journal.models import Event
from registry.tasks import tasks as tasks_tasks
from tests.api.conftest import REPLY, Caller, problem


@pytest.fixture
def reader(cast) -> Caller:
    cast.save()
    return Caller(person=cast.people["reader"])


def numbers(response):
    return [event["number"] for event in response.json()["results"]]


def test_a_member_reads_events_newest_first_with_body_and_hash(reader):
    first = reader.get("namespaces/support/events").json()["results"][0]
    assert (first["kind"], first["person"], first["template"], first["version"]) == (
        "version.saved",
        "author",
        REPLY,
        1,
    )
    assert first["hash"] == Event.objects.latest("number").hash
    assert first["body"]["digest"].startswith("sha256:")
    assert first["at"].endswith("Z")


def test_filters_narrow_and_a_cursor_goes_on(reader):
    assert len(numbers(reader.get("namespaces/support/events?kind=member.set"))) == 3
    assert len(numbers(reader.get(f"namespaces/support/events?template={REPLY}&person=author"))) == 1
    first = reader.get("namespaces/support/events?limit=2")
    second = reader.get(f"namespaces/support/events?limit=2&cursor={first.json()['next']}")
    assert numbers(first) == sorted({*numbers(first)}, reverse=True)
    assert max(numbers(second)) < min(numbers(first))


def test_a_span_of_time_includes_its_beginning_and_not_its_end(reader):
    at = reader.get("namespaces/support/events?limit=1").json()["results"][0]["at"]
    assert len(numbers(reader.get(f"namespaces/support/events?since={at}"))) == 1
    last = Event.objects.latest("number").number
    assert last not in numbers(reader.get(f"namespaces/support/events?until={at}"))


@pytest.mark.parametrize("query", ["since=yesterday", "until=5", "whatever=1", "limit=0", "cursor=x", "kind=a&kind=b"])
def test_a_senseless_question_is_refused(reader, query):
    assert reader.get(f"namespaces/support/events?{query}").status_code in (400, 422)


def read(response):
    return b"".join(response.streaming_content).decode()


def test_json_lines_hold_every_event_oldest_first(reader):
    response = reader.get("namespaces/support/events/export?format=jsonl")
    lines = [json.loads(line) for line in read(response).splitlines()]
    assert [line["number"] for line in lines] == sorted(line["number"] for line in lines)
    assert len(lines) == Event.objects.filter(namespace="support").count()
    assert response["Content-Disposition"] == 'attachment; filename="support-events.jsonl"'


def test_csv_has_a_head_and_takes_the_same_filters(reader):
    response = reader.get("namespaces/support/events/export?format=csv&kind=member.set")
    rows = list(csv.DictReader(io.StringIO(read(response))))
    assert [row["kind"] for row in rows] == ["member.set"] * 3
    assert json.loads(rows[0]["body"])["role"] == "reader"


def test_no_cell_is_a_formula(reader):
    Event.objects.create(
        number=900,
        kind="=cmd()",
        at=1,
        person="author",
        namespace="support",
        text='{"body": {}, "previous": null}',
        hash="x",
    )
    rows = list(csv.DictReader(io.StringIO(read(reader.get("namespaces/support/events/export?format=csv")))))
    assert rows[-1]["kind"] == "'=cmd()"


@pytest.mark.parametrize("query", ["", "?format=xml"])
def test_an_export_has_one_of_two_forms(reader, query):
    problem(reader.get(f"namespaces/support/events/export{query}"), 400, "bad-request")


def test_nothing_is_known_of_a_chain_that_nobody_checked(reader):
    body = reader.get("namespaces/support/chain").json()
    assert body == {"verified": None, "fault": None, "at": None, "running": False}


def test_an_admin_has_the_chain_checked_by_the_worker(reader, cast):
    admin = Caller(person=cast.people["admin"])
    assert admin.post("namespaces/support/chain").json()["running"]
    assert admin.post("namespaces/support/chain").json()["running"]
    assert Job.objects.filter(kind="journal.check").count() == 1
    tasks_tasks.run_jobs()
    body = reader.get("namespaces/support/chain").json()
    assert (body["verified"], body["fault"], body["running"]) == (Event.objects.latest("number").number, None, False)


def test_a_forged_event_is_named(reader, cast):
    last = Event.objects.latest("number").number
    Event.objects.create(
        number=last + 1, kind="x", at=1, person="author", namespace="support", text="{}", hash="forged"
    )
    Caller(person=cast.people["admin"]).post("namespaces/support/chain")
    tasks_tasks.run_jobs()
    body = reader.get("namespaces/support/chain").json()
    assert (body["verified"], body["fault"]) == (
        None,
        f"journal: event {last + 1} was changed: its hash does not fit its text.",
    )
