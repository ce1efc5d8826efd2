"""An admin looks at what a key can do, deactivates its person after reading the effects, and reactivates them."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit
from tests.browser.test_release import take_picture
from tests.support.accessibility import list_barriers_in_every_look


@pytest.fixture(scope="module")
def leaver(server: Server) -> str:
    """An author of `support` with a key, so that the demo's own people aren't changed."""
    server.run_program("browser_people_data.py")
    return "leaver"


def test_a_key_is_tried_and_its_person_deactivated_and_let_in_again(visit: Visit, leaver):
    admin = visit.open("admin", "/n/support/keys")
    admin.get_by_role("link", name="what the key of returns-desk can do").click()
    expect(admin.get_by_role("heading", name="What can this key do?")).to_be_visible()
    admin.get_by_label("Template", exact=True).fill("support/refunds/reply")
    admin.get_by_role("button", name="Try it as this key").click()
    expect(admin.get_by_text("Allowed, 200")).to_be_visible()
    take_picture(admin, "key-panel")

    admin.goto(f"/people?person={leaver}")
    admin.get_by_role("link", name="Deactivate", exact=True).click()
    expect(admin.get_by_text("stops working")).to_be_visible()
    take_picture(admin, "deactivate")
    admin.get_by_role("button", name=f"Deactivate {leaver}").click()
    admin.wait_for_url(re.compile(r"/people\?"))
    expect(admin.get_by_role("cell").filter(has_text="Deactivated")).to_be_visible()

    admin.goto("/n/support/keys")
    admin.get_by_role("link", name="what the key of returns-desk can do").click()
    expect(admin.get_by_text(f"{leaver}, whom it acts for, is deactivated.")).to_be_visible()

    admin.goto(f"/people?show=all&person={leaver}")
    admin.get_by_role("button", name=f"Reactivate {leaver}").click()
    expect(admin.get_by_text(f"{leaver} can sign in again.").first).to_be_visible()


def test_a_role_is_saved_when_it_is_chosen_and_undone_and_an_owner_is_found_by_typing(visit: Visit, leaver):
    admin = visit.open("admin", "/n/support/members")
    status, role = admin.locator("#status"), admin.get_by_label(f"Role of {leaver}")
    role.select_option("reader")
    expect(status).to_contain_text(f"{leaver} is now reader.")
    status.get_by_role("button", name="Undo").click()
    expect(status).to_contain_text(f"{leaver} is now author.")
    role.focus()
    role.press("ArrowUp")  # passes over a role, which isn't saved yet
    expect(role).to_have_value("reader")
    expect(status).not_to_contain_text("reader")
    role.press("Enter")
    expect(status).to_contain_text(f"{leaver} is now reader.")
    status.get_by_role("button", name="Undo").click()
    expect(status).to_contain_text(f"{leaver} is now author.")

    owners = admin.locator("#owners")
    owners.get_by_role("combobox", name="Pattern").fill("leaving/*")
    field = owners.get_by_role("textbox", name="Owners")
    field.press_sequentially(leaver[:3])
    expect(owners.get_by_role("option", name=leaver)).to_be_visible()
    take_picture(admin, "members")
    field.press("Enter")
    expect(field).to_have_value(f"{leaver}, ")
    owners.get_by_role("button", name="Set these owners").click()
    expect(status).to_contain_text(f"Owners of leaving/* are now: {leaver}.")
    owners.get_by_role("button", name="Remove the owners of leaving/*").click()
    expect(status).to_contain_text("leaving/* has no owners now.")


def test_tabs_lead_from_people_to_the_groups_of_the_chosen_namespace(visit: Visit):
    admin = visit.open("admin", "/people")
    admin.get_by_label("Tabs lead to the pages of").select_option("support")
    admin.get_by_role("button", name="Choose").click()
    tabs = admin.get_by_role("navigation", name="People and access")
    expect(tabs.get_by_role("link", name="Groups")).to_have_attribute("href", "/n/support/groups")
    assert list_barriers_in_every_look(admin) == []
