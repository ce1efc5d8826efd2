"""The page of a namespace's groups, and what Members and People show of them."""

import pytest

from registry.changes import decisions
from registry.namespaces import folder_roles, groups
from registry.namespaces.models import FolderRole, Group, Membership
from tests.frontend.conftest import read_html
from tests.frontend.settings.test_members import read_hidden_fields

PAGE = "/n/support/groups"


@pytest.fixture
def legal(desk):
    return groups.make_group(actor=desk.actor("admin"), namespace="support", title="Legal", role="reviewer")


def test_an_admin_makes_a_group_fills_it_changes_it_and_removes_it(browser):
    admin = browser("admin")
    assert admin.post(PAGE, {"do": "make", "title": "Legal", "role": "reviewer"}).status_code == 302
    admin.post(PAGE, {"do": "add", "group": "legal", "username": "reader"})
    page = read_html(admin.get(PAGE))
    assert "reader is now in the group Legal." in page
    assert Membership.objects.get(namespace__name="support", person__username="reader").role == "reviewer"
    admin.post(PAGE, {"do": "change", "group": "legal", "title": "Lawyers", "role": ""})
    assert Membership.objects.get(namespace__name="support", person__username="reader").role == "reader"
    admin.post(PAGE, {"do": "take_out", "group": "legal", "username": "reader"})
    assert "Nobody is in it yet." in read_html(admin.get(PAGE))
    admin.post(PAGE, {"do": "remove", "group": "legal"})
    assert not Group.objects.exists()
    assert "There is no group yet." in read_html(admin.get(PAGE))


def test_a_refused_act_comes_back_with_its_sentence(desk, browser, legal):
    admin = browser("admin")
    twice = admin.post(PAGE, {"do": "make", "title": "Legal", "role": ""})
    assert (twice.status_code, "There is a group legal in support already." in read_html(twice)) == (409, True)
    empty = admin.post(PAGE, {"do": "make", "title": "", "role": ""})
    assert empty.status_code == 422
    nobody = admin.post(PAGE, {"do": "add", "group": "legal", "username": "nobody"})
    assert (nobody.status_code, "There is no active account nobody." in read_html(nobody)) == (404, True)
    assert admin.post(PAGE, {"do": "dance"}).status_code == 422


def test_a_reader_sees_the_groups_and_no_form(desk, browser, legal):
    groups.add_to_group(actor=desk.actor("admin"), namespace="support", name="legal", username="author")
    page = browser("reader").get(PAGE)
    assert "Its people are reviewer." in read_html(page)
    assert "author" in read_html(page)
    assert b'name="title"' not in page.content


def test_members_and_people_say_which_role_comes_of_a_group(desk, browser, legal):
    admin = browser("admin")
    groups.add_to_group(actor=desk.actor("admin"), namespace="support", name="legal", username="reader")
    assert "reviewer by a group" in read_html(admin.get("/n/support/members"))
    listed = read_html(admin.get("/people?person=reader"))
    assert "<b>reviewer</b> in support" in listed
    assert '<b>Legal</b></a></td><td class="aside">support, reviewer</td><td>reader</td>' in listed
    response = admin.post("/n/support/members", {"username": "reader", "role": ""}, follow=True)
    assert "reader is still reviewer: a group gives this role." in read_html(response)


@pytest.mark.parametrize(
    ("sent", "button", "done"),
    [
        (
            {"do": "take_out", "username": "reader"},
            "Remove reader from Legal",
            "reader is no longer in the group Legal.",
        ),
        ({"do": "change", "title": "Legal", "role": "author"}, "Save the group Legal", "The group Legal is saved."),
        ({"do": "remove"}, "Remove the group Legal", "The group is removed."),
    ],
)
def test_effects_on_open_changes_are_confirmed_before_a_group_is_changed(reply, browser, legal, sent, button, done):
    groups.add_to_group(actor=reply.actor("admin"), namespace="support", name="legal", username="reader")
    change = reply.propose(2)
    decide(reply, change, "reader")
    admin = browser("admin")
    for confirmed in ("", "another seal"):
        answer = admin.post(PAGE, {**sent, "group": "legal", "confirmed": confirmed})
        page = read_html(answer)
        assert "<b>Nothing is changed yet.</b>" in page
        assert f"reader&#x27;s approval of change {change.number} will not count any more." in page
        assert button in page
        assert Membership.objects.get(namespace__name="support", person__username="reader").role == "reviewer"
    fields = read_hidden_fields(answer.content.decode(), 'name="confirmed"')
    assert done in read_html(admin.post(PAGE, fields, follow=True))
    assert Membership.objects.get(namespace__name="support", person__username="reader").role != "reviewer"


def test_effects_of_removing_a_folder_role_are_named(reply, browser):
    folder_roles.set_folder_role(
        actor=reply.actor("admin"), namespace="support", folder="refunds", role="reviewer", person="reader"
    )
    change = reply.propose(2)
    decide(reply, change, "reader")
    admin, members = browser("admin"), "/n/support/members"
    sent = {"do": "folder_role", "folder": "refunds", "holder": "person:reader", "folder_role": ""}
    answer = admin.post(members, sent)
    assert f"reader&#x27;s approval of change {change.number} will not count any more." in read_html(answer)
    assert "Remove the role of reader in refunds" in read_html(answer)
    assert FolderRole.objects.filter(person__username="reader").exists()
    fields = read_hidden_fields(answer.content.decode(), 'name="confirmed"')
    assert "reader has no role in the folder refunds any more." in read_html(admin.post(members, fields, follow=True))
    assert not FolderRole.objects.filter(person__username="reader").exists()


def decide(reply, change, name):
    decisions.decide_on_change(
        actor=reply.actor(name), number=change.number, decision="approve", digest=change.version.digest
    )


RULES = {"protected_labels": "production", "approvals": "1", "compatibility": "none", "owners": ""}


def test_a_line_of_the_rules_asks_for_a_group_and_the_pages_say_so(reply, browser):
    admin = browser("admin")
    groups.make_group(actor=reply.actor("admin"), namespace="support", title="Legal")
    groups.add_to_group(actor=reply.actor("admin"), namespace="support", name="legal", username="admin")
    line = "production refunds: 2, legal"
    assert admin.post("/n/support/rules", {**RULES, "approval_rules": line}).status_code == 302
    assert line in read_html(admin.get("/n/support/rules"))
    assert line in read_html(browser("reader").get("/n/support/rules"))
    proposing = read_html(browser("author").get("/t/support/refunds/reply/-/propose?label=production&version=2"))
    assert "Needs 2 approvals." in proposing
    assert "Needs an approval from Legal." in proposing
    change = reply.propose(2)
    page = read_html(browser("admin").get(f"/changes/{change.number}"))
    assert "Needs an approval from Legal." in page
    assert "Needs an approval from Legal." in read_html(browser("author").get(f"/changes/{change.number}"))


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("production", "Line 1 can&#x27;t be read: write a label"),
        ("production: 2\n: legal", "Line 2 can&#x27;t be read: write a label"),
        ("a b c: 2", "Line 1 can&#x27;t be read: write a label"),
        ("production: 2, 3", "Line 1 can&#x27;t be read: write a label"),
        ("production: medicine", "medicine: not a group of support."),
        ("production: 21", "Rule 1: a whole number from 0 to 20."),
        ("latest: 1", "Rule 1: latest can&#x27;t be set"),
    ],
)
def test_a_wrong_line_comes_back_with_its_sentence(desk, browser, typed, sentence):
    answer = browser("admin").post("/n/support/rules", {**RULES, "approval_rules": typed})
    assert answer.status_code == 422
    assert sentence in read_html(answer)
    assert typed in answer.content.decode()


def test_an_owner_is_a_group_in_a_line_of_the_rules(reply, browser):
    groups.make_group(actor=reply.actor("admin"), namespace="support", title="Legal")
    line = "refunds/*: reviewer, group:legal"
    assert browser("admin").post("/n/support/rules", {**RULES, "owners": line}).status_code == 302
    assert line in read_html(browser("admin").get("/n/support/rules"))
    assert line in read_html(browser("reader").get("/n/support/rules"))
    unknown = browser("admin").post("/n/support/rules", {**RULES, "owners": "*: group:medicine"})
    assert (unknown.status_code, "medicine: not a group of support." in read_html(unknown)) == (422, True)
