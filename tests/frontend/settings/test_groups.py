"""The page of a namespace's groups, and what Members and People show of them."""

import pytest

from registry.namespaces import groups
from registry.namespaces.models import Group, Membership
from tests.frontend.conftest import words

PAGE = "/n/support/groups"


@pytest.fixture
def legal(desk):
    return groups.make_group(actor=desk.actor("admin"), namespace="support", title="Legal", role="reviewer")


def test_an_admin_makes_a_group_fills_it_changes_it_and_removes_it(browser):
    admin = browser("admin")
    assert admin.post(PAGE, {"do": "make", "title": "Legal", "role": "reviewer"}).status_code == 302
    admin.post(PAGE, {"do": "add", "group": "legal", "username": "reader"})
    page = words(admin.get(PAGE))
    assert "reader is in the group Legal now." in page
    assert Membership.objects.get(namespace__name="support", person__username="reader").role == "reviewer"
    admin.post(PAGE, {"do": "change", "group": "legal", "title": "Lawyers", "role": ""})
    assert Membership.objects.get(namespace__name="support", person__username="reader").role == "reader"
    admin.post(PAGE, {"do": "take_out", "group": "legal", "username": "reader"})
    assert "Nobody is in it yet." in words(admin.get(PAGE))
    admin.post(PAGE, {"do": "remove", "group": "legal"})
    assert not Group.objects.exists()
    assert "There is no group yet." in words(admin.get(PAGE))


def test_a_refused_act_comes_back_with_its_sentence(desk, browser, legal):
    admin = browser("admin")
    twice = admin.post(PAGE, {"do": "make", "title": "Legal", "role": ""})
    assert (twice.status_code, "There is a group legal in support already." in words(twice)) == (409, True)
    empty = admin.post(PAGE, {"do": "make", "title": "", "role": ""})
    assert empty.status_code == 422
    nobody = admin.post(PAGE, {"do": "add", "group": "legal", "username": "nobody"})
    assert (nobody.status_code, "There is no active account nobody." in words(nobody)) == (404, True)
    assert admin.post(PAGE, {"do": "dance"}).status_code == 422


def test_a_reader_sees_the_groups_and_no_form(desk, browser, legal):
    groups.add_to_group(actor=desk.actor("admin"), namespace="support", name="legal", username="author")
    page = browser("reader").get(PAGE)
    assert "Its people are reviewer." in words(page)
    assert "author" in words(page)
    assert b'name="title"' not in page.content


def test_members_and_people_say_which_role_comes_of_a_group(desk, browser, legal):
    admin = browser("admin")
    groups.add_to_group(actor=desk.actor("admin"), namespace="support", name="legal", username="reader")
    assert "reviewer by a group" in words(admin.get("/n/support/members"))
    listed = words(admin.get("/people?person=reader"))
    assert "<b>reviewer</b> in support" in listed
    assert ">Legal</a></td><td>support</td><td>reviewer</td><td>reader</td>" in listed
    told = admin.post("/n/support/members", {"username": "reader", "role": ""}, follow=True)
    assert "reader is still reviewer: a group gives this role." in words(told)
