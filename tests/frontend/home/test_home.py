"""Home: what waits for whom, unfinished work, and what went live."""

import re
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from frontend.home.work_items import WaitingRow, describe_urgency
from registry.changes import decisions, emergencies, rules
from registry.changes.models import ChangeRequest
from registry.evaluations import nightly_runs, run_worker
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.models import Run
from registry.journal import log
from registry.namespaces.models import Membership
from registry.templates import drafts, labels
from registry.templates.models import Template, Version
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html
from tests.support.finished_runs import attach_gates, save_rows

MAX_QUERIES = 30


def test_where_nothing_waits_the_page_says_so_and_leads_on(reply, browser):
    page = read_html(browser("reader").get("/"))
    assert "<h1>Nothing is waiting on you</h1>" in page
    assert "Go to the templates</a>" in page
    assert "No drafts. Unsaved edits appear here." in page


def test_the_counts_of_the_bar_are_reported_to_its_script(reply, browser):
    reviewer, author = browser("reviewer"), browser("author")
    assert reviewer.get("/counts.json").json() == {"waiting": 0, "open_changes": 0}
    reply.propose(2)
    answer = reviewer.get("/counts.json")
    assert (answer.json(), answer["Cache-Control"]) == ({"waiting": 1, "open_changes": 1}, "private, no-store")
    assert author.get("/counts.json").json() == {"waiting": 0, "open_changes": 1}
    page = read_html(reviewer.get("/"))
    assert 'data-counts="/counts.json"' in page
    assert re.search(r'data-count="waiting"[^>]*>Home <span class="count"[^>]*>1</span>', page)
    assert re.search(r'data-count="open_changes"[^>]*>Changes <span class="count"[^>]*>1</span>', page)


def test_a_reviewer_reads_what_to_approve_and_since_when(reply, browser):
    reply.propose(2)
    page = read_html(browser("reviewer").get("/"))
    assert "<h1>1 thing is waiting on you</h1>" in page
    assert "It has waited <time" in page
    assert "<b>Needs 1 more approval.</b>" in page
    assert re.search(r'<a class="button button-primary"[^>]*> ?Review</a>', page)


def test_the_author_waits_for_the_reviewers_meanwhile(reply, browser):
    reply.propose(2)
    page = read_html(browser("author").get("/"))
    assert "1 open change, waiting on others." in page
    assert "Waiting on others</h2>" in page
    assert "<span>admin or reviewer</span>" in page


def test_an_objection_is_the_author_s_to_answer_and_an_approval_to_publish(reply, browser):
    change = reply.propose(2)
    reviewer = reply.actor("reviewer")
    digest = change.version.digest
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="request_changes", digest=digest, text="Shorter."
    )
    assert re.search(r'<a class="button button-primary"[^>]*> ?Answer</a>', read_html(browser("author").get("/")))
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    page = read_html(browser("author").get("/"))
    assert re.search(r'<a class="button button-primary"[^>]*> ?Publish</a>', page)
    assert "Nothing blocks it: it can be published." in page


def test_a_reader_is_not_shown_what_concerns_others(reply, browser):
    reply.propose(2)
    assert "Waiting on others" not in read_html(browser("reader").get("/"))


def test_a_draft_can_be_resumed_and_tells_what_came_out_meanwhile(reply, browser):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=DOCUMENT, base=1)
    page = read_html(browser("author").get("/"))
    assert f'href="/t/{REPLY}/-/edit">Continue' in page
    assert "based on v1, v2 is newer" in page
    assert "Continue" not in read_html(browser("reviewer").get("/"))


def test_publishes_and_rollbacks_are_reported(reply, browser):
    reply.publish(2)
    labels.roll_back_label(
        actor=reply.actor("reviewer"), name=REPLY, label="production", version=1, reason="It quotes too much."
    )
    page = read_html(browser("reader").get("/"))
    assert "reviewer rolled" in page
    assert "back to v1" in page
    assert "to v2, <a" in page


def test_an_outsider_reads_nothing_of_it(reply, browser):
    reply.propose(2)
    page = read_html(browser("outsider").get("/"))
    assert "Nothing has gone live yet." in page
    assert REPLY not in page


def test_the_page_costs_the_same_however_much_is_open(reply, browser, django_assert_max_num_queries):
    client = browser("reviewer")
    reply.propose(2)
    with django_assert_max_num_queries(MAX_QUERIES):
        client.get("/")
    for number in range(3, 7):
        reply.save(OTHER.replace("Quote", "Quote " * number), message=f"Number {number}")
        reply.propose(number)
    with django_assert_max_num_queries(MAX_QUERIES):
        assert read_html(client.get("/")).count("<b>Needs 1 more approval.</b>") == 5


def test_the_list_of_changes_costs_the_same_however_long(reply, browser):
    client = browser("reviewer")
    costs = []
    for number in range(2, 7):
        reply.save(OTHER.replace("Quote", "Quote " * number), message=f"Number {number}")
        reply.propose(number + 1)
        with CaptureQueriesContext(connection) as queries:
            assert read_html(client.get("/changes/")).count("<b>Your turn</b>") == number - 1
        costs.append(len(queries))
    assert len(set(costs)) == 1


def test_a_failing_live_version_is_named_with_the_missed_limits(reply, browser):
    save_rows(reply)
    attach_gates(reply, "squad_f1 >= 0.9", "chrf >= 101", nightly=True)
    assert "Failing in production" not in read_html(browser("reader").get("/"))
    nightly_runs.start_nightly_runs(log.now())
    run_worker.advance_run(Run.objects.get().pk)
    page = read_html(browser("reader").get("/"))
    assert "Failing in production</h2>" in page
    assert "answers: chrF, at least 101: " in page
    assert f'href="/runs/{Run.objects.get().number}"' in page
    assert "Failing in production" not in read_html(browser("outsider").get("/"))


def test_an_owner_reads_the_figures_of_the_nights_and_what_others_changed(reply, browser):
    reply.publish(2)
    labels.roll_back_label(actor=reply.actor("reviewer"), name=REPLY, label="production", version=1, reason="Wrong.")
    save_rows(reply)
    attach_gates(reply, "chrf >= 101", nightly=True)
    nightly_runs.start_nightly_runs(log.now())
    run_worker.advance_run(Run.objects.get().pk)
    page = read_html(browser("author").get("/"))
    assert "Production, last 14 days</h2>" in page
    assert "needs 101" in page
    assert "Changes to what you own</h2>" in page
    owned = page[page.index("Changes to what you own") :][:2500]
    pill = r'<span class="pill pill-protected">.*?production<span class="visually-hidden">, protected</span></span>'
    link = f'<a class="plain-link" href="/t/{REPLY}"><b>{REPLY}</b></a>'
    assert re.search(rf"reviewer rolled {pill} of {link} back to v1", owned), owned
    assert "“Wrong.”" in owned
    german = read_html(browser("author").get("/", headers={"accept-language": "de"}))
    assert re.search(r'points="[\d.]+,[\d.]+', german), "a plot has points for decimals in every language"
    assert "Recently published</h2>" in read_html(browser("reader").get("/"))


def test_a_person_without_any_role_reads_only_whom_to_ask(desk, browser, settings):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "admins"
    Membership.objects.filter(person=desk.people["outsider"]).delete()
    page = read_html(browser("outsider").get("/"))
    assert "<h1>You have no access yet</h1>" in page
    assert "Ask admin to add you by your name, outsider." in page
    assert "support" not in page, "the namespaces are told to their members only"
    assert "Your drafts" not in page
    assert "Recently published" not in page
    assert "/n/new" not in page


def test_a_person_without_any_role_who_may_make_a_namespace_is_led_there(desk, browser, settings):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "everyone"
    Membership.objects.filter(person=desk.people["outsider"]).delete()
    assert '<a href="/n/new">Or make a namespace of your own</a>' in read_html(browser("outsider").get("/"))


def test_without_an_active_admin_nobody_is_named_to_a_person_without_a_role(desk, browser):
    Membership.objects.filter(person=desk.people["outsider"]).delete()
    Membership.objects.filter(role="admin").update(role="reader")
    page = read_html(browser("outsider").get("/"))
    assert "Ask an admin of the namespace that you need to add you." in page


def test_a_person_with_a_role_is_not_told_whom_to_ask(desk, browser):
    assert "add you by your name" not in read_html(browser("reader").get("/"))


def test_a_failure_can_be_rolled_back_by_who_may(reply, browser):
    reply.publish(2)
    LiveFailure.objects.create(
        template=Template.objects.get(name=REPLY),
        version=Version.objects.get(template__name=REPLY, number=2),
        evaluation="answers",
        label="production",
        run=7,
        findings=["chrf >= 101: 12"],
        since=log.now(),
    )
    assert "answers: chrF, at least 101: 12." in read_html(browser("reader").get("/"))
    assert "Roll back to v1" in read_html(browser("reviewer").get("/"))
    assert "Roll back to v1" not in read_html(browser("reader").get("/"))


def test_the_urgent_ones_are_counted_and_what_blocks_a_person_says_whom(reply, browser):
    moment = log.now()
    rows = [WaitingRow(urgency, moment) for urgency in (0, 1, 1, 2, 3)]
    assert describe_urgency(rows) == "1 is live without approval, 2 block a release."
    assert describe_urgency(rows[3:]) == ""
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"),
        number=change.number,
        decision="request_changes",
        digest=change.version.digest,
        text="Shorter.",
    )
    assert "<b>Blocks " not in read_html(browser("author").get("/")), "it is the author's own change"


def test_an_emergency_waits_since_it_went_live_and_not_since_it_was_proposed(reply, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    change = reply.propose(2)
    a_day_ago = log.now() - timedelta(days=1)
    ChangeRequest.objects.filter(pk=change.pk).update(created_at=a_day_ago)
    emergencies.publish_in_emergency(actor=reply.actor("reviewer"), number=change.number, reason="It burns")
    page = " ".join(read_html(browser("admin").get("/")).split())
    assert re.search("live without approval [^,]*less than a minute", page)
