"""The approvals on the page of a release: given, requested and missing ones, and reminders."""

import re
from datetime import timedelta

import pytest

from frontend.releases.todo_rows import list_todo_rows
from registry.changes import check_results, decisions, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.review_requests import REMINDER_PAUSE
from registry.releases import gate as release_gate
from registry.releases import proposals
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html

POLICY, ONE, TWO = "support/policy", "support/refunds/one", "support/refunds/two"


@pytest.fixture
def release(desk) -> Release:
    """A release of three templates for production; admin owns the policy, reviewer the refunds."""
    owners = [{"pattern": "policy", "people": ["admin"]}, {"pattern": "refunds/*", "people": ["reviewer"]}]
    rules.set_rules(actor=desk.actor("admin"), namespace="support", owners=owners)
    for name in (POLICY, ONE, TWO):
        desk.save(name=name)
    return proposals.propose_release(
        actor=desk.actor("author"),
        namespace="support",
        label="production",
        title="Refund window",
        selection=ReleaseSelection(versions={POLICY: 1, ONE: 1, TWO: 1}),
    ).release


def approve(browser, release, person, names):
    chosen = list_values(release, names)
    assert browser(person).post("/releases/1", {"do": "approve", "digest": chosen}).status_code == 302


def list_approvals(browser, person) -> str:
    page = read_html(browser(person).get("/releases/1"))
    return page[page.index('class="release-approvals"') :].partition("</section>")[0]


def test_each_owner_is_listed_with_what_waits_for_them(release, browser):
    listed = list_approvals(browser, "reviewer")
    assert "0 of 3 templates" in listed
    assert '<b>you</b> <span class="aside">owner of refunds</span>' in listed
    assert "0 of 2" in listed
    assert "Still needed: refunds/one, refunds/two." in listed
    assert '<b>admin</b> <span class="aside">owner of policy</span>' in listed
    assert "Ask admin" in listed
    assert "Ask reviewer" not in listed  # people can't request their own review


def ask_for_edits(client, chosen, text):
    return client.post("/releases/1", {"do": "request_changes", "digest": chosen, "text": text})


def list_values(release, names):
    members = release.members.select_related("version").filter(template__name__in=names)
    return [f"{member.number}:{member.version.digest}" for member in members]


def test_edits_are_asked_for_of_the_ticked_templates(release, browser):
    chosen = list_values(release, [ONE])
    client = browser("reviewer")
    assert ask_for_edits(client, chosen, "Name the window.")["Location"] == "/releases/1"
    page = read_html(client.get("/releases/1"))
    assert '<a class="bad" href="/changes/2?view=conversation">reviewer asked for edits</a>' in page
    assert "You asked for edits. The author is told." in page
    # Approving the rest doesn't end the request: its template is no longer ticked.
    assert "Approve 2 templates" in page
    assert re.search(rf'value="{chosen[0]}">', page)
    assert re.search(rf'value="{list_values(release, [TWO])[0]}" checked', page)
    assert "Name the window." in read_html(browser("author").get("/changes/2?view=conversation"))


def test_a_request_for_edits_without_a_reason_keeps_what_is_ticked(release, browser):
    chosen = list_values(release, [TWO])
    answer = ask_for_edits(browser("reviewer"), chosen, " ")
    page = read_html(answer)
    assert answer.status_code == 422
    assert "a request for edits, needs words" in page
    assert re.search(rf'value="{chosen[0]}" checked', page)
    assert re.search(rf'value="{list_values(release, [ONE])[0]}">', page)


def test_edits_of_no_template_or_of_an_older_version_are_refused_and_the_reason_stays(release, browser):
    answer = ask_for_edits(browser("reviewer"), [], "Name the window.")
    assert answer.status_code == 422
    assert "choose at least one template" in read_html(answer).lower()
    answer = ask_for_edits(browser("reviewer"), ["2:sha256:other"], "Name the window.")
    assert (answer.status_code, "not what you looked at" in read_html(answer)) == (409, True)
    assert ">Name the window.</textarea>" in read_html(answer)
    assert ask_for_edits(browser("author"), list_values(release, [ONE]), "Mine").status_code == 403


def test_an_approver_is_shown_below_the_people_whose_approval_is_missing(release, browser):
    approve(browser, release, "reviewer", [ONE, TWO])
    listed = list_approvals(browser, "author")
    assert "2 of 3 templates" in listed
    assert listed.index("owner of policy") < listed.index("owner of refunds")
    assert '<span class="ok">approved</span>' in listed
    assert "Ask reviewer" not in listed


def test_an_approval_of_an_earlier_version_is_outdated(release, browser, desk):
    approve(browser, release, "reviewer", [ONE, TWO])
    change = release.members.get(template__name=ONE)
    version = desk.save(OTHER, name=ONE)
    browser("author").post(f"/changes/{change.number}", {"do": "set_version", "version": version.number})
    listed = list_approvals(browser, "author")
    assert "1 of 3 templates" in listed
    assert '<span class="warn">1 of 2</span>' in listed
    assert "Still needed: refunds/one." in listed
    assert "Ask reviewer" in listed


def test_a_person_is_asked_once_and_can_be_reminded_after_a_day(release, browser):
    assert browser("author").post("/releases/1", {"do": "ask", "person": "admin"}).status_code == 302
    listed = list_approvals(browser, "author")
    assert "Asked by author" in listed
    assert "Ask admin" not in listed
    assert "Remind admin" not in listed
    refused = browser("author").post("/releases/1", {"do": "ask", "person": "admin"})
    assert refused.status_code == 409
    assert "was asked by author within the last day" in read_html(refused)
    for change in ChangeRequest.objects.exclude(asked={}):
        change.asked["admin"]["at"] -= (REMINDER_PAUSE + timedelta(minutes=1)) // timedelta(microseconds=1)
        change.save(update_fields=["asked"])
    assert "Remind admin" in list_approvals(browser, "author")
    assert browser("author").post("/releases/1", {"do": "ask", "person": "admin"}).status_code == 302


def test_a_reader_sees_the_list_without_buttons(release, browser):
    listed = list_approvals(browser, "reader")
    assert "owner of policy" in listed
    assert "<button" not in listed
    assert browser("reader").post("/releases/1", {"do": "ask", "person": "admin"}).status_code == 403


def test_a_published_release_keeps_who_approved_it(release, browser):
    approve(browser, release, "reviewer", [ONE, TWO])
    approve(browser, release, "admin", [POLICY])
    assert browser("author").post("/releases/1", {"do": "publish"}).status_code == 302
    listed = list_approvals(browser, "author")
    assert "3 of 3 templates" in listed
    assert listed.count('<span class="ok">approved</span>') == 2
    assert "<button" not in listed


def test_an_approval_that_several_templates_need_is_one_row(desk, browser):
    for name in (ONE, TWO):
        desk.save(name=name)
    selection = ReleaseSelection(versions={ONE: 1, TWO: 1})
    release = proposals.propose_release(
        actor=desk.actor("author"), namespace="support", label="production", title="Two", selection=selection
    ).release
    reviewer = desk.actor("reviewer")
    mine = list_todo_rows(release_gate.evaluate_release(release, reviewer), reviewer)
    (approvals,) = [row for row in mine if row.is_viewers]
    assert [change.template.name for change in approvals.changes] == [ONE, TWO]
    page = read_html(browser("reviewer").get("/releases/1"))
    assert f"{len(mine)} thing" in page
    assert f'href="#template-{approvals.changes[0].number}">Review next</a>' in page
    for change in approvals.changes:
        assert f'<a href="/changes/{change.number}">{change.template.path}</a>' in page
    assert "Review next" not in browser("author").get("/releases/1").content.decode()


def test_a_thing_to_do_offers_to_ask_whom_it_waits_for(release, browser, desk):
    page = read_html(browser("author").get("/releases/1"))
    blockers = page[page.index('class="blockers"') :].partition("</section>")[0]
    assert 'form="ask" name="person" value="admin"' in blockers
    assert 'form="ask" name="person" value="reviewer"' in blockers
    page = read_html(browser("reader").get("/releases/1"))
    assert "<button" not in page[page.index('class="blockers"') :].partition("</section>")[0]


@pytest.fixture
def breaking_release(desk, reply) -> Release:
    """A checked release of two templates whose versions require the same new input."""
    rules.set_rules(actor=desk.actor("admin"), namespace="support", required_checks=["contract"])
    breaking = DOCUMENT.replace("inputs:\n", "inputs:\n  order: {type: string}\n").replace(
        "You help", "{{ order }}: you help"
    )
    samples = {"one": {"question": "Why?", "order": "7"}}
    desk.save(name=ONE)
    first = change_services.propose_change(
        actor=desk.actor("author"), name=ONE, label="production", version=1, message="First"
    )
    check_results.run_checks(number=first.number)
    decisions.decide_on_change(
        actor=desk.actor("reviewer"), number=first.number, decision="approve", digest=first.version.digest
    )
    change_services.publish_change(actor=desk.actor("author"), number=first.number)
    versions = {name: desk.save(breaking, name=name, samples=samples).number for name in (ONE, REPLY)}
    selection = ReleaseSelection(versions=versions)
    release = proposals.propose_release(
        actor=desk.actor("author"), namespace="support", label="production", title="Two", selection=selection
    ).release
    for change in release.members.all():
        check_results.run_checks(number=change.number)
    return release


def test_each_failed_check_of_a_template_is_a_row_with_what_mends_it(breaking_release, browser):
    numbers = dict(breaking_release.members.values_list("template__name", "number"))

    def list_failed(person: str) -> list[tuple[str, str, str]]:
        """The template, where the button leads, and its word, of each row of a failed check."""
        page = read_html(browser(person).get(f"/releases/{breaking_release.number}"))
        blockers = page[page.index('class="blockers"') :].partition("</section>")[0]
        rows = [row for row in blockers.split('<li class="blocker">') if "The check contract failed" in row]
        assert all('class="blocker-icon bad"' in row for row in rows)
        link = re.compile(r'<b>([\w/]+):</b>.* href="([^"]+)">([\w ]+)<span class="visually-hidden"> for')
        matches = [link.search(row) for row in rows]
        return [(match[1], match[2], match[3]) for match in matches if match]

    pages = [("refunds/one", f"/changes/{numbers[ONE]}"), ("refunds/reply", f"/changes/{numbers[REPLY]}")]
    drafts = [("refunds/one", f"/t/{ONE}/-/edit"), ("refunds/reply", f"/t/{REPLY}/-/edit")]
    assert list_failed("reviewer") == [(path, f"{page}#decide", "Accept the break") for path, page in pages]
    assert list_failed("author") == [(path, page, "Edit a draft") for path, page in drafts]
    assert list_failed("reader") == [(path, f"{page}#checks", "See the checks") for path, page in pages]


def test_a_newer_version_is_offered_to_the_author_of_a_failed_check(breaking_release, desk, browser):
    number = breaking_release.members.get(template__name=REPLY).number
    desk.save(OTHER, name=REPLY)
    page = read_html(browser("author").get(f"/releases/{breaking_release.number}"))
    assert f'href="/changes/{number}#head">Choose another version<span' in page
