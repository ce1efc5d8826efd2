"""Protecting a label on the pages: the form's questions, and where “never approved” is shown."""

import re

import pytest

from registry.changes import decisions, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces.models import Namespace
from registry.templates import labels
from registry.templates.models import Version
from registry.usage import recorder
from tests.frontend.conftest import DOCUMENT, REPLY, read_html

RULES = {
    "protected_labels": "production, staging",
    "approvals": "1",
    "compatibility": "none",
    "owners": "",
    "keys_approved_only": "on",
}
ADDRESS = "/n/support/rules"


@pytest.fixture
def staged(reply):
    """production holds 1 by approval; staging serves 2, which nobody approved."""
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    return reply


def issue_key_of(desk, name="shop", **options):
    options = {"scope": "read", "person": "reader", **options}
    return keys.issue_key(actor=desk.actor("admin"), namespace="support", name=name, **options).key


def protect(desk):
    return rules.set_rules(
        actor=desk.actor("admin"), namespace="support", protected_labels=["production", "staging"]
    ).opened


def read_confirmation(page):
    return re.search(r'name="confirmed" value="(\w+)"', page).group(1)


def read_protected_labels():
    return Namespace.objects.get(name="support").protected_labels


class TestForm:
    def test_names_what_is_served_and_the_keys_before_it_sets_anything(self, staged, browser):
        key = issue_key_of(staged)
        events = Event.objects.count()
        answer = browser("admin").post(ADDRESS, RULES)
        page = read_html(answer)
        assert answer.status_code == 200
        assert "Nothing is set yet" in page
        assert f"{REPLY}</a>, v2" in page
        assert f"<b>shop</b> (pb_{key.id}, for reader)" in page
        assert (read_protected_labels(), Event.objects.count()) == (["production"], events)

    def test_names_what_a_key_fetched_by_number_and_will_be_refused(self, staged, browser):
        rules.set_rules(actor=staged.actor("admin"), namespace="support", protected_labels=[])
        key = issue_key_of(staged)
        for ref, version in (("2", 2), ("1", 1), ("production", 1), ("latest", 2)):
            row = Version.objects.get(template__name=REPLY, number=version)
            recorder.note_fetch(key.id, row.pk, ref)
        recorder.flush_counts()
        page = read_html(browser("admin").post(ADDRESS, RULES))
        assert "it got any version until now" in page
        assert f"will be refused: <code>{REPLY}@2</code>, <code>{REPLY}@latest</code>" in page

    def test_sets_the_rules_once_that_was_confirmed(self, staged, browser):
        client = browser("admin")
        seal = read_confirmation(read_html(client.post(ADDRESS, RULES)))
        answer = client.post(ADDRESS, {**RULES, "confirmed": seal})
        assert answer["Location"] == ADDRESS
        assert read_protected_labels() == ["production", "staging"]
        change = ChangeRequest.objects.latest("number")
        assert (change.label, change.version.number, change.opened_by.username) == ("staging", 2, "admin")
        assert f"Opened to approve what is served: change {change.number}." in read_html(client.get(ADDRESS))

    def test_asks_again_where_something_changed_since(self, staged, browser):
        client = browser("admin")
        seal = read_confirmation(read_html(client.post(ADDRESS, RULES)))
        issue_key_of(staged, "mailer")
        page = read_html(client.post(ADDRESS, {**RULES, "confirmed": seal}))
        assert "mailer" in page
        assert read_confirmation(page) != seal
        assert read_protected_labels() == ["production"]

    def test_asks_nothing_where_nothing_is_served_and_no_key_is_concerned(self, reply, browser):
        assert browser("admin").post(ADDRESS, RULES)["Location"] == ADDRESS
        assert read_protected_labels() == ["production", "staging"]

    def test_leaves_out_keys_that_go_on_as_they_are(self, staged, browser):
        issue_key_of(staged, "free", approved_only=False)
        issue_key_of(staged, "writer", scope="write", person="author")
        gone = issue_key_of(staged, "gone")
        keys.revoke_key(actor=staged.actor("admin"), key_id=gone.id)
        page = read_html(browser("admin").post(ADDRESS, RULES))
        assert not [name for name in ("free", "writer", "gone") if f"<b>{name}</b>" in page]

    def test_is_for_admins(self, staged, browser):
        assert browser("reviewer").post(ADDRESS, RULES).status_code == 403


class TestPages:
    @pytest.fixture
    def change(self, staged):
        return protect(staged)[0]

    @pytest.mark.parametrize("address", [f"/t/{REPLY}", "/environments/"])
    def test_say_never_approved_until_its_change_is_published(self, staged, change, browser, address):
        reader = browser("reader")
        assert read_html(reader.get(address)).count("> never approved </span>") == 1
        finish(staged, change)
        assert "never approved" not in read_html(reader.get(address))

    def test_the_change_says_what_it_is_about_and_shows_the_whole_document(self, staged, change, browser):
        page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
        assert "staging serves v2, which was never approved." in page
        assert "proposes to approve what" in page
        assert "Publishing this change approves it as it is; nothing moves." in page
        assert "Quote the policy before you answer." in page
        finish(staged, change)
        page = read_html(browser("reviewer").get(f"/changes/{change.number}"))
        assert "never approved" not in page
        assert "proposes to approve what" in page
        assert "published it: staging stays on v2, approved now" in read_html(
            browser("reviewer").get(f"/changes/{change.number}?view=conversation")
        )

    def test_another_change_over_it_says_that_what_it_replaces_was_never_approved(self, staged, change, browser):
        staged.save(DOCUMENT.replace("policy", "rules"))
        other = change_services.propose_change(
            actor=staged.actor("author"), name=REPLY, label="staging", version=3, message=""
        )
        page = read_html(browser("reviewer").get(f"/changes/{other.number}"))
        assert "staging serves v2, which was never approved." in page
        assert "Publishing this change replaces it." in page

    def test_the_template_page_tells_what_the_open_change_asks_for(self, staged, change, browser):
        page = read_html(browser("reader").get(f"/t/{REPLY}"))
        assert re.search(r"proposes to approve what <span class=\"pill.*?</span> serves, <b>v2</b>", page)

    def test_the_way_back_leads_to_approved_versions_only(self, staged, browser):
        author = staged.actor("author")
        labels.move_label(actor=author, name=REPLY, label="staging", version=1, expected=2)
        change = protect(staged)[0]
        reviewer = browser("reviewer")
        offers = {f"/t/{REPLY}": "Roll back to v1", "/environments/": "Roll staging back to v1"}
        for address in offers:
            assert "back to v" not in read_html(reviewer.get(address))
        page = read_html(reviewer.get(f"/t/{REPLY}/-/labels?label=staging"))
        assert "never had another approved version" in page
        finish(staged, change)
        newer = change_services.propose_change(actor=author, name=REPLY, label="staging", version=2, message="")
        finish(staged, newer)
        for address, offer in offers.items():
            assert offer in read_html(reviewer.get(address))
        page = read_html(reviewer.get(f"/t/{REPLY}/-/labels?label=staging"))
        assert re.findall(r"label=staging&amp;version=(\d)&amp;from=\d\" data-panel", page) == ["1"]
        assert "stays on <b>v1</b>, approved now" in page

    def test_a_forged_form_rolls_nothing_back_to_what_nobody_approved(self, staged, browser):
        labels.move_label(actor=staged.actor("author"), name=REPLY, label="staging", version=1, expected=2)
        protect(staged)
        fields = {"label": "staging", "version": "2", "reason": "Because", "do": "roll_back"}
        answer = browser("reviewer").post(f"/t/{REPLY}/-/labels", fields)
        assert answer.status_code == 403
        assert "without an approval" in read_html(answer)

    def test_the_audit_page_describes_the_approval_of_a_served_version(self, staged, change, browser):
        finish(staged, change)
        assert f"published {REPLY}: staging stays on version 2, approved now" in read_html(
            browser("admin").get("/n/support/audit")
        )


def finish(desk, change):
    reviewer, digest = desk.actor("reviewer"), change.version.digest
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    change_services.publish_change(actor=desk.actor("author"), number=change.number)
