"""The page of a change request: reading it, deciding, publishing."""

import pytest

from registry.changes import rules, threads
from registry.changes.models import ChangeRequest
from registry.changes.threads import Place
from registry.namespaces import groups
from registry.templates.label_models import Label
from tests.frontend.conftest import OTHER, REPLY, read_html
from tests.support.seen_versions import seen_versions


@pytest.fixture
def act(change, browser):
    """Press a button of the page as a person; return the response."""

    def press(role, do, text="", digest=None, **further):
        seen = seen_versions(change.number)
        sent = {"do": do, "text": text, "digest": digest or change.version.digest, **seen, **further}
        return browser(role).post(f"/changes/{change.number}", sent)

    return press


def state(change):
    return ChangeRequest.objects.get(pk=change.pk).state


def test_the_reviewer_sees_what_prevents_it_and_the_next_step(change, browser):
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "1 thing blocks this change" in page
    assert "it is your turn" in page
    assert "Approve v2 for production</button>" in page
    assert "v1 to v2 on" in page


def test_a_group_that_has_to_approve_is_not_a_failure(change, browser, reply):
    groups.make_group(actor=reply.actor("admin"), namespace="support", title="Legal")
    rules.set_rules(actor=reply.actor("admin"), namespace="support", approval_rules=[{"groups": ["legal"]}])
    rows = browser("author").get(f"/changes/{change.number}").context["obstacles"]
    assert {row.cause: row.icon for row in rows}["Needs an approval from Legal."] == "users"


def test_the_author_is_not_offered_to_approve(change, browser):
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "Approve v2" not in page
    assert "next is admin or reviewer" in page


def test_approving_then_publishing_moves_the_label(change, act):
    assert act("reviewer", "approve").status_code == 302
    assert act("author", "publish").status_code == 302
    assert state(change) == "published"
    assert Label.objects.get(template__name=REPLY, name="production").version.number == 2


@pytest.mark.parametrize(
    ("decision", "expected_text", "button"),
    [
        ("approve", "You approved v2.", "Take your approval back"),
        ("request_changes", "You asked for edits of v2.", "Take it back"),
    ],
)
def test_a_decision_is_taken_back_on_the_page(change, act, browser, decision, expected_text, button):
    act("reviewer", do=decision, text="Hm")
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert (expected_text in page, button in page) == (True, True)
    assert button not in read_html(browser("admin").get(f"/changes/{change.number}"))
    assert act("reviewer", do="take_back", text="I misread it").status_code == 302
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert expected_text not in page
    assert "Approve v2 for production</button>" in page
    assert "I misread it" in read_html(browser("author").get(f"/changes/{change.number}?view=conversation"))
    assert state(change) == "open"


def test_taking_back_after_publishing_is_refused_on_the_page(change, act):
    act("reviewer", "approve")
    act("author", "publish")
    answer = act("reviewer", "take_back")
    assert answer.status_code == 409
    assert "be taken back any more" in read_html(answer)


def test_an_approver_may_ask_for_edits_instead(change, act, browser):
    act("reviewer", do="approve", digest=change.version.digest)
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "You approved v2." in page
    assert "Approve v2 for production</button>" not in page
    assert "Approve v2 for production</button>" in read_html(browser("admin").get(f"/changes/{change.number}"))
    act("reviewer", do="request_changes", digest=change.version.digest, text="Name the line")
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "You approved" not in page
    assert "Approve v2 for production</button>" in page


def test_publishing_without_an_approval_is_refused_on_the_page(change, act):
    answer = act("author", "publish")
    assert answer.status_code == 403
    assert "Needs 1 more approval." in read_html(answer)
    assert state(change) == "open"


def test_a_decision_on_another_digest_is_refused_and_the_words_stay(change, act):
    answer = act("reviewer", "request_changes", "Name the section too.", digest="sha256:" + "0" * 64)
    assert answer.status_code == 409
    assert "Name the section too.</textarea>" in read_html(answer)


def test_asking_for_edits_takes_words(change, act):
    answer = act("reviewer", "request_changes")
    assert answer.status_code == 422
    assert "Write something:" in read_html(answer)
    assert act("reviewer", "request_changes", "Name the section.").status_code == 302


def test_a_comment_is_in_the_conversation_as_its_characters(change, act, browser):
    act("author", "comment", "<b>why</b>\nnot?")
    page = read_html(browser("reader").get(f"/changes/{change.number}?view=conversation"))
    assert "<p>&lt;b&gt;why&lt;/b&gt;<br> not?</p>" in page


def test_a_newer_head_voids_the_approval(change, act, reply, browser):
    act("reviewer", "approve")
    reply.save(OTHER.replace("Quote", "Always quote"))
    assert act("author", "set_version", version="3").status_code == 302
    page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "outdated" in page
    assert "Approve v3 for production</button>" in page


def test_versions_that_ride_along_are_named(reply, browser):
    reply.save(OTHER.replace("Quote", "Always quote"))
    number = reply.propose(3).number
    page = read_html(browser("reviewer").get(f"/changes/{number}"))
    assert 'Includes <a href="/t/support/refunds/reply?ref=2">v2</a>, Quote the policy: not yet in production.' in page


def test_an_overlapping_request_is_warned_of(reply, change, browser):
    reply.save(OTHER.replace("Quote", "Always quote"))
    other = reply.propose(3)
    assert f'<a href="/changes/{other.number}">change {other.number}</a>' in read_html(
        browser("reader").get(f"/changes/{change.number}")
    )


def test_withdrawn_requests_can_be_opened_again(change, act):
    act("author", "withdraw", text="Not now")
    assert state(change) == "withdrawn"
    act("author", "reopen")
    assert state(change) == "open"


def test_a_published_request_still_shows_what_it_changed(change, act, browser):
    act("reviewer", "approve")
    act("author", "publish")
    page = read_html(browser("reader").get(f"/changes/{change.number}?view=source"))
    assert "v1 to v2: 1 line added, 1 removed" in page
    assert "production was moved to v2 by this change." in page


def test_a_button_that_does_not_exist_is_refused(change, act):
    assert act("author", "explode").status_code == 422


def test_a_reader_can_read_but_has_no_buttons(change, browser, act):
    assert 'name="do"' not in read_html(browser("reader").get(f"/changes/{change.number}"))
    assert act("reader", "approve").status_code == 403


def test_an_outsider_finds_nothing(change, act, browser):
    assert browser("outsider").get(f"/changes/{change.number}").status_code == 404
    assert act("outsider", "approve").status_code == 404


def test_the_list_says_whose_turn_it_is(change, browser):
    assert "It is your turn." in read_html(browser("reviewer").get("/changes/"))
    assert "Next is admin or reviewer." in read_html(browser("author").get("/changes/"))


def test_the_list_filters_by_state_and_says_when_nothing_waits(reply, browser):
    client = browser("reviewer")
    assert "Nothing is waiting on you." in read_html(client.get("/changes/"))
    assert "Quote the policy" in read_html(client.get("/changes/?state=published"))


def test_a_reviewer_is_asked_by_name_and_sees_it_at_home(change, act, browser):
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert '<option value="reviewer">' in page
    assert act("author", "ask", person="reviewer").status_code == 302
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "asked by author <time" in page
    assert '<option value="reviewer">' not in page
    assert change.template.name in read_html(browser("reviewer").get("/"))
    again = act("author", "ask", remind="reviewer")
    assert again.status_code == 409
    assert "was asked by author within the last day" in read_html(again)


def test_commenters_see_who_can_be_mentioned(change, browser):
    answer = browser("author").get(f"/changes/{change.number}/people")
    assert {"name": "reviewer", "title": "", "group": False} in [
        {**row, "title": ""} for row in answer.json()["results"]
    ]
    assert browser("reader").get(f"/changes/{change.number}/people").status_code == 403


def test_the_blocker_of_open_threads_leads_to_the_first(change, reply, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", threads_resolved=True)
    threads.open_thread(
        actor=reply.actor("reviewer"), number=change.number, place=Place(version=2, line=6), text="Why?"
    )
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "1 thread is not resolved." in page
    assert 'href="?view=source#thread-1"' in page
