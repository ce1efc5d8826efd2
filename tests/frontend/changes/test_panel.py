"""The panel before a label moves: the same facts for every action, as a page and over a page."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from frontend.changes.label_evidence import MetricRow
from registry.changes import decisions, emergencies, label_preview, rules
from registry.evaluations.metric_readings import MetricReading
from registry.freezes import services as freezes
from registry.namespaces import keys
from registry.redaction.services import redact_version
from registry.templates import labels
from registry.templates.models import Version
from registry.usage.models import Fetch
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html
from tests.support.finished_runs import WORSE, attach_gates, save_rows, start_run
from tests.support.seen_versions import seen_versions

OVER = {"HX-Request": "true", "HX-Target": "panel"}


@pytest.fixture
def fetched(reply):
    """Two services: one follows production, one stays on version 1."""
    for name, ref, count in (("chat", "production", 1400), ("mail", "1", 70)):
        issued = keys.issue_key(
            actor=reply.actor("admin"), namespace="support", name=name, scope="read", person="author"
        )
        at = datetime.now(UTC)
        version = Version.objects.get(template__name=REPLY, number=1)
        Fetch.objects.create(key=issued.key, version=version, ref=ref, day=at.date(), count=count, last_at=at)
    return reply


def open_panel(client, address):
    return client.get(address, headers=OVER)


@pytest.mark.parametrize("headers", [{}, OVER])
def test_proposing_shows_who_gets_the_version_and_the_way_back(fetched, browser, headers):
    answer = browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2", headers=headers)
    page = read_html(answer)
    assert "Propose v2 for production" in page
    assert "200 fetches a day switch to v2, 10 stay" in page
    assert "Undo: roll back to v1 at any time." in page
    by_hand = 'value="at_once" class="visually-hidden" checked> ?By hand<'
    assert re.search(by_hand, page), "approval comes before it goes live"
    assert ">At once<" not in page
    assert "No service fetched" not in page
    assert ("<html" in page) is not bool(headers)


def test_the_page_the_api_and_the_query_have_the_same_numbers(fetched, browser):
    facts = label_preview.find_preview(fetched.actor("author"), REPLY, "production", 2)
    address = f"/api/v1/templates/{REPLY}/-/labels/production/preview?version=2"
    body = browser("author").get(address).json()
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2"))
    assert (body["fetches_moving"], body["fetches_staying"]) == (facts.fetches_moving, facts.fetches_staying)
    sentence = f"{facts.fetches_moving} fetches a day switch to v2, {facts.fetches_staying} stay"
    assert sentence in page
    assert [service["gets"] for service in body["services"]] == [effect.gets for effect in facts.services]


def test_a_metric_that_gets_worse_without_a_gate_is_shown(reply, browser):
    save_rows(reply)
    reply.save(WORSE)
    start_run(reply, "1", metrics=["squad_f1"])
    run = start_run(reply, "3", metrics=["squad_f1"])
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    assert f'href="/runs/{run.number}"' in page
    assert "1 metric without a gate gets worse." in page
    assert "no gate" in page


def test_an_admin_is_led_to_a_gate_for_the_metric_that_gets_worse(reply, browser):
    save_rows(reply)
    reply.save(WORSE)
    for ref in ("1", "3"):
        start_run(reply, ref, metrics=["squad_f1"])
    address = f"/t/{REPLY}/-/propose?label=production&version=3"
    link = '<a href="/n/support/evaluations?metric=squad_f1"'
    page = read_html(browser("admin").get(address))
    assert link in page
    assert '<path class="plot-worse plot-mark"' in page
    assert re.search(r"95 % interval −\d\.\d\d to ", page)
    german = read_html(browser("admin").get(address, headers={"accept-language": "de"}))
    assert re.search(r'<path class="plot-worse plot-mark" d="M\d+\.\d 4l', german), "points for decimals in German too"
    assert link not in read_html(browser("author").get(address))
    gates = read_html(browser("admin").get("/n/support/evaluations?metric=squad_f1"))
    assert '<option value="squad_f1" selected>' in gates


def test_a_metric_that_stays_as_it_was_has_a_plot_too(reply, browser):
    save_rows(reply)
    reply.save(DOCUMENT.replace("description:", "description: Again,"))
    for ref in ("1", "3"):
        start_run(reply, ref, metrics=["squad_f1"])
    page = read_html(browser("admin").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    assert re.search(r'<circle class="plot-same plot-mark" cx="42\.0"', page), "in the middle, on zero"


def test_a_failed_gate_is_shown_and_the_button_says_anyway(reply, browser):
    save_rows(reply)
    reply.save(WORSE)
    for ref in ("1", "3"):
        start_run(reply, ref, metrics=["squad_f1"])
    attach_gates(reply, "squad_f1 >= 0.9", pattern="refunds/reply")
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    said = "<b>1 metric doesn't reach its gate.</b>"
    assert f"{said} The rules don't require the check, so nothing blocks this." in page
    assert "at least 0.9</span>" in page
    assert "Propose anyway" in page
    assert "Propose v3</button>" not in page
    rules.set_rules(actor=reply.actor("admin"), namespace="support", required_checks=["evaluation"])
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    assert f"{said} While it doesn't, production can't take this version." in page


def test_a_version_that_was_never_run_names_the_run_with_its_cost(reply, browser):
    save_rows(reply)
    reply.save(WORSE)
    address = f"/t/{REPLY}/-/propose?label=production&version=3"
    page = read_html(browser("author").get(address))
    assert "Not evaluated yet." in page
    assert ">Run it</a>" in page
    start_run(reply, "1", metrics=["squad_f1"])
    page = read_html(browser("author").get(address))
    assert f"/runs/new?template={REPLY}&amp;ref=3&amp;dataset=" in page.replace("%2F", "/")
    assert "has no price" in page


def test_versions_that_go_live_along_are_listed_with_what_they_were_saved_for(reply, browser):
    reply.save(OTHER.replace("Quote", "Cite"), message="Cite it")
    second = Version.objects.get(template__name=REPLY, number=2)
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    line = f"Includes v2: {second.message}" if second.message else "Includes v2"
    assert line in page
    assert 'value="Cite it"' in page


def test_typed_text_is_kept_until_the_label_has_moved(reply, browser):
    client = browser("author")
    page = read_html(client.get(f"/t/{REPLY}/-/labels?label=staging&version=2"))
    (key,) = re.findall(r'data-keep="([^"]*)"', page)
    sent = {"do": "move", "label": "staging", "version": "2", "reason": "To be tried"}
    assert f'data-done="{key}"' in read_html(client.post(f"/t/{REPLY}/-/labels", sent, follow=True))


def test_typed_text_is_kept_until_the_change_is_published(reply, browser):
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    client = browser("author")
    page = read_html(client.get(f"/changes/{change.number}/publish"))
    (key,) = re.findall(r'data-keep="([^"]*)"', page)
    assert f'name="form" value="{key}"' in page
    assert ">At once<" in page
    sent = {"do": "publish", "form": key, **seen_versions(change.number)}
    assert f'data-done="{key}"' in read_html(client.post(f"/changes/{change.number}", sent, follow=True))


def test_a_proposal_without_a_title_is_refused_and_keeps_what_was_written(reply, browser):
    sent = {"label": "production", "version": "2", "title": " ", "why": "Typed for minutes"}
    answer = browser("author").post(f"/t/{REPLY}/-/propose", sent)
    assert answer.status_code == 422
    assert "Typed for minutes</textarea>" in read_html(answer)
    assert "This field is required." in read_html(answer)


def test_a_proposed_version_has_a_link_instead_of_a_form(reply, browser):
    number = reply.propose(2).number
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2"))
    assert f"Change {number} already proposes this." in page
    assert ">Propose v2</button>" not in page


def test_a_live_approved_version_has_no_form(reply, browser):
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=1"))
    assert "production serves exactly this already." in page
    assert ">Propose v1</button>" not in page


def test_the_message_of_the_version_is_the_first_text(reply, browser):
    version = Version.objects.get(template__name=REPLY, number=2)
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2"))
    title, _, why = version.message.partition("\n")
    assert f'name="title" maxlength="200" required value="{title}"' in page
    assert f">{why.strip()}</textarea>" in page


@pytest.mark.parametrize("query", ["label=nothing&version=99", "version=two", ""])
def test_an_unknown_label_or_version_is_replaced_by_the_default(reply, browser, query):
    assert "Propose v2 for production" in read_html(browser("author").get(f"/t/{REPLY}/-/propose?{query}"))


def test_publishing_is_seen_first_and_done_by_the_page_of_the_change(reply, browser):
    change = reply.propose(2)
    page = read_html(open_panel(browser("author"), f"/changes/{change.number}/publish"))
    assert "Needs 1 more approval." in page
    assert 'value="publish"' not in page
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    page = read_html(open_panel(browser("author"), f"/changes/{change.number}/publish"))
    assert "Publish v2 to production" in page
    assert "Approved by reviewer for" in page
    assert f'<form method="post" action="/changes/{change.number}"' in page


def test_another_request_for_the_label_is_named(reply, browser):
    reply.propose(2)
    reply.save(OTHER.replace("Quote", "Cite"))
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=3"))
    assert "Change <a" in page
    assert "is contained in v3 and superseded by it." in page


def test_an_unprotected_label_shows_what_follows_from_moving_it(reply, browser):
    page = read_html(open_panel(browser("author"), f"/t/{REPLY}/-/labels?label=staging&version=1"))
    assert "Move staging to v1" in page
    assert "Undo: remove staging." in page
    assert "Roll back" not in page


def test_a_roll_back_offers_the_versions_that_were_live(reply, browser):
    reply.publish(2)
    page = read_html(open_panel(browser("reviewer"), f"/t/{REPLY}/-/labels?label=production"))
    assert "Roll production back to v1" in page
    assert re.search(r"live (less than a minute|\d+ min), until <time [^>]*>", page)
    assert "Needs no approval." in page
    assert "Roll back to v1" not in read_html(open_panel(browser("author"), f"/t/{REPLY}/-/labels?label=production"))


def test_an_emergency_shows_the_same_facts(fetched, browser):
    rules.set_rules(actor=fetched.actor("admin"), namespace="support", break_glass=True)
    number = fetched.propose(2).number
    page = read_html(open_panel(browser("reviewer"), f"/changes/{number}/emergency"))
    assert "Publish v2 without approval" in page
    assert "200 fetches a day switch to v2, 10 stay" in page
    assert "It is flagged everywhere until someone approves." in page


def test_withdrawing_asks_for_a_reason(reply, browser):
    number = reply.propose(2).number
    answer = browser("author").post(f"/changes/{number}", {"do": "withdraw", "text": " "})
    assert answer.status_code == 422
    assert ">Withdraw this change</button>" in read_html(answer)
    browser("author").post(f"/changes/{number}", {"do": "withdraw", "text": "The policy changed"})
    assert "The policy changed" in read_html(browser("reader").get(f"/changes/{number}?view=conversation"))


def approve(reply, version):
    change = reply.propose(version)
    digest = change.version.digest
    decisions.decide_on_change(actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=digest)
    return change


@pytest.mark.parametrize(("role", "offered"), [("reviewer", True), ("admin", True), ("author", False)])
def test_only_reviewers_are_offered_undo_after_publishing(reply, browser, role, offered):
    change = approve(reply, 2)
    address = f"/changes/{change.number}"
    page = read_html(browser(role).post(address, {"do": "publish", **seen_versions(change.number)}, follow=True))
    assert "Published: production serves v2 now." in page
    undo = f"/t/{REPLY}/-/labels?label=production&amp;version=1&amp;from=2"
    assert (f'<a href="{undo}">Undo</a>' in page) is offered
    if offered:
        assert "Roll production back to v1" in read_html(browser(role).get(undo.replace("&amp;", "&")))


def test_a_roll_back_is_undone_by_rolling_back_to_what_was_live(reply, browser):
    reply.publish(2)
    fields = {"do": "roll_back", "label": "production", "version": 1, "reason": "Wrong answers", "expected": 2}
    page = read_html(browser("reviewer").post(f"/t/{REPLY}/-/labels", fields, follow=True))
    assert "Rolled production back to v1." in page
    assert f'<a href="/t/{REPLY}/-/labels?label=production&amp;version=2&amp;from=1">Undo</a>' in page


def test_a_roll_back_in_a_freeze_says_why_it_cannot_be_undone_and_offers_no_link(reply, browser):
    reply.publish(2)
    begins, ends = datetime.now(UTC) - timedelta(hours=1), datetime.now(UTC) + timedelta(hours=5)
    once = {"repeat": "once", "starts": begins.isoformat(), "ends": ends.isoformat(), "reason": "Stocktaking"}
    freezes.set_freeze(actor=reply.actor("admin"), namespace="support", **once)
    fields = {"do": "roll_back", "label": "production", "version": 1, "reason": "Wrong answers", "expected": 2}
    page = read_html(browser("reviewer").post(f"/t/{REPLY}/-/labels", fields, follow=True))
    assert "A freeze is in force, so this can&#x27;t be undone now: support has no releases until" in page
    assert ">Undo</a>" not in page


def test_the_first_place_of_a_label_has_nothing_to_go_back_to(reply, browser):
    move = {"do": "move", "label": "staging", "version": 1}
    author = browser("author")
    page = read_html(author.post(f"/t/{REPLY}/-/labels", move, follow=True))
    assert "Moved staging to v1." in page
    assert ">Undo</a>" not in page
    page = read_html(author.post(f"/t/{REPLY}/-/labels", {**move, "version": 2, "expected": 1}, follow=True))
    assert f'<a href="/t/{REPLY}/-/labels?label=staging&amp;version=1&amp;from=2">Undo</a>' in page
    assert "Move staging to v1" in read_html(author.get(f"/t/{REPLY}/-/labels?label=staging&version=1"))


def test_undo_does_not_offer_a_version_that_was_never_approved(reply, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    reply.save(OTHER.replace("Quote", "Cite"))
    number = reply.propose(2).number
    emergencies.publish_in_emergency(actor=reply.actor("reviewer"), number=number, reason="It answers nobody")
    change = approve(reply, 3)
    page = read_html(
        browser("reviewer").post(
            f"/changes/{change.number}", {**seen_versions(change.number), "do": "publish"}, follow=True
        )
    )
    assert "Published: production serves v3 now." in page
    assert ">Undo</a>" not in page


@pytest.mark.parametrize(
    ("gate", "expected_text"), [("squad_f1 >= 0.85", "at least 0.85"), ("squad_f1[answer] - 0.02", "may drop 0.02")]
)
def test_a_gate_is_described_in_words(gate, expected_text):
    reading = MetricReading("squad_f1", "answer", 0.9, 0.9, 0.0, None, None, "unclear", gate, passes=True)
    assert MetricRow(reading).gate_words == expected_text


def test_the_panel_leads_to_the_other_samples(fetched, browser):
    first = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2&view=rendered"))
    assert "1 of 2" in first
    assert "Previous sample" not in first
    address = unescape(re.search(r'href="([^"]+)" data-panel title="Next sample"', first)[1])
    assert address == f"/t/{REPLY}/-/propose?label=production&version=2&view=rendered&sample=late"
    second = read_html(browser("author").get(address))
    assert "on sample “late”" in second
    assert "2 of 2" in second
    assert "Next sample" not in second
    assert "of 2" not in read_html(
        browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2&view=source")
    )


def test_inputs_that_callers_must_also_send_are_named(fetched, browser):
    fetched.save(OTHER.replace("inputs:", "inputs:\n  order: {type: string}"))
    assert "callers must also send order" in read_html(
        browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=3")
    )


def test_a_label_whose_text_was_redacted_can_be_moved_on(fetched, browser):
    redact_version(actor=fetched.actor("admin"), name=REPLY, version=1, reason="A name", force=True)
    answer = browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2")
    assert answer.status_code == 200
    assert "callers need" not in read_html(answer)


def test_the_panels_that_promote_say_that_the_version_was_rolled_back(reply, browser):
    reply.publish(2)
    act = {"actor": reply.actor("reviewer"), "name": REPLY, "label": "production", "version": 1}
    labels.roll_back_label(**act, reason="It forgot the policy")
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2"))
    assert re.search(r"production was rolled back from v2</b> by reviewer <time", page)
    assert "<q>It forgot the policy</q>" in page
    page = read_html(browser("author").get(f"/releases/new/?from=latest&to=production&template={REPLY}"))
    assert re.search(r"v2 was rolled back <time[^>]*>[^<]*</time> by reviewer: It forgot the policy", page)


def test_reviewers_are_chips_and_those_who_were_not_chosen_are_below_add(reply, browser):
    owners = [{"pattern": "*", "people": ["reviewer"]}]
    rules.set_rules(actor=reply.actor("admin"), namespace="support", owners=owners)
    address = f"/t/{REPLY}/-/propose"
    picker = _read_picker(browser("author").get(f"{address}?label=production&version=2"))
    assert "<b>reviewer</b> owner</span>" in picker
    assert 'value="admin"' in picker.partition("data-picker-list")[2]
    sent = {"label": "production", "version": "2", "title": "", "reviewers": ["admin"]}
    answer = browser("author").post(address, sent)
    assert answer.status_code == 422
    chosen, _, others = _read_picker(answer).partition("data-picker-list")
    assert re.search(r'value="admin"\s+checked', chosen)
    assert 'value="admin"' not in others


def _read_picker(answer) -> str:
    page = read_html(answer)
    return page[page.index("data-picker") :].partition("</fieldset>")[0]


def test_the_proposed_version_shows_the_labels_that_serve_it(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=2"))
    end = page[page.index("panel-end-new") :]
    assert '<span class="pill">staging</span>' in end
    assert re.search(r"on staging <time", end)
    other = read_html(browser("author").get(f"/t/{REPLY}/-/propose?label=production&version=1"))
    assert "on staging <time" not in other
