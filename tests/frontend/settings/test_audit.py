"""The audit page: sentences, filters, files, and the chain."""

import json

import pytest

from frontend.web import event_sentences
from registry.changes import check_results
from registry.journal.models import Event
from registry.namespaces import keys
from registry.tasks import tasks as tasks_tasks
from tests.frontend.conftest import REPLY, read_html


def test_events_are_sentences_with_links(reply, browser):
    page = read_html(browser("reader").get("/n/support/audit"))
    assert f'<b>author</b> <a href="/t/{REPLY}/-/diff?to=2">saved version 2 of {REPLY}: Quote the policy</a>' in page
    assert f'<a href="/changes/1">published {REPLY}: production moved to version 1</a>' in page
    assert '<b>admin</b> <a href="/n/support/members">gave reader the role reader</a>' in page


def test_an_unknown_kind_is_reported_by_its_name(db):
    event = Event(number=1, kind="moon.risen", at=0, person="author", namespace="support", text='{"body": {}}')
    assert event_sentences.describe_event(event, may_manage=False).sentence == "moon: risen"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("kind=member.set", 3),
        ("person=author&kind=version.saved", 2),
        (f"template={REPLY}&kind=label.moved", 1),
        ("since=2001-01-01&until=2001-02-01", 0),
        ("since=2001-01-01&kind=namespace.created", 1),
        ("key=pb_abcdefgh", 0),
    ],
)
def test_filters_narrow(reply, browser, query, count):
    assert len(browser("reader").get(f"/n/support/audit?{query}").context["lines"]) == count


def test_a_filter_that_cannot_be_read_says_so(reply, browser):
    answer = browser("reader").get("/n/support/audit?since=yesterday")
    assert answer.status_code == 422
    assert "Enter a valid date" in read_html(answer)
    assert browser("reader").get("/n/support/audit/events.csv?since=yesterday").status_code == 422


def test_older_events_are_a_page_further(reply, browser):
    client = browser("reader")
    for number in range(60):
        reply.save(message="", name=f"support/t{number}")
    first = client.get("/n/support/audit?person=author")
    second = client.get(f"/n/support/audit?{first.context['next']}")
    numbers = [line.event.number for page in (first, second) for line in page.context["lines"]]
    assert len(first.context["lines"]) == 50
    assert numbers == sorted(set(numbers), reverse=True)
    assert {line.event.person for line in second.context["lines"]} == {"author"}


def test_the_found_events_are_exported_as_a_file(reply, browser):
    answer = browser("reader").get("/n/support/audit/events.jsonl?kind=member.set")
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert [line["body"]["role"] for line in lines] == ["reader", "author", "reviewer"]
    assert browser("reader").get("/n/support/audit/events.xml").status_code == 422
    assert browser("outsider").get("/n/support/audit/events.csv").status_code == 404


def test_the_chain_is_verified_by_the_worker_when_an_admin_asks(reply, browser):
    client = browser("admin")
    assert "was not verified yet" in read_html(client.get("/n/support/audit"))
    assert client.post("/n/support/audit")["Location"] == "/n/support/audit"
    assert "A check is running." in read_html(client.get("/n/support/audit"))
    tasks_tasks.run_jobs()
    last = Event.objects.latest("number").number
    assert f"Chain verified up to event {last}</b>" in read_html(client.get("/n/support/audit"))
    assert browser("author").post("/n/support/audit").status_code == 403


def test_a_broken_chain_is_reported(reply, browser):
    last = Event.objects.latest("number").number
    Event.objects.create(number=last + 2, kind="x", at=1, person="author", namespace="other", text="{}", hash="forged")
    client = browser("admin")
    client.post("/n/support/audit")
    tasks_tasks.run_jobs()
    assert f"event {last + 1} is missing" in read_html(client.get("/n/support/audit"))


def test_pages_of_admins_are_linked_for_admins_only(reply, browser):
    keys.issue_key(actor=reply.actor("admin"), namespace="support", name="bot", scope="read")
    sentence = "issued a key for bot that acts for admin and may read"
    assert f'<a href="/n/support/keys">{sentence}</a>' in read_html(browser("admin").get("/n/support/audit"))
    assert f"<b>admin</b> {sentence}" in read_html(browser("reader").get("/n/support/audit"))


def test_results_of_checks_are_hidden_until_they_are_asked_for(reply, browser):
    check_results.run_checks(number=reply.propose(2).number)
    kinds = [
        {line.event.kind for line in browser("reader").get(f"/n/support/audit{query}").context["lines"]}
        for query in ("", "?checks=on", "?kind=verdict.given")
    ]
    assert "verdict.given" not in kinds[0]
    assert kinds[1] == kinds[0] | {"verdict.given"}
    assert kinds[2] == {"verdict.given"}


def test_a_file_of_all_events_has_results_of_checks_too(reply, browser):
    check_results.run_checks(number=reply.propose(2).number)
    answer = browser("reader").get("/n/support/audit/events.csv")
    assert b"verdict.given" in b"".join(answer.streaming_content)


def test_kinds_are_in_words_in_the_filter(reply, browser):
    assert '<option value="verdict.given">Check finished</option>' in read_html(
        browser("reader").get("/n/support/audit")
    )
