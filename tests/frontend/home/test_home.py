"""Home: what waits on whom, where one left off, what went live."""

import re

from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import services as change_services
from registry.evaluations import attachments, nightly_runs, run_worker
from registry.evaluations.models import Run
from registry.journal import log
from registry.templates import drafts, labels
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, words
from tests.support.finished_runs import GOLD, save_rows


def test_where_nothing_waits_the_page_says_so_and_leads_on(reply, browser):
    page = words(browser("reader").get("/"))
    assert "<h1>Nothing waits on you</h1>" in page
    assert "Go to the templates</a>" in page
    assert "No drafts. What you write is kept here" in page


def test_a_reviewer_reads_what_to_approve_and_since_when(reply, browser):
    reply.propose(2)
    page = words(browser("reviewer").get("/"))
    assert "<h1>One thing waits on you</h1>" in page
    assert re.search(r"<b>Approve</b> ?<span class=\"note\"><time [^>]+>just now</time>", page)
    assert "Needs 1 more approval." in page


def test_the_author_waits_for_the_reviewers_meanwhile(reply, browser):
    reply.propose(2)
    page = words(browser("author").get("/"))
    assert "1 change is open; none of them is your turn." in page
    assert "Waiting on others</h2>" in page
    assert "<span>admin or reviewer</span>" in page


def test_an_objection_is_the_author_s_to_answer_and_an_approval_to_publish(reply, browser):
    change = reply.propose(2)
    reviewer = reply.actor("reviewer")
    digest = change.version.digest
    change_services.decide_on_change(
        actor=reviewer, number=change.number, decision="request_changes", digest=digest, text="Shorter."
    )
    assert "<b>Answer</b>" in words(browser("author").get("/"))
    change_services.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    page = words(browser("author").get("/"))
    assert "<b>Publish</b>" in page
    assert "Nothing blocks it: it can be published." in page


def test_a_reader_is_not_shown_what_concerns_others(reply, browser):
    reply.propose(2)
    assert "Waiting on others" not in words(browser("reader").get("/"))


def test_a_draft_can_be_resumed_and_tells_what_came_out_meanwhile(reply, browser):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=DOCUMENT, base=1)
    page = words(browser("author").get("/"))
    assert f'href="/t/{REPLY}/-/edit">Resume' in page
    assert "v2 came out after you began from v1" in page
    assert "Resume" not in words(browser("reviewer").get("/"))


def test_what_went_live_and_what_went_back_is_told(reply, browser):
    reply.publish(2)
    labels.roll_back_label(
        actor=reply.actor("reviewer"), name=REPLY, label="production", version=1, reason="It quotes too much."
    )
    page = words(browser("reader").get("/"))
    assert "reviewer rolled" in page
    assert "back to v1" in page
    assert "to v2, <a" in page


def test_an_outsider_reads_nothing_of_it(reply, browser):
    reply.propose(2)
    page = words(browser("outsider").get("/"))
    assert "Nothing has gone live yet." in page
    assert REPLY not in page


def test_the_page_costs_the_same_however_much_is_open(reply, browser, django_assert_max_num_queries):
    client = browser("reviewer")
    reply.propose(2)
    with django_assert_max_num_queries(23):
        client.get("/")
    for number in range(3, 7):
        reply.save(OTHER.replace("Quote", "Quote " * number), message=f"Number {number}")
        reply.propose(number)
    with django_assert_max_num_queries(23):
        assert words(client.get("/")).count("<b>Approve</b>") == 5


def test_the_list_of_changes_costs_the_same_however_long(reply, browser):
    client = browser("reviewer")
    costs = []
    for number in range(2, 7):
        reply.save(OTHER.replace("Quote", "Quote " * number), message=f"Number {number}")
        reply.propose(number + 1)
        with CaptureQueriesContext(connection) as asked:
            assert words(client.get("/changes/")).count("<b>Your turn</b>") == number - 1
        costs.append(len(asked))
    assert len(set(costs)) == 1


def test_what_is_live_and_fails_is_named_with_what_it_misses(reply, browser):
    save_rows(reply)
    attachments.attach_evaluation(
        actor=reply.actor("admin"),
        namespace="support",
        name="answers",
        pattern="*",
        dataset=GOLD,
        model="echo",
        gates=["squad_f1 >= 0.9", "chrf >= 101"],
        nightly=True,
    )
    assert "Failing in production" not in words(browser("reader").get("/"))
    nightly_runs.start_nightly_runs(log.now())
    run_worker.advance_run(Run.objects.get().pk)
    page = words(browser("reader").get("/"))
    assert "Failing in production</h2>" in page
    assert "answers: chrf &gt;= 101: " in page
    assert f'href="/runs/?template={REPLY}"' in page
    assert "Failing in production" not in words(browser("outsider").get("/"))
