"""The menu of an input in a card: declare it, rename it everywhere, make it plain text; by mouse and by keys alone."""

import zlib

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.support.accessibility import list_barriers
from tests.support.editor_page import EditorPage

TEXT = """- name: greeting
  role: system
  content: Greet {{ customer }}.
- name: question
  content: |
    About {{ order }}, asked by {{ customer }}.
"""


@pytest.fixture
def form(visit: Visit, request) -> EditorPage:
    """The form over TEXT, on a template that does not exist yet."""
    slug = f"chip-{zlib.crc32(request.node.name.encode())}"  # a test finds no draft of another one
    desk = EditorPage(visit.open("author", f"/t/demo/{slug}/-/edit", mode="source")).ready()
    desk.source.click()
    desk.page.keyboard.press("Control+a")
    desk.page.keyboard.insert_text(TEXT)
    desk.page.locator("[data-mode=form]").click()
    expect(_find_chips(desk, "question")).to_have_class(["chip chip-undeclared", "chip chip-undeclared"])
    return desk


def _find_chips(desk: EditorPage, part: str) -> Locator:
    return desk.page.get_by_role("textbox", name=f"Content of {part}").locator(".chip")


def _find_item(desk: EditorPage, words: str) -> Locator:
    return desk.page.locator(".chip-menu").get_by_role("button", name=words)


def _open_by_keys(desk: EditorPage) -> None:
    """The menu of the first input of the question, whose cursor stands before its text."""
    desk.page.get_by_role("textbox", name="Content of question").focus()
    desk.page.keyboard.press("Control+Home")
    for _ in "About ":
        desk.page.keyboard.press("ArrowRight")
    desk.page.keyboard.press("Control+.")
    expect(desk.page.locator(".chip-menu button").first).to_be_focused()


def test_used_inputs_are_declared_from_a_chip(form):
    _find_chips(form, "greeting").click()
    _find_item(form, "Declare all 2 inputs").click()
    expect(form.page.get_by_label("Kind of customer")).to_be_visible()
    expect(form.page.get_by_label("Kind of order")).to_be_visible()
    expect(_find_chips(form, "question")).to_have_class(["chip chip-input", "chip chip-input"])
    form.page.get_by_role("button", name="Undo", exact=True).first.click()
    form.expect_whole_text(TEXT)


def test_an_input_is_renamed_everywhere_from_a_chip(form):
    _find_chips(form, "question").last.click()
    _find_item(form, "Rename everywhere").click()
    field = form.page.get_by_label("New name of customer")
    expect(field).to_be_focused()
    field.fill("a name")
    field.press("Enter")
    expect(form.page.locator(".chip-menu").get_by_role("alert")).to_be_visible()
    field.fill("buyer")
    field.press("Enter")
    expect(form.page.locator(".chip-menu")).to_have_count(0)
    expect(_find_chips(form, "greeting")).to_have_text("buyer")
    form.expect_whole_text(TEXT.replace("customer", "buyer"))


def test_an_expression_becomes_plain_text_and_comes_back_with_undo(form):
    _find_chips(form, "question").first.click()
    _find_item(form, "Make it plain text").click()
    expect(_find_chips(form, "question").first).to_have_text("{{ order }}")
    expect(_find_chips(form, "question").first).to_have_class("chip chip-plain")
    form.expect_text("About {% raw %}{{ order }}{% endraw %}, asked")
    expect(form.preview).to_contain_text("About {{ order }}, asked by")
    form.page.keyboard.press("Control+z")
    form.expect_whole_text(TEXT)


def test_typing_after_a_click_on_a_chip_edits_the_text(form):
    _find_chips(form, "greeting").click()
    expect(form.page.locator(".chip-menu")).to_be_visible()
    form.page.keyboard.press("End")
    form.page.keyboard.type(" Kindly.")
    expect(form.page.locator(".chip-menu")).to_have_count(0)
    form.expect_text("Greet {{ customer }}. Kindly.")


def test_the_menu_by_keys_alone(form):
    _open_by_keys(form)
    form.page.keyboard.press("Escape")
    expect(form.page.get_by_role("textbox", name="Content of question")).to_be_focused()
    _open_by_keys(form)
    form.page.keyboard.press("ArrowDown")
    form.page.keyboard.press("Enter")
    expect(form.page.get_by_label("New name of order")).to_be_focused()
    form.page.keyboard.type("parcel")
    form.page.keyboard.press("Enter")
    expect(_find_chips(form, "question").first).to_have_text("parcel")
    _open_by_keys(form)
    form.page.keyboard.press("ArrowUp")
    form.page.keyboard.press("Enter")
    expect(_find_chips(form, "question").first).to_have_text("{{ parcel }}")
    _open_by_keys_fails_on_plain_text(form)


def _open_by_keys_fails_on_plain_text(form: EditorPage) -> None:
    form.page.get_by_role("textbox", name="Content of question").focus()
    form.page.keyboard.press("Control+Home")
    form.page.keyboard.press("Control+.")
    expect(form.page.locator(".chip-menu")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_menu_is_accessible(form, scheme):
    form.page.emulate_media(color_scheme=scheme)
    _find_chips(form, "greeting").click()
    _find_item(form, "Rename everywhere").click()
    assert list_barriers(form.page) == []
