"""Rollouts on the page of a change: starting one from the panel, and its buttons; and on the other pages."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from frontend.locale.catalogues import compile_catalogues
from frontend.web import finding_catalogue
from frontend.web.findings import translate_finding
from registry.changes import decisions, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.freezes import services as freezes
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from registry.rollouts import clock
from registry.rollouts import services as rollout_services
from registry.rollouts.models import Rollout
from registry.templates.label_models import Label
from registry.usage.models import OutcomeTotal
from tests.frontend.conftest import DOCUMENT, REPLY, read_html
from tests.support.recorded_rows import write_or_insert
from tests.support.seen_versions import seen_versions

STOP = f"/t/{REPLY}/-/labels?label=production&amp;version=1"  # the panel that stops the rollout of the label
PLAN = {"do": "publish", "how": "gradually", "shares": "5, 25", "hours": "24", "metric": "", "below": ""}


def approve(desk, number):
    digest = ChangeRequest.objects.get(number=number).version.digest
    decisions.decide_on_change(actor=desk.actor("reviewer"), number=number, decision="approve", digest=digest)


@pytest.fixture
def change(reply):
    def write() -> int:
        number: int = reply.propose(2).number
        approve(reply, number)
        return number

    return ChangeRequest.objects.get(number=write_or_insert("approved change of version two", write))


@pytest.fixture
def act(change, browser):
    """Submit the page's form as a person; return the next page."""

    def send(role, **fields):
        return read_html(
            browser(role).post(f"/changes/{change.number}", {**seen_versions(change.number), **fields}, follow=True)
        )

    return send


@pytest.fixture
def score(act):
    """Start a rollout, and report scores as services do: replies of a side, and how many of them helped."""
    act("author", **PLAN)
    rollout = Rollout.objects.get()

    def report(side, count, ones):
        OutcomeTotal.objects.create(
            version=getattr(rollout, side),
            name="helpful",
            by_person=False,
            day=rollout.created_at.date(),
            count=count,
            total=float(ones),
            squares=float(ones),
            last_at=rollout.created_at,
        )

    return report


def format_moment(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def test_the_last_step_is_named_in_the_language_of_the_page(act, change, browser):
    act("author", **{**PLAN, "shares": "5"})
    address = f"/changes/{change.number}"
    assert "Next: everybody," in read_html(browser("author").get(address))
    page = read_html(browser("author").get(address, headers={"Accept-Language": "de"}))
    assert "Als Nächstes: alle," in page
    assert "everybody" not in page
    assert "everybody" not in read_html(browser("author").get("/environments", headers={"Accept-Language": "de"}))


def test_why_a_planned_step_was_not_done_is_reported_in_the_language_of_the_page(act, change, browser, desk):
    act("author", **PLAN)
    decisions.decide_on_change(
        actor=desk.actor("reviewer"),
        number=change.number,
        decision="request_changes",
        digest=change.version.digest,
        text="No",
    )
    assert clock.advance_rollouts(datetime.now(UTC) + timedelta(hours=25)) == 1
    address = f"/changes/{change.number}"
    english = "The next step was not possible: reviewer asked for edits."
    assert english in read_html(browser("author").get(address))
    page = read_html(browser("author").get(address, headers={"Accept-Language": "de"}))
    assert "Der nächste Schritt war nicht möglich: Überarbeitung verlangt von reviewer." in page
    assert "was not possible" not in page


@pytest.mark.parametrize(
    ("message", "german"),
    [
        ("Needs 2 more approvals.", "Noch 2 Freigaben nötig."),
        (
            "Needs 1 more approval. The approval by reviewer does not count: reviewer wrote version 2.",
            "Noch 1 Freigabe nötig. Die Freigabe von reviewer zählt nicht: reviewer hat Version 2 geschrieben.",
        ),
        ("1 thread is not resolved.", "1 Diskussion ist nicht erledigt."),
        ("The check evaluation has not finished.", "Die Prüfung evaluation"),
        (
            "You need the role author to publish changes in support; author is reader. Admins of support: admin.",
            "Rolle Autor",
        ),
        (
            "author, in whose name it runs, is deactivated. Whoever resumes it continues in their own name.",
            "author, in dessen Namen",
        ),
    ],
)
def test_each_reason_for_a_step_not_done_has_its_translation(message, german):
    compile_catalogues()
    finding_catalogue.read_catalogue.cache_clear()
    with translation.override("de"):
        told = translate_finding(f"The next step was not possible: {message}")
    assert told.startswith("Der nächste Schritt war nicht möglich: ")
    assert german in told
    assert not re.search(r"\b(the|is|not|needs|more|started|does)\b", told, re.IGNORECASE)


def test_the_panel_offers_three_ways_in_one_field(change, browser):
    page = read_html(browser("author").get(f"/changes/{change.number}/publish"))
    assert re.findall(r'name="how" value="(\w+)"', page) == ["at_once", "gradually", "on_date"]
    assert page.count('name="goes_live_at"') == 1


def test_publishing_immediately_is_the_default(change, act):
    assert "Published: production serves v2 now." in act(
        "author", do="publish", how="at_once", shares="5, 25", hours="24"
    )
    assert not Rollout.objects.exists()


def test_a_date_of_the_panel_is_scheduled(change, act):
    at = (datetime.now(UTC) + timedelta(days=30)).replace(second=0, microsecond=0)
    assert "Scheduled." in act("author", do="publish", how="on_date", goes_live_at=format_moment(at))
    change.refresh_from_db()
    assert (change.goes_live_at, change.state) == (at, "approved")


def test_on_a_date_needs_the_date(act):
    assert "A date and a time" in act("author", do="publish", how="on_date", goes_live_at="")


def test_a_scheduled_change_is_published_immediately_or_on_another_date(change, act, browser):
    at = datetime.now(UTC) + timedelta(days=30)
    act("author", do="publish", how="on_date", goes_live_at=format_moment(at))
    page = read_html(browser("author").get(f"/changes/{change.number}/publish"))
    assert 'value="gradually"' not in page
    assert "Change date" in page
    assert "cancel that schedule first" in act("author", **PLAN)


def test_actions_that_a_rollout_forbids_are_not_offered(change, act):
    page = act("author", **PLAN)
    for button in ("schedule", "withdraw", "set_version", "publish"):
        assert f'value="{button}"' not in page


def test_the_plan_of_the_panel_is_started(act):
    page = act("author", **{**PLAN, "metric": "helpful", "below": "0.85"})
    rollout = Rollout.objects.get()
    assert (rollout.steps, rollout.state) == ([{"share": 500, "hours": 24}, {"share": 2500, "hours": 24}], "running")
    assert rollout.stop_rule == {"metric": "helpful", "replies": 200, "below": 0.85, "worse_than_stable": False}
    assert "Started: 5 % of the callers get v2." in page
    assert "Next: 25 %" in page
    assert "Roll back</button>" not in page


@pytest.mark.parametrize(
    ("field", "text", "fault"),
    [
        ("shares", "many", "Numbers separated by commas"),
        ("shares", "25, 5", "not larger than the one before"),
        ("hours", "soon", "A whole number, or empty"),
        ("metric", "Not a name", "Name the score"),
    ],
)
def test_an_empty_plan_is_refused_by_its_field(act, field, text, fault):
    assert fault in act("author", **{**PLAN, field: text})
    assert not Rollout.objects.exists()


def test_the_page_says_that_publishing_starts_the_rollout_that_was_proposed(reply, browser):
    plan = {"steps": [{"share": 500, "hours": 24}, {"share": 2500, "hours": None}]}
    proposed = change_services.propose_change(
        actor=reply.actor("author"), name=REPLY, label="production", version=2, message="", planned_rollout=plan
    )
    approve(reply, proposed.number)
    page = " ".join(read_html(browser("author").get(f"/changes/{proposed.number}")).split())
    assert "Publishing starts the rollout: 5 %, 25 %, then everybody." in page
    assert "at once" not in page


def test_a_running_rollout_is_not_a_problem_of_its_change_but_one_of_others(change, act, browser, reply):
    page = act("author", **PLAN)
    assert "The rollout of this change is under way" in page
    assert "thing blocks this change" not in page
    rows = browser("author").get(f"/changes/{change.number}").context["obstacles"]
    assert [row.icon for row in rows] == ["loader"], "nothing failed"
    reply.save(f"{DOCUMENT}    One more line.\n")
    other = reply.propose(3)
    approve(reply, other.number)
    page = read_html(browser("author").get(f"/changes/{other.number}"))
    assert "1 thing blocks this change" in page
    assert "The rollout of this change is under way" not in page


def test_while_a_rollout_runs_its_label_goes_back_by_stopping_it(change, act, browser):
    act("author", **PLAN)
    page = read_html(browser("reviewer").get(f"/t/{REPLY}"))
    assert f'href="{STOP}"' in page
    assert f'href="{STOP}"' not in read_html(browser("author").get(f"/t/{REPLY}"))
    panel = " ".join(read_html(browser("reviewer").get(f"/t/{REPLY}/-/labels?label=production&version=1")).split())
    assert "Rollout 1 gives v2 to a share of the callers of production." in panel
    assert "everybody gets v1 again at once" in panel
    assert f'href="/changes/{change.number}#rollout"' in panel
    assert 'value="roll_back"' not in panel
    assert 'value="stop_rollout"' in panel
    assert 'value="stop_rollout"' not in read_html(browser("author").get(unescape(STOP)))


def test_the_panel_of_the_label_stops_its_rollout_with_a_reason(change, act, browser):
    act("author", **PLAN)
    client, address = browser("reviewer"), f"/t/{REPLY}/-/labels"
    assert 'name="cause" value="answers"' in read_html(client.get(unescape(STOP)))
    sent = {"do": "stop_rollout", "label": "production", "version": "1", "rollout": "1"}
    refused = client.post(address, sent)
    assert (refused.status_code, "Say why it is stopped" in read_html(refused)) == (422, True)
    assert browser("author").post(address, {**sent, "reason": "Rude"}).status_code == 403
    assert Rollout.objects.get().state == Rollout.RUNNING
    page = read_html(client.post(address, {**sent, "cause": "answers", "reason": "It insults people"}, follow=True))
    assert "Stopped rollout 1: production serves v1 to everybody." in page
    rollout = Rollout.objects.get()
    assert (rollout.state, rollout.reason) == (Rollout.STOPPED, "Wrong answers: It insults people")
    again = client.post(address, {**sent, "reason": "Again"})
    assert again.status_code == 409


def test_the_panel_that_stops_a_rollout_compares_no_other_version(change, act, browser, reply):
    """Production held an earlier version too: it does not go back to that one."""
    act("author", do="publish", how="at_once")
    newer = reply.save(DOCUMENT + "\n")
    later = reply.propose(newer.number)
    approve(reply, later.number)
    rollout_services.start_rollout(actor=reply.actor("author"), change=later.number)
    panel = read_html(browser("reviewer").get(f"/t/{REPLY}/-/labels?label=production&version=2"))
    assert "Roll production back to v2" in panel
    assert '/diff?from=3&amp;to=2">Compare v3 with v2' in panel
    assert "will be live" not in panel
    assert "Undo: roll back" not in panel


def test_stopping_from_an_overview_leads_back_to_it(change, act, browser):
    act("author", **PLAN)
    sent = {"do": "stop_rollout", "label": "production", "version": "1", "rollout": "1", "cause": "cost"}
    page = "/environments/?from=latest&to=production"
    address, behind = f"/t/{REPLY}/-/labels", f"http://testserver{page}"
    refused = browser("reviewer").post(address, {**sent, "cause": ""}, HTTP_REFERER=behind)
    assert refused.status_code == 422
    answer = browser("reviewer").post(address, sent, HTTP_REFERER=behind)
    assert (answer.status_code, answer["Location"]) == (302, page)


@pytest.mark.parametrize("behind", ["http://elsewhere.example/environments/", "http://testserver/account/keys", ""])
def test_another_page_behind_leads_to_the_template(change, act, browser, behind):
    act("author", **PLAN)
    sent = {"do": "stop_rollout", "label": "production", "version": "1", "rollout": "1", "cause": "cost"}
    answer = browser("reviewer").post(f"/t/{REPLY}/-/labels", sent, HTTP_REFERER=behind)
    assert answer["Location"] == f"/t/{REPLY}"


def test_home_leads_to_the_panel_that_stops_a_rollout(change, act, browser):
    act("author", **PLAN)
    assert re.search(rf'href="{re.escape(STOP)}" data-panel> ?Roll back to v1', read_html(browser("reviewer").get("/")))
    assert STOP not in read_html(browser("author").get("/"))


def test_next_step_pause_and_resume(act):
    act("author", **PLAN)
    assert "25 % of the callers get it now." in act("author", do="rollout_step", rollout=1)
    assert "Paused: the share stays as it is." in act("author", do="rollout_pause", rollout=1)
    assert "Next: everybody" in act("author", do="rollout_resume", rollout=1)
    assert "Finished: production moved to v2." in act("author", do="rollout_step", rollout=1)
    assert Label.objects.get(name="production").version.number == 2


def test_a_reviewer_rolls_back_with_a_reason(act):
    assert "Stops automatically" in act("author", **{**PLAN, "metric": "helpful", "below": "0.85"})
    assert "say why it is stopped" in act("reviewer", do="rollout_stop", rollout=1, text=" ")
    page = act("reviewer", do="rollout_stop", rollout=1, text="Wrong answers")
    assert "Stopped at 5 %" in page
    assert "Stops automatically" not in page
    assert "Wrong answers" in page
    assert "Publish" in page


def test_next_step_is_taken_once_of_two_people_who_saw_the_same_share(act):
    act("author", **PLAN)
    act("author", do="rollout_step", rollout=1, share=500)
    assert "Rollout 1 is at 25 % already." in act("reviewer", do="rollout_step", rollout=1, share=500)
    assert Rollout.objects.get().share == 2500


def test_both_sides_have_their_scores(act, score):
    score("stable", 300, 270)
    score("candidate", 12, 6)
    page = act("reader")
    assert "0.90" in page
    assert "collecting, 12 of 200" in page


def test_an_ended_rollout_collects_no_more(act, score):
    score("candidate", 12, 6)
    page = act("reviewer", do="rollout_stop", rollout=1, text="Wrong answers")
    assert "12 replies" in page
    assert "collecting" not in page


PAGES = ["/", "/environments/", "/environments/?show=rolling", f"/t/{REPLY}"]


@pytest.mark.parametrize("address", PAGES)
def test_every_page_shows_the_share_the_next_step_and_the_scores(score, browser, address):
    score("stable", 300, 270)
    score("candidate", 250, 125)
    page = read_html(browser("reader").get(address))
    assert "<b>v2</b> at <b>5 %</b>" in page
    assert "25 %" in page
    assert "v1 serves the rest" in page
    assert "helpful worse, −0.40" in page
    assert "#rollout" in page


@pytest.mark.parametrize("address", PAGES)
def test_scores_are_collected_before_they_are_read(score, browser, address):
    score("candidate", 84, 80)
    assert "helpful collecting, 84 of 200" in read_html(browser("reader").get(address))


@pytest.mark.parametrize("address", ["/", "/environments/", f"/t/{REPLY}"])
def test_no_page_speaks_of_a_rollout_that_ended(act, browser, address):
    act("author", **PLAN)
    act("reviewer", do="rollout_stop", rollout=1, text="Wrong answers")
    assert "serves the rest" not in read_html(browser("reader").get(address))


def test_paused_and_manual_rollouts_are_marked(act, browser):
    act("author", **{**PLAN, "hours": ""})
    assert "25 % by hand, v1 serves the rest" in read_html(browser("reader").get("/"))
    act("author", do="rollout_pause", rollout=1)
    assert "paused, v1 serves the rest" in read_html(browser("reader").get("/"))


def test_home_lists_the_rollout_once_and_what_waits_for_it(reply, act, browser):
    act("author", **PLAN)
    assert "Waiting on others" not in read_html(browser("author").get("/"))
    reply.save(DOCUMENT + "    more\n")
    number = reply.propose(3).number
    approve(reply, number)
    page = read_html(browser("author").get("/"))
    assert "Rollout 1" in page
    assert "Rollout 1</span>" in page


def test_environments_leads_to_the_next_step_and_back_by_the_rollout_only(change, act, browser):
    act("author", **PLAN)
    link = f'href="/changes/{change.number}#rollout">'
    assert f"{link}Go to 25 %" in read_html(browser("author").get("/environments/"))
    page = read_html(browser("reader").get("/environments/"))
    assert f"{link}Open rollout" in page
    assert "Roll back" not in page
    page = read_html(browser("reviewer").get("/environments/"))
    assert page.count("Roll back to v") == 1
    assert f'href="{STOP}" data-panel>Roll back to v1' in page


def test_environments_lists_what_is_rolling_out(reply, act, browser):
    reply.save(name="support/triage")
    assert "Nothing is rolling out." in read_html(browser("reader").get("/environments/?show=rolling"))
    act("author", **PLAN)
    page = read_html(browser("reader").get("/environments/?show=rolling"))
    assert "Rolling out 1" in page
    assert "support/triage" not in page
    assert "in a rollout has" in read_html(browser("reader").get("/environments/?show=rolling&q=zebra"))


def test_outsiders_get_no_rollouts(act, browser):
    act("author", **PLAN)
    page = read_html(browser("outsider").get("/"))
    assert "Rollouts in progress" not in page


def test_pages_take_as_many_queries_for_one_rollout_as_for_three(reply, act, browser):
    act("author", **PLAN)
    client = browser("reader")

    def count_queries(address):
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    before = [count_queries(address) for address in ("/", "/environments/?show=rolling")]
    for name in ("support/one", "support/two"):
        for version in (1, 2):
            reply.save(DOCUMENT + "    more\n" * version, name=name)
            number = change_services.propose_change(
                actor=reply.actor("author"), name=name, label="production", version=version, message=""
            ).number
            approve(reply, number)
            if version == 1:
                change_services.publish_change(actor=reply.actor("author"), number=number)
        rollout_services.start_rollout(actor=reply.actor("author"), change=number)
    assert Rollout.objects.count() == 3
    assert [count_queries(address) for address in ("/", "/environments/?show=rolling")] == before


def test_the_audit_page_has_a_linked_sentence_for_each_step(change, act, browser):
    act("author", **PLAN)
    for button in ("rollout_pause", "rollout_resume", "rollout_step"):
        act("author", do=button, rollout=1)
    act("reviewer", do="rollout_stop", rollout=1, text="Wrong answers")
    page = read_html(browser("reader").get("/n/support/audit"))
    subject = f"rollout 1 of {REPLY} 2 for production"
    for person, sentence in (
        ("author", f"started {subject}, with 5 % of the callers"),
        ("author", f"paused {subject}"),
        ("author", f"resumed {subject}"),
        ("author", f"moved {subject} to 25 %"),
        ("reviewer", f"stopped {subject} at 25 %: Wrong answers"),
    ):
        assert f'<b>{person}</b> <a href="/changes/{change.number}">{sentence}</a>' in page


def test_nobody_is_asked_for_a_review_of_what_is_rolled_out(change, act, browser):
    address = f"/changes/{change.number}"
    assert ">Ask</button>" in read_html(browser("author").get(address))
    page = act("author", **PLAN)
    assert ">Ask</button>" not in page
    assert "it waits for no review" in act("author", do="ask", person="reviewer")


PROPOSAL = {"label": "production", "version": "2", "title": "Quote it", "how": "gradually", "shares": "5, 25"}


def propose(browser, role="author", **fields):
    sent = {**PROPOSAL, "hours": "24", "metric": "", "below": "", **fields}
    return browser(role).post(f"/t/{REPLY}/-/propose", sent)


def test_a_proposal_offers_gradually_where_the_label_serves_another_version(browser, reply):
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2"))
    assert re.findall(r'name="how" value="(\w+)"', page) == ["at_once", "gradually", "on_date"]


def test_a_proposal_for_a_label_that_serves_nothing_offers_no_rollout(browser, reply):
    Label.objects.all().delete()
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2"))
    assert 'value="gradually"' not in page


def test_a_proposal_keeps_its_plan_and_shows_it(browser, reply):
    answer = propose(browser, metric="helpful", below="0.85")
    change = ChangeRequest.objects.get(version__number=2)
    assert answer["Location"] == f"/changes/{change.number}"
    page = read_html(browser("author").get(f"/changes/{change.number}?view=conversation"))
    assert "Goes live gradually: 5 %, 25 %" in page
    assert "proposed v2 for production, to go live gradually: 5 %, 25 %" in page


def test_the_panel_begins_with_the_plan_and_starts_it_unchanged(browser, reply):
    plan = {
        "steps": [{"share": 500, "hours": 24}, {"share": 2550, "hours": None}],
        "stop_rule": {"metric": "helpful", "below": 0.85, "worse_than_stable": True, "replies": 50},
    }
    change = change_services.propose_change(
        actor=reply.actor("author"), name=REPLY, label="production", version=2, message="", planned_rollout=plan
    )
    approve(reply, change.number)
    page = read_html(browser("author").get(f"/changes/{change.number}/publish"))
    assert 'value="gradually" class="visually-hidden" checked' in page
    fields = {name: re.search(rf'name="{name}"[^>]*value="([^"]*)"', page)[1] for name in ("shares", "hours", "below")}
    assert fields == {"shares": "5, 25.5", "hours": "24, ", "below": "0.85"}
    sent = {"do": "publish", "how": "gradually", "metric": "helpful", **fields, **seen_versions(change.number)}
    browser("author").post(f"/changes/{change.number}", sent)
    rollout = Rollout.objects.get()
    assert (rollout.steps, rollout.stop_rule) == (plan["steps"], plan["stop_rule"])
    assert "Goes live gradually" not in read_html(browser("author").get(f"/changes/{change.number}"))


def test_the_publisher_may_choose_otherwise(browser, reply):
    propose(browser)
    change = ChangeRequest.objects.get(version__number=2)
    approve(reply, change.number)
    browser("author").post(
        f"/changes/{change.number}", {**seen_versions(change.number), **PLAN, "shares": "10, 20", "hours": "24, 12"}
    )
    assert Rollout.objects.get().steps == [{"share": 1000, "hours": 24}, {"share": 2000, "hours": 12}]


def test_publishing_immediately_moves_the_label_of_a_planned_change(browser, reply):
    propose(browser)
    change = ChangeRequest.objects.get(version__number=2)
    approve(reply, change.number)
    browser("author").post(f"/changes/{change.number}", {**seen_versions(change.number), **PLAN, "how": "at_once"})
    assert (Label.objects.get(name="production").version.number, Rollout.objects.count()) == (2, 0)


def test_a_publish_that_chooses_nothing_follows_the_plan(browser, reply):
    propose(browser)
    change = ChangeRequest.objects.get(version__number=2)
    approve(reply, change.number)
    page = read_html(
        browser("author").post(
            f"/changes/{change.number}", {**seen_versions(change.number), "do": "publish"}, follow=True
        )
    )
    assert "Started: 5 % of the callers get v2." in page


@pytest.mark.parametrize(
    ("field", "text", "fault"),
    [
        ("shares", "many", "numbers separated by commas"),
        ("shares", "25, 5", "not larger than the one before"),
        ("hours", "soon", "a whole number, or empty"),
        ("hours", "1, 2, 3", "one number for all shares, or one for each"),
        ("metric", "Not a name", "name the score"),
    ],
)
def test_a_proposal_with_a_wrong_plan_opens_nothing_and_keeps_what_was_typed(browser, reply, field, text, fault):
    answer = propose(browser, why="They asked", **{field: text})
    page = read_html(answer)
    assert answer.status_code == 422
    assert fault in page.lower()
    assert "They asked</textarea>" in page
    assert f'value="{text}"' in page
    assert not ChangeRequest.objects.filter(version__number=2).exists()


def test_where_a_stopped_version_can_be_published_again_its_stop_is_shown(act, change, browser, reply):
    act("author", **PLAN)
    rollout = Rollout.objects.get()
    pages = ["/", "/environments/", f"/t/{REPLY}", f"/changes/{change.number}", f"/changes/{change.number}/publish"]
    said = f"Rollout {rollout.number} was stopped at 5 % <time"
    for page in pages[:-1]:
        assert said not in read_html(browser("author").get(page)), page
    rollout_services.stop_rollout(
        actor=reply.actor("reviewer"), number=rollout.number, reason="helpful 0.52, needs 0.85"
    )
    for page in pages:
        text = read_html(browser("author").get(page))
        assert said in text, page
        assert "Helpful 0.52, needs 0.85." in text, page


def test_the_stop_is_not_said_of_another_version_nor_after_it_went_live(act, change, browser, reply):
    act("author", **PLAN)
    rollout_services.stop_rollout(actor=reply.actor("reviewer"), number=Rollout.objects.get().number, reason="Errors")
    act("author", do="publish", how="at_once")
    change.refresh_from_db()
    assert change.state == "published"
    assert "was stopped at" not in read_html(browser("author").get("/"))
    newer = reply.save(DOCUMENT + "\n")
    other = reply.propose(newer.number)
    assert "was stopped at" not in read_html(browser("author").get(f"/changes/{other.number}"))


def test_the_panels_of_a_release_name_the_stop_too(act, change, browser, reply):
    act("author", **PLAN)
    rollout_services.stop_rollout(actor=reply.actor("reviewer"), number=Rollout.objects.get().number, reason="Errors")
    rules.set_rules(actor=reply.actor("admin"), namespace="demo", protected_labels=["production"])
    reply.save(name="demo/reminder")
    pair = {"from": "latest", "to": "production", "template": REPLY}
    for sent in (pair, {**pair, "template": [REPLY, "demo/reminder"]}):
        text = read_html(browser("author").get("/releases/new/", sent))
        assert text.count("was stopped at 5 %") == 1
    proposed = proposals.propose_release(
        actor=reply.actor("author"),
        namespace="support",
        label="production",
        title="Again",
        selection=ReleaseSelection(versions={REPLY: 2}),
    )
    page = browser("author").get(f"/releases/{proposed.release.number}/publish")
    assert "was stopped at 5 %" in read_html(page)


def test_a_freeze_is_named_where_a_rollout_waits_for_it(act, change, browser, desk):
    act("author", **PLAN)
    now = datetime.now(UTC)
    starts, ends = ((now + timedelta(hours=hours)).isoformat() for hours in (-1, 3))
    freezes.set_freeze(
        actor=desk.actor("admin"), namespace="support", repeat="once", starts=starts, ends=ends, reason="Stocktaking"
    )
    sentence = "(Stocktaking). The next step waits until then."
    home = read_html(browser("author").get("/"))
    assert "support has no releases until" in home
    assert home.count(sentence) == 1
    assert f"/changes/{change.number}#rollout" in home
    assert "Waiting on others" not in home  # the rollout's row already shows everything to wait for
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert sentence in page
    assert len(re.findall(r'type="button" aria-disabled="true" aria-describedby="rollout-freeze"', page)) == 2
    assert "The next step waits" not in read_html(browser("author").get("/environments/"))


def test_home_names_the_freeze_of_a_change_that_waits_for_more(reply, browser, desk):
    number = reply.propose(2).number
    now = datetime.now(UTC)
    starts, ends = ((now + timedelta(hours=hours)).isoformat() for hours in (-1, 3))
    freezes.set_freeze(
        actor=desk.actor("admin"), namespace="support", repeat="once", starts=starts, ends=ends, reason="Stocktaking"
    )
    named = "(Stocktaking). Releases can continue after the freeze."
    assert named in read_html(browser("reviewer").get("/"))
    assert named in read_html(browser("author").get("/"))
    approve(reply, number)
    home = read_html(browser("author").get("/"))
    assert home.count("support has no releases until") == 1


def test_a_rollout_without_approval_any_more_is_marked(act, change, browser, desk):
    act("author", **PLAN)
    pages = ("/", "/environments/", f"/t/{REPLY}", f"/changes/{change.number}")
    assert not any("not approved any more" in read_html(browser("reviewer").get(page)) for page in pages)
    act("reviewer", do="take_back", digest=change.version.digest)
    for page in pages:
        assert "not approved any more" in read_html(browser("reviewer").get(page)), page
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "<b>v2 is not approved any more, and 5 % of the callers still get it.</b> Roll back to v1" in page
    approve(desk, change.number)
    assert not any("not approved any more" in read_html(browser("reviewer").get(page)) for page in pages)
