"""Typed text outlives the ways to lose it: a reload, no network, a full browser, a draft that is gone, a conflict."""

import re
import zlib
from contextlib import suppress
from dataclasses import dataclass

import pytest
from playwright.sync_api import Error, Page, Route, expect

from tests.browser.conftest import Visit
from tests.support.editor_page import EditorPage

FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"


@pytest.fixture
def desk(visit: Visit, request) -> EditorPage:
    """The editor on a template that does not exist yet, named after the test."""
    slug = f"{request.node.originalname[:40]}-{zlib.crc32(request.node.name.encode()):x}".replace("_", "-")
    return EditorPage(visit.open("author", f"/t/demo/{slug}/-/edit")).ready()


def reload_offline_work(page: Page) -> EditorPage:
    """Reload the page like a browser that was offline until then, so that it hasn't sent its stored text."""
    page.evaluate("Object.defineProperty(window, 'fetch', { value: () => new Promise(() => {}) })")
    page.context.set_offline(False)
    page.reload()
    return EditorPage(page).ready()


def test_a_full_storage_is_reported_and_the_save_succeeds_once_online(desk: EditorPage):
    state = desk.page.locator("[data-draft-state]")
    desk.page.evaluate(FULL)
    desk.page.context.set_offline(True)
    desk.replace("one short paragraph", "a limerick")
    expect(state).to_contain_text("Offline, not kept in this browser")
    desk.page.context.set_offline(False)
    expect(state).to_contain_text("saved")
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")


@dataclass
class LostAnswers:
    """Lets the server store drafts; while `are_lost`, its answers don't arrive."""

    are_lost: bool = False

    def handle(self, route: Route) -> None:
        if not self.are_lost:
            route.continue_()
            return
        with suppress(Error):  # the page that sent it is gone
            route.fetch()
            route.abort("internetdisconnected")


def expect_no_conflict(desk: EditorPage) -> None:
    """The draft is saved, and nothing asks which text to keep."""
    expect(desk.page.locator("[data-draft-state]")).to_contain_text("saved")
    expect(desk.page.locator("[data-draft-conflict]")).to_be_empty()
    expect(desk.outcome).to_be_empty()


# Milliseconds between the last key and the reload: before the draft is sent, and about when it is.
@pytest.mark.parametrize("pause", [0, 200, 800, 1190, 1230, 1300])
def test_text_typed_just_before_a_reload_is_on_the_page_and_no_conflict(desk: EditorPage, pause: int):
    page = desk.page
    for old, new in [("one short paragraph", "a haiku"), ("a haiku", "a limerick")]:
        desk.replace(old, new)
        page.wait_for_timeout(pause)
        page.reload()
        desk.ready().expect_text(new)
    desk.replace("a limerick", "an ode")
    page.wait_for_timeout(1500)
    expect_no_conflict(desk)
    page.reload()
    desk.ready().expect_text("an ode")
    expect_no_conflict(desk)
    page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")


def test_a_draft_that_was_stored_without_an_answer_is_not_a_conflict(desk: EditorPage):
    page, answers = desk.page, LostAnswers()
    state = page.locator("[data-draft-state]")
    page.route("**/-/edit/draft", answers.handle)
    answers.are_lost = True
    desk.replace("one short paragraph", "a haiku")
    expect(state).to_contain_text("Offline, kept in this browser")
    answers.are_lost = False
    desk.replace("a haiku", "a limerick")
    expect_no_conflict(desk)
    answers.are_lost = True
    desk.replace("a limerick", "a sonnet")
    expect(state).to_contain_text("Offline, kept in this browser")
    desk.replace("a sonnet", "an ode")
    page.reload()
    desk.ready().expect_text("an ode")
    answers.are_lost = False
    expect_no_conflict(desk)
    answers.are_lost = True
    desk.replace("an ode", "a ballad")
    expect(state).to_contain_text("Offline, kept in this browser")
    page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")


def test_values_typed_offline_are_on_the_page_after_a_reload(desk: EditorPage):
    page = desk.page
    page.context.set_offline(True)
    page.get_by_label("question", exact=True).fill("Where is my parcel?")
    expect(page.locator("[data-draft-state]")).to_contain_text("Offline, kept in this browser")
    desk = reload_offline_work(page)
    expect(page.get_by_label("question", exact=True)).to_have_value("Where is my parcel?")
    expect_no_conflict(desk)


def test_values_of_a_closed_tab_are_offered_and_a_discarded_offer_comes_back(desk: EditorPage):
    page = desk.page
    page.context.set_offline(True)
    page.get_by_label("question", exact=True).fill("Where is my parcel?")
    expect(page.locator("[data-draft-state]")).to_contain_text("Offline, kept in this browser")
    address = page.url
    page.evaluate("Object.defineProperty(window, 'fetch', { value: () => new Promise(() => {}) })")
    page.context.set_offline(False)
    page = page.context.new_page()
    desk.page.close()
    page.goto(address)
    desk = EditorPage(page).ready()
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


def test_both_texts_of_a_conflict_can_be_restored_after_discarding(desk: EditorPage):
    page = desk.page
    desk.replace("one short paragraph", "a haiku")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    second_page = EditorPage(page.context.new_page())
    second_page.page.goto(page.url)
    second_page.ready()
    with second_page.page.expect_response(lambda answer: answer.request.method == "PUT"):
        second_page.replace("a haiku", "a limerick")
    second_page.page.close()
    desk.replace("a haiku", "an ode")
    expect(page.locator("[data-draft-conflict]")).to_contain_text("newer elsewhere")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.locator("#status")).to_contain_text("Your text and the newer draft are discarded")
    desk.ready().expect_text("one short paragraph")
    expect(desk.outcome).to_be_empty()
    for text in ("an ode", "a limerick"):
        page.get_by_role("button", name="Restore the draft you discarded").click()
        desk.expect_text(text)
        expect(page.locator("#status")).to_contain_text("Draft restored.")
        expect(desk.ready().page.locator("[data-draft-conflict]")).to_be_empty()


def test_the_text_of_a_draft_that_is_gone_is_offered_on_the_page_that_is_loaded(desk: EditorPage):
    page = desk.page
    state = page.locator("[data-draft-state]")
    desk.replace("one short paragraph", "a haiku")
    expect(state).to_contain_text("saved")
    second_page = EditorPage(page.context.new_page())
    second_page.page.goto(page.url)
    second_page.ready().page.keyboard.press("Control+s")
    expect(second_page.outcome).to_contain_text("Saved as version 1")
    desk.replace("a haiku", "an ode")
    page.locator("[data-draft-conflict]").get_by_role("button", name="Load what is saved").click()
    expect(desk.outcome).to_contain_text("did not reach the server")
    desk.ready().expect_text("a haiku")
    desk.outcome.get_by_role("button", name="Use that text").click()
    desk.expect_text("an ode")


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
