"""Features of every page: the palette, single keys, copy buttons and themes."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit

REPLY = "/t/support/refunds/reply"


def test_the_palette_finds_a_template_by_keys_alone(visit: Visit):
    page = visit.open("author", "/changes/")
    page.keyboard.press("Control+k")
    page.keyboard.type("support refunds reply")  # other tests make templates of that name
    expect(page.get_by_role("option", name=re.compile("refunds.reply")).first).to_have_attribute(
        "aria-selected", "true"
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"{REPLY}$"))


def test_the_palette_closes_and_gives_the_focus_back(visit: Visit):
    page = visit.open("author", "/changes/")
    link = page.get_by_role("link", name="Templates").first
    link.focus()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(link).to_be_focused()


def test_a_menu_closes_by_escape_and_by_a_press_next_to_it(visit: Visit):
    page = visit.open("author", REPLY)
    more, opened = page.locator(".menu > summary", has_text="More"), page.locator(".menu[open]")
    more.click()
    expect(opened).to_have_count(1)
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(more).to_be_focused()
    more.click()
    page.locator("h1").click()
    expect(opened).to_have_count(0)


def test_rows_are_walked_with_j_and_k(visit: Visit):
    page = visit.open("author", "/t/demo/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("[data-row].is-current")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/t/demo/.+"))


def test_single_keys_can_be_turned_off(visit: Visit):
    page = visit.open("author", "/t/demo/")
    page.keyboard.press("?")
    page.get_by_label("Turn the single-letter keys off").check()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("j")
    expect(page.locator("[data-row].is-current")).to_have_count(0)


def test_a_digest_is_copied_whole(visit: Visit):
    page = visit.open("author", REPLY, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the whole digest").first.click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", page.evaluate("navigator.clipboard.readText()"))


def test_the_theme_follows_the_system_until_it_is_chosen(visit: Visit):
    page = visit.open("author", "/t/", color_scheme="dark")
    ground = page.locator("html")
    expect(ground).to_have_css("background-color", "rgb(22, 19, 16)")
    page.locator("summary", has_text="author").click()
    page.get_by_role("button", name="Light").click()
    expect(ground).to_have_css("background-color", "rgb(245, 241, 232)")


def test_search_swaps_the_list_and_keeps_its_words_in_the_address(visit: Visit):
    page = visit.open("author", "/t/")
    page.get_by_label("Search templates").fill("translate")
    expect(page.get_by_role("link", name=re.compile("character-chat"))).to_have_count(0)
    expect(page.get_by_role("link", name=re.compile("demo. ?translate"))).to_be_visible()
    expect(page).to_have_url(re.compile("q=translate"))
    expect(page.get_by_label("Search templates")).to_be_focused()


def _press(page: Page, *keys: str) -> int:
    """Press the keys in order; return their number."""
    for key in keys:
        page.keyboard.press(key)
    return len(keys)


@pytest.mark.parametrize(("mode", "field"), [("form", "Content of instructions"), ("source", "Source of the template")])
def test_from_the_palette_to_prose_in_six_keys(visit: Visit, mode: str, field: str):
    page = visit.open("author", REPLY, mode=mode)  # viewed before, so that it is among the recent ones
    page.goto("/changes/")
    count = _press(page, "Control+k", "r", "e", "f")
    expect(page.get_by_role("option", name=re.compile("refunds.reply")).first).to_have_attribute(
        "aria-selected", "true"
    )
    count += _press(page, "Enter")
    page.wait_for_url(f"**{REPLY}")
    count += _press(page, "e")
    text = page.get_by_role("textbox", name=field, exact=True)
    expect(text).to_be_focused()
    assert count <= 6
    page.keyboard.type("Be brief. ")
    expect(text).to_contain_text("Be brief. ")
    page.keyboard.press("Control+z")


@pytest.mark.parametrize(
    ("letters", "name"),
    [("sent", "sentiment-analysis"), ("char", "character-chat")],  # the first has a format that opens in Source
)
def test_from_the_palette_to_the_prose_of_a_template_never_opened_before_in_six_keys(visit: Visit, letters, name):
    page = visit.open("author", "/changes/", mode="form")
    count = _press(page, "Control+k", *letters)
    first = page.get_by_role("option").first
    expect(first).to_contain_text(f"demo/{name}")
    expect(first).to_have_attribute("aria-selected", "true")
    count += _press(page, "Control+Enter")
    page.wait_for_url(f"**/t/demo/{name}/-/edit#text")
    prose = ".form-card .cm-content:focus, .form-card .form-static:focus, .source-body .cm-content:focus"
    expect(page.locator(prose)).to_have_count(1)
    assert count <= 6


def test_from_the_palette_to_the_prose_of_a_new_template_in_six_keys(visit: Visit):
    page = visit.open("author", "/changes/", mode="form")
    count = _press(page, "Control+k", "c", "r", "e")
    expect(page.get_by_role("option", name="Create a template")).to_have_attribute("aria-selected", "true")
    count += _press(page, "Enter")
    page.wait_for_url("**/new")
    page.keyboard.type("Six keys and a name")  # the name's own letters are no way to the prose
    count += _press(page, "Enter")
    page.wait_for_url("**/-/edit")
    assert count <= 6
    expect(page.locator(".form-card .cm-content, .form-card .form-static").first).to_be_focused()
