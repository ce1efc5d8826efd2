"""Checks of a change request on its page."""

import re
from datetime import UTC, datetime

import pytest

from registry.changes import check_results, rules
from registry.evaluations import attachments, run_worker
from registry.jobs.models import Job
from registry.namespaces import keys
from registry.templates.models import Version
from registry.usage.models import Fetch
from tests.frontend.conftest import DOCUMENT, REPLY, read_html
from tests.support.finished_runs import GOLD, save_rows


@pytest.fixture
def change(reply):
    """A request whose version requires an input that callers don't send yet."""
    rules.set_rules(actor=reply.actor("admin"), namespace="support", required_checks=["contract"])
    breaking = DOCUMENT.replace("inputs:\n", "inputs:\n  order: {type: string}\n").replace(
        "You help", "{{ order }}: you help"
    )
    reply.save(breaking, samples={"one": {"question": "Why?", "order": "7"}})
    return reply.propose(3)


def test_checks_that_did_not_finish_are_waited_for(change, browser):
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "The check contract has not finished." in page
    assert 'hx-trigger="every 3s"' in page


def test_a_failed_check_names_the_break_and_takes_the_first_place(change, browser):
    check_results.run_checks(number=change.number)
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "<code>order</code> is new and required" in page
    assert 'class="button button-small button-primary" href="#decide">Accept the break</a>' in page
    assert 'class="button" name="do" value="approve"' in page


def test_htmx_gets_the_checks_alone_with_their_sum(change, browser):
    check_results.run_checks(number=change.number)
    sent = {"HX-Request": "true", "HX-Target": "section#checks"}
    page = read_html(browser("reviewer").get(f"/changes/{change.number}", headers=sent))
    assert page.startswith('<section id="checks"')
    assert 'data-status="Checks: 3 passed, 1 failed"' in page
    german = read_html(browser("reviewer").get(f"/changes/{change.number}", headers={**sent, "Accept-Language": "de"}))
    assert 'data-status="Prüfungen: 3 bestanden, 1 gescheitert"' in german


def test_a_reviewer_accepts_a_break_with_a_reason(change, browser):
    client = browser("reviewer")
    assert "Accept the break" not in read_html(client.get(f"/changes/{change.number}")), "nobody knows of one yet"
    check_results.run_checks(number=change.number)
    assert "Accept the break" in read_html(client.get(f"/changes/{change.number}"))
    sent = {"do": "acknowledge", "digest": change.version.digest, "text": "All callers send it since May."}
    assert client.post(f"/changes/{change.number}", sent).status_code == 302
    assert "break accepted" in read_html(client.get(f"/changes/{change.number}"))
    page = read_html(client.get(f"/changes/{change.number}?view=conversation"))
    assert "accepts the break of the contract by v3" in page
    assert "break accepted" in page


def test_checks_whose_job_gave_up_can_be_run_again(change, browser):
    Job.objects.filter(subject=f"change {change.number}").update(state=Job.FAILED)
    client = browser("author")
    assert 'name="do" value="rerun">Run again</button>' in read_html(client.get(f"/changes/{change.number}"))
    assert client.post(f"/changes/{change.number}", {"do": "rerun"}).status_code == 302
    assert Job.objects.filter(subject=f"change {change.number}", state=Job.QUEUED).exists()


def test_a_reader_is_not_offered_to_run_checks(change, browser):
    assert "Run again" not in read_html(browser("reader").get(f"/changes/{change.number}"))


def test_an_evaluation_tells_what_was_measured_and_links_to_its_run(reply, browser):
    save_rows(reply)
    attachments.attach_evaluation(
        actor=reply.actor("admin"), namespace="support", name="answers", pattern="refunds/*", dataset=GOLD,
        model="echo", gates=["squad_f1 >= 0.9"],
    )  # fmt: skip
    change = reply.propose(2)
    check_results.run_checks(number=change.number)
    waiting = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "0 of 6" in waiting or "run" in waiting
    for number in change.runs.values_list("pk", flat=True):
        while run_worker.advance_run(number, seconds=5):
            pass
    check_results.run_checks(number=change.number)
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "What was measured" in page
    assert '<b title="squad_f1 &gt;= 0.9">Words in common</b>' in page
    assert re.search(r'href="/runs/\d+[^"]*">run \d+</a>', page)
    assert f"/runs/new?template={REPLY}&amp;ref=2" in page


def test_services_that_fetch_a_broken_contract_are_named(change, reply, browser):
    key = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="mailer", scope="read").key
    now = datetime.now(UTC)
    version = Version.objects.get(template__name=REPLY, number=2)
    Fetch.objects.create(key=key, version=version, ref="2", day=now.date(), count=3, last_at=now)
    check_results.run_checks(number=change.number)
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "against v1, production" in page
    assert "against v2, fetched by mailer " in page
