"""Going back to an older version, counted in clicks."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Visit
from tests.support.editor_page import EditorPage
from tests.support.keyboard import press_tab_to

NAME = "support/refunds/reply"


def _read_newest(page: Page) -> int:
    page.goto(f"/t/{NAME}/-/versions")
    numbers = page.locator(".history-number a").get_by_text(re.compile(r"^v\d+$"))  # a draft has none
    return int(numbers.first.inner_text().removeprefix("v"))


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}, {"viewport": PHONE}], ids=str)
def test_a_version_is_restored_with_two_clicks(visit: Visit, options):
    page = visit.open("author", "/", **options)
    newest = _read_newest(page)
    page.get_by_role("link", name="Restore v1", exact=True).click()
    page.get_by_role("button", name=f"Restore v1 as v{newest + 1}").click()
    expect(page.locator("#status")).to_contain_text(f"v{newest + 1} now has the text of v1.")
    page.goto(f"/t/{NAME}?ref={newest}")
    page.get_by_role("link", name=f"Restore v{newest}").click()
    page.get_by_role("button", name=f"Restore v{newest} as v{newest + 2}").click()
    expect(page.locator("#status")).to_contain_text(f"v{newest + 2} now has the text of v{newest}.")


def test_the_same_by_keyboard_alone(visit: Visit):
    page = visit.open("author", "/")
    newest = _read_newest(page)
    page.goto(f"/t/{NAME}?ref=1")
    press_tab_to(page, page.get_by_role("link", name="Restore v1"))
    page.keyboard.press("Enter")
    page.wait_for_load_state()
    press_tab_to(page, page.get_by_role("button", name=re.compile("^Restore v1 as")))
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text(f"v{newest + 1} now has the text of v1.")


def test_a_draft_from_an_old_version_gives_the_draft_before_it_back(visit: Visit):
    page = visit.open("author", f"/t/{NAME}/-/edit")
    desk = EditorPage(page).ready()
    desk.replace("description: ", "description: Half a thought. ")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.goto(f"/t/{NAME}?ref=1")
    page.get_by_role("button", name="Start a draft from v1").click()
    desk = EditorPage(page).ready()
    desk.expect_no_text("Half a thought.")
    page.get_by_role("button", name="Restore the draft you discarded").click()
    desk = EditorPage(page).ready()
    desk.expect_text("Half a thought.")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.get_by_role("button", name="Discard draft")).to_be_hidden()
