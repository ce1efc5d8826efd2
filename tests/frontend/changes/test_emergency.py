"""Publishing without approval: a panel that requires a reason and a recent proof of identity."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import decisions, emergencies, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.label_models import Label
from registry.templates.models import Version
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html
from tests.support.recent_proof import prove_identity
from tests.support.seen_versions import seen_versions


@pytest.fixture
def change(reply):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    return reply.propose(2)


@pytest.fixture
def press(reply, change, browser):
    def run(role, **fields):
        sent = {**seen_versions(change.number), "reason": "Customers are told wrong terms.", **fields}
        client = browser(role)
        prove_identity(client, reply.people[role])
        return client.post(f"/changes/{change.number}/emergency", sent)

    return run


def read_production():
    return Label.objects.get(name="production").version.number


def test_a_reviewer_publishes_with_a_reason_and_the_review_stays_red(change, press, browser):
    assert press("reviewer").status_code == 302
    assert read_production() == 2
    page = read_html(browser("admin").get(f"/changes/{change.number}"))
    assert "production was moved in an emergency, before v2 was approved" in page
    assert 'class="blockers blockers-late"' in page
    sent = {"do": "approve", "digest": change.version.digest, "text": ""}
    browser("admin").post(f"/changes/{change.number}", sent)
    assert "in an emergency, before" not in read_html(browser("admin").get(f"/changes/{change.number}"))


def test_without_a_reason_nothing_moves(press):
    answer = press("reviewer", reason=" ")
    assert (answer.status_code, read_production()) == (422, 1)
    assert "Say why it can't wait" in read_html(answer).replace("&#x27;", "'")


def test_an_old_session_confirms_the_password_and_the_reason_is_kept(change, browser, reply):
    client, address = browser("reviewer"), f"/changes/{change.number}/emergency"
    prove_identity(client, reply.people["reviewer"], age=910)
    assert "The next page asks for your password or a code." in read_html(client.get(address))
    answer = client.post(address, {**seen_versions(change.number), "reason": "Customers are told wrong terms."})
    assert (answer.status_code, answer["Location"].partition("?")[0], read_production()) == (302, "/account/prove", 1)
    wrong = client.post(answer["Location"], {"password": "guess", "next": address})
    assert ("This is not your password." in read_html(wrong), read_production()) == (True, 1)
    client.post(answer["Location"], {"password": "reviewer-promptuary", "next": address})
    assert read_production() == 2
    assert ChangeRequest.objects.get(number=change.number).label_moves.get().reason == "Customers are told wrong terms."


def test_a_session_that_began_just_now_is_proof_enough(change, browser, reply):
    client = browser("reviewer")
    prove_identity(client, reply.people["reviewer"], age=890)
    assert "The next page asks" not in read_html(client.get(f"/changes/{change.number}/emergency"))


def test_a_person_without_a_password_must_sign_in_again(change, browser, reply):
    person = reply.people["reviewer"]
    person.set_unusable_password()
    person.save()
    sent = {**seen_versions(change.number), "reason": "Customers are told wrong terms."}
    answer = browser("reviewer").post(f"/changes/{change.number}/emergency", sent)
    assert (answer.status_code, "sign out, sign in again" in read_html(answer), read_production()) == (403, True, 1)


def test_the_page_says_what_is_missing_and_who_may(change, browser):
    page = read_html(browser("reviewer").get(f"/changes/{change.number}/emergency"))
    assert "Needs 1 more approval." in page
    assert "needs the reviewer role" in read_html(browser("author").get(f"/changes/{change.number}/emergency"))
    assert "publish without approval</a>" in read_html(browser("reviewer").get(f"/changes/{change.number}"))
    assert "publish without approval</a>" not in read_html(browser("author").get(f"/changes/{change.number}"))


def test_an_author_is_refused_for_every_action(press):
    assert press("author").status_code == 403
    assert read_production() == 1


def test_a_forbidden_emergency_is_explained(change, reply, press, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=False)
    page = read_html(browser("reviewer").get(f"/changes/{change.number}/emergency"))
    assert "does not allow publishing without approval" in page
    assert press("reviewer").status_code == 403
    assert ChangeRequest.objects.get(number=change.number).state == "open"


BADGE = "Emergency, needs approval"
TOLD = "Published in an emergency by reviewer"


@pytest.fixture
def emergency(change, press):
    """Version 2 was published in an emergency by the reviewer; version 1 was approved before it."""
    assert press("reviewer").status_code == 302
    return change


def approve(browser, change):
    sent = {"do": "approve", "digest": change.version.digest, "text": ""}
    assert browser("admin").post(f"/changes/{change.number}", sent).status_code == 302


def see(browser, role, address):
    return read_html(browser(role).get(address))


def test_an_approved_change_is_not_called_unapproved_after_an_emergency(change, reply, press, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", required_checks=["contract"])
    approve(browser, change)
    assert press("reviewer").status_code == 302
    assert read_production() == 2
    assert "live without approval" not in see(browser, "admin", "/")
    page = see(browser, "admin", f"/changes/{change.number}")
    assert f"{TOLD} just now; admin had approved it." in re.sub("<[^>]*>", "", page)
    assert "blockers-late" not in page


@pytest.mark.parametrize("role", ["reader", "author"])
def test_home_names_it_above_everything(emergency, browser, role):
    page = see(browser, role, "/")
    assert page.index(TOLD) < page.index("<h1>")
    assert "just now</time>, not yet approved:</b>" in page
    assert "Customers are told wrong terms." in page
    assert "Roll back to v1" not in page


@pytest.mark.parametrize("role", ["reviewer", "admin"])
def test_home_names_it_once_and_first_for_those_it_waits_on(emergency, browser, role):
    page = see(browser, role, "/")
    assert TOLD not in page
    assert page.count("Customers are told wrong terms.") == 1
    assert page.index("<h1>") < page.index('<b class="bad">live without approval') < page.index("Roll back to v1")
    assert 'href="/changes/2#decide"' in page


def test_a_stranger_and_a_registry_without_one_see_nothing_of_it(emergency, browser):
    assert TOLD not in see(browser, "outsider", "/")
    approve(browser, emergency)
    assert TOLD not in see(browser, "admin", "/")


def test_home_asks_as_much_with_two_as_with_one(emergency, browser, reply, press):
    client = browser("admin")
    client.get("/")
    with CaptureQueriesContext(connection) as one:
        client.get("/")
    reply.save(DOCUMENT, name="support/other")
    change = change_services.propose_change(
        actor=reply.actor("author"), name="support/other", label="production", version=1, message="Other"
    )
    emergencies.publish_in_emergency(actor=reply.actor("reviewer"), number=change.number, reason="Again")
    with CaptureQueriesContext(connection) as two:
        assert read_html(client.get("/")).count('<b class="bad">live without approval') == 2
    assert len(two) == len(one)


@pytest.mark.parametrize("state", ["pending", "published", "all"])
def test_the_list_gives_it_a_state_of_its_own(emergency, browser, state):
    page = see(browser, "reader", f"/changes/?state={state}")
    row = page[page.index("Quote the policy <span>2</span>") - 400 :]
    assert f'<b class="bad">{BADGE}</b>' in row
    approve(browser, emergency)
    page = see(browser, "reader", f"/changes/?state={state}")
    assert BADGE not in page
    assert ("approved afterwards by admin" in page) == (state != "pending")


def test_the_top_bar_counts_it_among_the_open_ones(emergency, browser):
    assert 'title="Open changes">1</span>' in see(browser, "reader", "/t/")
    approve(browser, emergency)
    assert '<span class="count" title="Open changes">' not in see(browser, "reader", "/t/")


def test_environments_marks_the_cell_that_serves_it(emergency, browser, reply):
    mark = f'<a class="badge badge-bad" href="/changes/2">{BADGE}</a>'
    page = see(browser, "reader", "/environments/")
    assert page.count(mark) == 1
    labels.roll_back_label(actor=reply.actor("reviewer"), name=REPLY, label="production", version=1, reason="Wrong")
    assert mark not in see(browser, "reader", "/environments/")


def test_the_template_page_says_it_above_the_labels(emergency, browser):
    page = see(browser, "reader", f"/t/{REPLY}")
    assert page.index(TOLD) < page.index('<dl class="label-statuses"')
    assert "proposes <b>v" not in page
    approve(browser, emergency)
    assert "not yet approved" not in see(browser, "reader", f"/t/{REPLY}")


def test_a_version_that_was_rolled_back_is_live_without_approval_on_every_page(change, press, browser, reply):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    approve(browser, change)
    change_services.publish_change(actor=reply.actor("author"), number=change.number)
    labels.roll_back_label(actor=reply.actor("reviewer"), name=REPLY, label="production", version=1, reason="Wrong")
    number = reply.propose(2).number
    emergencies.publish_in_emergency(actor=reply.actor("reviewer"), number=number, reason="Nothing works")
    assert "live without approval" in see(browser, "admin", "/")
    assert f'<a class="badge badge-bad" href="/changes/{number}">{BADGE}</a>' in see(
        browser, "reader", "/environments/"
    )
    for role, address in (("reader", "/"), ("reader", f"/t/{REPLY}")):
        page = see(browser, role, address)
        assert "serves v2, which was rolled back before and has not been approved since." in page, address
    page = see(browser, "reader", f"/changes/{number}")
    assert "production was rolled back from v2 before, so an earlier approval of it doesn't count." in page
    assert "close-emergency" not in see(browser, "admin", f"/changes/{number}")


def test_the_change_keeps_the_trace_after_its_approval(emergency, browser):
    page = see(browser, "admin", "/changes/2")
    assert f'<span class="badge badge-bad">{BADGE}</span>' in page
    assert "badge-ok" not in page
    assert TOLD in page
    assert '<q dir="auto">Customers are told wrong terms.</q>' in page
    assert "Roll back to v1</a>" in page
    approve(browser, emergency)
    page = see(browser, "reader", "/changes/2")
    assert '<span class="badge badge-ok">Published</span>' in page
    assert "; approved afterwards by admin <time" in page
    assert TOLD in page


def test_rolled_back_it_still_needs_a_look_and_can_be_closed_by_another_reviewer(emergency, browser, reply):
    labels.roll_back_label(actor=reply.actor("reviewer"), name=REPLY, label="production", version=1, reason="Wrong")
    for address in ("/", f"/t/{REPLY}"):
        page = see(browser, "admin", address)
        assert "serves v1 now, not v2. The change still needs an approval, or can be closed." in page
        assert "Roll back to v1" not in page.partition("<h1")[0]
    assert 'id="close-emergency"' not in see(browser, "reviewer", "/changes/2"), "the reviewer published it"
    assert 'id="close-emergency"' in see(browser, "admin", "/changes/2")
    sent = {"do": "close_emergency", "text": "It was rolled back"}
    assert browser("reviewer").post("/changes/2", sent).status_code == 403
    assert browser("admin").post("/changes/2", {**sent, "text": " "}).status_code == 422
    assert browser("admin").post("/changes/2", sent).status_code == 302
    page = see(browser, "reader", "/changes/2")
    assert "Published, never approved</span>" in page
    assert "; closed without an approval" in page
    assert "closed the emergency without approving v2" in see(browser, "reader", "/changes/2?view=conversation")
    for address in ("/", "/changes/", f"/t/{REPLY}"):
        assert TOLD not in see(browser, "admin", address)
    assert "closed the emergency of change 2" in see(browser, "admin", "/n/support/audit")


def test_the_emergency_page_offers_the_safer_act_first(reply, browser, change):
    reply.save(OTHER.replace("Quote", "Cite"))
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    change_services.publish_change(actor=reply.actor("author"), number=change.number)
    third = reply.propose(3).number
    page = see(browser, "reviewer", f"/changes/{third}/emergency")
    assert f'href="/t/{REPLY}/-/labels?label=production&amp;version=1" data-panel>Roll back to v1 instead</a>' in page
    assert page.index("Roll back to v1 instead") < page.index("in an emergency</button>")


def test_an_archive_waits_for_it(emergency, browser):
    sent = {"do": "archive", "force": "on", "reason": "Not used"}
    answer = browser("admin").post(f"/t/{REPLY}/-/archive", sent)
    assert answer.status_code == 409
    assert "was published in an emergency: approve it first" in read_html(answer)


def test_approving_it_is_offered_only_to_whom_the_gate_lets(reply, browser):
    """The admin wrote a version below the head: neither the head nor the request is theirs."""
    admin, reviewer = reply.actor("admin"), reply.actor("reviewer")
    rules.set_rules(actor=admin, namespace="support", break_glass=True, required_checks=[])
    base = Version.objects.get(template__name=REPLY, number=2).digest
    document = OTHER.replace("---\n", "---\n# terms\n", 1)
    template_save.save_version(actor=admin, name=REPLY, document=document, message="", base=base)
    head = reply.save(document.replace("# terms", "# policy"))
    change = reply.propose(head.number)
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="Wrong terms")
    link = f"/changes/{change.number}#decide"
    for path in ("/", f"/t/{REPLY}"):
        assert link in read_html(browser("reviewer").get(path))
        assert link not in read_html(browser("admin").get(path))
