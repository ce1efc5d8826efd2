"""Typed text outlives the ways to lose it: no network, a full browser, a draft that is gone, a closed dialog."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.support.editor_page import EditorPage

FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"


@pytest.fixture
def desk(visit: Visit, request) -> EditorPage:
    """The editor on a template that does not exist yet, named after the test."""
    slug = re.sub(r"[^a-z0-9]+", "-", request.node.name)[:40].strip("-")
    return EditorPage(visit.open("author", f"/t/demo/{slug}/-/edit")).ready()


def reload_offline_work(page: Page) -> EditorPage:
    """Reload the page like a browser that was offline until then, so that it hasn't sent its stored text."""
    page.evaluate("Object.defineProperty(window, 'fetch', { value: () => new Promise(() => {}) })")
    page.context.set_offline(False)
    page.reload()
    return EditorPage(page).ready()


def test_a_full_browser_says_so_and_saves_once_the_network_is_back(desk: EditorPage):
    state = desk.page.locator("[data-draft-state]")
    desk.page.evaluate(FULL)
    desk.page.context.set_offline(True)
    desk.replace("one short paragraph", "a limerick")
    expect(state).to_contain_text("Offline, not kept in this browser")
    desk.page.context.set_offline(False)
    expect(state).to_contain_text("saved")
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")


def test_values_typed_offline_are_offered_and_a_discarded_offer_comes_back(desk: EditorPage):
    page = desk.page
    page.context.set_offline(True)
    page.get_by_label("question", exact=True).fill("Where is my parcel?")
    expect(page.locator("[data-draft-state]")).to_contain_text("Offline, kept in this browser")
    desk = reload_offline_work(page)
    field = page.get_by_label("question", exact=True)
    expect(field).to_have_value("What is a promptuary?")
    expect(desk.outcome).to_contain_text("did not reach the server")
    desk.outcome.get_by_role("button", name="Discard it").click()
    expect(desk.outcome).to_be_empty()
    page.locator("#status").get_by_role("button", name="Undo").click()
    page.reload()
    desk.ready().outcome.get_by_role("button", name="Use that text").click()
    expect(field).to_have_value("Where is my parcel?")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.reload()
    desk.ready()
    expect(field).to_have_value("Where is my parcel?")
    expect(desk.outcome).to_be_empty()


def test_the_text_of_a_draft_that_is_gone_is_offered_on_the_page_that_is_loaded(desk: EditorPage):
    page = desk.page
    state = page.locator("[data-draft-state]")
    desk.replace("one short paragraph", "a haiku")
    expect(state).to_contain_text("saved")
    other = EditorPage(page.context.new_page())
    other.page.goto(page.url)
    other.ready().page.keyboard.press("Control+s")
    expect(other.outcome).to_contain_text("Saved as version 1")
    desk.replace("a haiku", "an ode")
    page.locator("[data-draft-conflict]").get_by_role("button", name="Load what is saved").click()
    expect(desk.outcome).to_contain_text("did not reach the server")
    assert "a haiku" in desk.ready().text
    desk.outcome.get_by_role("button", name="Use that text").click()
    assert "an ode" in desk.text


def test_json_that_was_not_used_is_back_when_the_dialog_opens_again(desk: EditorPage):
    page = desk.page
    page.get_by_role("button", name="Paste JSON").click()
    box = page.get_by_role("textbox", name="Inputs as JSON")
    box.fill('{"question": "Half a')
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_contain_text("What you typed is there again")
    page.get_by_role("button", name="Paste JSON").click()
    expect(box).to_have_value('{"question": "Half a')
    dialog = page.get_by_role("dialog", name="Inputs as JSON")
    dialog.get_by_role("button", name="Remove it").click()
    expect(box).to_have_value(re.compile("What is a promptuary"))
    box.fill('{"question": "Whole?"}')
    page.get_by_role("button", name="Use these inputs").click()
    page.get_by_role("button", name="Paste JSON").click()
    expect(box).to_have_value(re.compile("Whole"))
    expect(dialog.locator(".kept-note")).to_have_count(0)
