"""Several drafts of one template in the editor."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.support.editor_page import EditorPage

NAME = "support/refunds/reply"


def test_two_drafts_are_written_side_by_side(visit: Visit):
    page = visit.open("author", f"/t/{NAME}/-/edit")
    desk = EditorPage(page).ready()
    desk.replace("description: ", "description: Half a thought. ")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.locator(".draft-menu summary").click()
    page.get_by_role("link", name="Start another draft").click()
    page.get_by_label("Name", exact=True).fill("Shorter answers")
    page.get_by_label("Start from").select_option("draft")
    page.get_by_role("button", name="Start the draft").click()
    desk = EditorPage(page).ready()
    assert "Half a thought." in desk.text
    desk.replace("Half a thought.", "Another thought.")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.locator(".draft-menu summary").click()
    page.get_by_role("link", name="Draft saved").click()
    desk = EditorPage(page).ready()
    assert "Half a thought." in desk.text
    page.goto(f"/t/{NAME}/-/diff?from=draft&to=draft:Shorter%20answers")
    expect(page.locator("main")).to_contain_text("Another thought.")
    page.goto(f"/t/{NAME}/-/drafts")
    for title in ("Shorter answers", "Draft"):
        page.get_by_role("button", name=f"Discard {title}", exact=True).click()
    expect(page.locator("main")).to_contain_text("You have none.")
