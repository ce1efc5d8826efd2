"""Roles in folders on the members page of a namespace, and on pages that show their effect."""

import pytest

from registry.namespaces import folder_roles, groups
from registry.namespaces.models import FolderRole
from tests.frontend.conftest import read_html

PAGE = "/n/support/members"


@pytest.fixture
def give(desk):
    def run(role="author", folder="refunds", person="reader"):
        folder_roles.set_folder_role(
            actor=desk.actor("admin"), namespace="support", folder=folder, role=role, person=person
        )

    return run


def post(admin, **fields):
    return admin.post(PAGE, {"do": "folder_role", "folder": "refunds", "holder": "person:reader", **fields})


def test_an_admin_gives_a_role_in_a_folder_and_takes_it_away(browser):
    admin = browser("admin")
    assert post(admin, folder_role="reviewer")["Location"] == f"{PAGE}#folder-roles"
    page = read_html(admin.get(PAGE))
    assert "reader is reviewer in the folder refunds now." in page
    assert 'Remove<span class="visually-hidden"> the role of reader in refunds</span>' in page
    post(admin, folder_role="")
    assert "reader has no role in the folder refunds any more." in read_html(admin.get(PAGE))
    assert not FolderRole.objects.exists()


def test_a_group_is_chosen_by_its_title_where_it_has_a_role(desk, browser):
    groups.make_group(actor=desk.actor("admin"), namespace="support", title="Legal", role="reader")
    groups.make_group(actor=desk.actor("admin"), namespace="support", title="Friends")
    admin = browser("admin")
    page = admin.get(PAGE).content.decode()
    assert 'value="group:legal"' in page
    assert 'value="group:friends"' not in page
    post(admin, holder="group:legal", folder_role="author")
    assert "<b>Legal</b>" in read_html(admin.get(PAGE))


def test_a_refused_form_keeps_its_values(browser):
    admin = browser("admin")
    answer = post(admin, folder="Not A Folder", folder_role="author")
    assert answer.status_code == 422
    assert 'value="Not A Folder"' in answer.content.decode()
    assert "lower-case letters, digits and hyphens, like late-parcel-apology" in read_html(answer)
    assert post(admin, holder="person:outsider", folder_role="author").status_code == 422
    assert post(admin, folder_role="admin").status_code == 422


def test_a_reader_sees_them_and_no_form(browser, give):
    give()
    page = browser("reader").get(PAGE)
    assert "<code>refunds</code>" in read_html(page)
    assert b'name="folder_role"' not in page.content


def test_people_says_where_else_somebody_has_a_role(browser, give):
    give("reviewer")
    assert "<b>reviewer</b> in support/refunds" in read_html(browser("admin").get("/people"))


def test_pages_of_a_template_offer_what_the_folder_role_allows(reply, browser, give):
    reader = browser("reader")
    address = "/t/support/refunds/reply/-/edit"
    assert reader.get(address).status_code == 403
    give()
    assert reader.get(address).status_code == 200
    assert reader.get("/t/support/refunds/reply/-/propose?label=production&version=1").status_code == 200
    new = reader.get("/new?in=support/refunds")
    assert (new.status_code, b'value="support"' in new.content) == (200, True)


def test_the_change_page_offers_a_folder_reviewer_the_decision(reply, browser, give):
    change = reply.propose(2)
    reader = browser("reader")
    assert b'value="approve"' not in reader.get(f"/changes/{change.number}").content
    give("reviewer")
    assert b'value="approve"' in reader.get(f"/changes/{change.number}").content
    assert reader.get("/environments/").status_code == 200


def test_a_folder_without_templates_is_shown_with_the_one_that_was_probably_meant(reply, browser):
    admin = browser("admin")
    post(admin, folder_role="author")
    assert "No template is in this folder yet." not in read_html(admin.get(PAGE))
    post(admin, folder="refnds", folder_role="author")
    said = "reader is author in the folder refnds now. No template is in this folder yet. Did you mean refunds?"
    assert said in read_html(admin.get(PAGE))
    post(admin, folder="quite/other", folder_role="author")
    page = read_html(admin.get(PAGE))
    assert "in the folder quite/other now. No template is in this folder yet." in page
    assert "Did you mean" not in page
