"""From a pasted prompt to its first version, counted in clicks."""

import re
import secrets

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PHONE, Visit
from tests.support.accessibility import list_barriers
from tests.support.editor_page import EditorPage
from tests.support.keyboard import press_tab_to

PROMPT = """Write to {{ customer_name }} in a short, warm tone.
Their order contains:
{% for item in items %}
- {{ item }}
{% endfor %}
It was promised for {{ promised_date }}."""


@pytest.fixture
def blank(visit: Visit, request):
    """A blank template as its author opens it."""
    slug = f"{re.sub(r'[^a-z0-9]+', '-', request.node.name)[:40].strip('-')}-{secrets.token_hex(3)}"

    def start(**options) -> EditorPage:
        page = visit.open("author", "/new", mode="form", **options)
        page.locator("#id_path").fill(slug)
        page.get_by_role("radio", name="Blank").check()
        page.get_by_role("button", name=re.compile("Open|Create")).click()
        return EditorPage(page).ready()

    return start


def _find_card(page: Page, part: str):
    return page.get_by_role("textbox", name=f"Content of {part}")


def _open_values(page: Page) -> None:
    page.get_by_role("button", name="Values", exact=True).click()


def _paste(page: Page) -> None:
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(PROMPT)


def test_a_prompt_with_three_variables_is_a_version_after_three_clicks(blank):
    desk = blank()
    _find_card(desk.page, "instructions").click()
    _paste(desk.page)
    notice = desk.page.get_by_role("region", name="inputs are used but not declared")
    expect(notice.locator(".chip-undeclared")).to_have_text(["customer_name", "items", "promised_date", "question"])
    expect(desk.preview.locator(".placeholder").nth(1)).to_have_text("customer_name")
    notice.get_by_role("button", name="Declare all 4").click()
    expect(notice).to_have_count(0)
    desk.page.get_by_role("button", name="Save as v1").click()
    expect(desk.outcome).to_contain_text("Saved as version 1")
    desk.expect_text("  items: {type: array, items: {type: string}}\n")


def test_values_next_to_undeclared_inputs_are_shown_in_the_preview_and_saved(blank):
    desk = blank()
    _find_card(desk.page, "instructions").click()
    _paste(desk.page)
    notice = desk.page.get_by_role("region", name="inputs are used but not declared")
    notice.get_by_label("Value of customer_name for the preview").press_sequentially("Ada Lovelace", delay=40)
    notice.get_by_label("Value of items for the preview").fill("boots\ngloves")
    expect(desk.preview).to_contain_text("Write to Ada Lovelace in")
    expect(desk.preview).to_contain_text("gloves")
    expect(notice.get_by_label("Value of customer_name for the preview")).to_have_value("Ada Lovelace")
    assert list_barriers(desk.page) == []
    desk.page.get_by_role("button", name="Save as v1").click()
    expect(desk.outcome).to_contain_text("Saved as version 1")
    expect(desk.page.locator("#sample option")).to_have_text(["first"])


def test_examples_fill_the_preview_with_one_click_and_are_saved(blank):
    desk = blank()
    _find_card(desk.page, "instructions").click()
    _paste(desk.page)
    fill = desk.page.get_by_role("button", name="Fill with examples")
    fill.click()
    expect(desk.preview).to_contain_text("Write to Example customer name in")
    expect(fill).to_have_count(0)
    desk.page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(desk.preview.locator(".placeholder").nth(1)).to_have_text("customer_name")
    desk.page.get_by_role("button", name="Fill with examples").press("Enter")
    expect(desk.preview).to_contain_text("It was promised for 2026-01-31.")
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")


LISTED = "---\ninputs:\n  items: {type: array, items: {type: string}}\n  letter: {type: string}\n---\n"
LISTED += "- name: a\n  content: |\n    {{ letter }}{% for item in items %}{{ item }}{% endfor %}\n"


def test_pasted_lines_become_items_and_a_long_value_opens_large(blank):
    desk = blank()
    page = desk.page
    page.locator("[data-mode=source]").click()
    page.locator(".cm-content").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(LISTED)
    page.locator("#input-items").get_by_role("button", name="Add an item").click()
    _paste_from_clipboard(page, "boots\r\ngloves\r\n\r\n hat \r\n")
    question = page.locator(".list-question")
    expect(question).to_contain_text("Pasted 3 lines.")
    assert list_barriers(page) == []
    question.get_by_role("button", name="Add as 3 items").press("Enter")
    items = page.locator("#input-items textarea")
    expect(items).to_have_count(3)
    for index, item in enumerate(("boots", "gloves", "hat")):
        expect(items.nth(index)).to_have_value(item)
    expect(items.nth(2)).to_be_focused()
    expect(desk.preview).to_contain_text("bootsgloveshat")
    expect(page.get_by_role("button", name="Open large")).to_be_hidden()
    page.locator("#input-letter").fill("Dear Ada, " * 80)
    page.get_by_role("button", name="Open large: letter").click()
    large = page.get_by_role("dialog", name="letter").get_by_role("textbox")
    expect(large).to_be_focused()
    assert list_barriers(page) == []
    large.press("Control+End")
    page.keyboard.type("yours Bob")
    page.keyboard.press("Escape")
    expect(page.locator("#input-letter")).to_be_focused()
    expect(desk.preview).to_contain_text("Dear Ada, yours Bob")


def test_a_text_without_parts_of_which_something_is_noted_keeps_its_button(blank):
    desk = blank()
    page = desk.page
    page.locator("[data-mode=source]").click()
    page.locator(".cm-content").first.click()
    _paste_from_clipboard(page, "Prove {{ x }}: \\textbf{bold} and {n}.")
    offer = page.get_by_role("region", name="The text you pasted")
    expect(offer).to_contain_text("{n} stays text")
    page.get_by_role("button", name="Turn it into parts").click()
    expect(page.locator("textarea[name=document]")).to_have_value(re.compile("^- name: user 1"))


def test_a_pasted_list_with_a_field_of_its_own_becomes_text_by_click_and_by_keys(blank):
    desk = blank()
    page = desk.page
    text = "- name: Ada\n  content: Likes tea.\n  weight: 3\n"
    source = page.locator("textarea[name=document]")
    page.locator("[data-mode=source]").click()
    page.locator(".cm-content").first.click()
    _paste_from_clipboard(page, text)
    button = page.get_by_role("button", name="Turn the list into text")
    button.click()
    expect(source).to_have_value(re.compile("^- name: user 1"))
    expect(source).to_have_value(re.compile("weight: 3"))
    expect(button).to_have_count(0)  # the preview of the text has come, which would take the button from the keys below
    page.locator(".cm-content").first.click()
    page.keyboard.press("Control+z")
    expect(source).to_have_value(re.compile("^- name: Ada"))
    button.focus()
    page.keyboard.press("Enter")
    expect(source).to_have_value(re.compile("^- name: user 1"))


def _begin_by_keyboard(visit: Visit) -> EditorPage:
    """Create a blank template by keyboard, starting at the list of templates; its first text has the focus."""
    page = visit.open("author", "/t/", mode="form")
    press_tab_to(page, page.get_by_role("link", name="New template"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/new")
    page.keyboard.type(f"By Keys {secrets.token_hex(3)}")
    press_tab_to(page, page.get_by_role("radio", name="Answer from documents", exact=False).first)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    desk = EditorPage(page).ready()
    expect(_find_card(page, "instructions")).to_be_focused()
    return desk


def test_the_same_by_keyboard_alone(visit: Visit):
    desk = _begin_by_keyboard(visit)
    desk.page.keyboard.insert_text(PROMPT)
    declare = desk.page.get_by_role("button", name="Declare all 4")
    declare.wait_for()
    press_tab_to(desk.page, declare, "Shift+Tab")
    desk.page.keyboard.press("Enter")
    expect(declare).to_have_count(0)
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")


def test_a_required_input_with_two_samples_by_keyboard_alone(visit: Visit):
    desk = _begin_by_keyboard(visit)
    page = desk.page
    press_tab_to(page, page.get_by_role("button", name="Values", exact=True))
    page.keyboard.press("Enter")
    press_tab_to(page, page.locator("#input-question"))
    page.keyboard.press("Control+a")
    page.keyboard.type("When?")
    press_tab_to(page, page.get_by_role("button", name="Save as sample"))
    page.keyboard.press("Enter")
    page.keyboard.type("second")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")
    press_tab_to(page, _find_card(page, "question"), "Shift+Tab")
    page.keyboard.press("End")
    page.keyboard.insert_text(" {{ customer_name }}")
    enter = page.get_by_role("button", name="Enter a value")
    enter.wait_for()
    press_tab_to(page, enter, "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#input-customer_name")).to_be_focused()
    page.keyboard.type("Ada")
    fill = page.get_by_role("button", name="Use the value above")
    fill.wait_for()
    press_tab_to(page, fill, "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("needs? a value"))).to_have_count(0)
    page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 2")


CHATML = "<|im_start|>system\nBe {tone}.<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n"


def _paste_from_clipboard(page: Page, text: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+v")


def test_a_conversation_pasted_into_a_card_is_offered_as_parts(blank):
    desk = blank()
    page = desk.page
    _find_card(page, "instructions").click()
    _paste_from_clipboard(page, CHATML)
    offer = page.get_by_role("region", name="The text you pasted")
    expect(offer).to_contain_text("Looks like ChatML.")
    assert list_barriers(page) == []
    offer.get_by_role("button", name="Turn into 2 parts").click()
    expect(offer).to_have_count(0)
    desk.expect_text("- name: system 1\n  role: system\n")
    desk.expect_text("{{ tone }}")
    page.keyboard.press("Control+z")
    expect(_find_card(page, "instructions")).to_contain_text("<|im_start|>system")


def test_a_pasted_notation_is_turned_into_inputs_or_left(blank):
    desk = blank()
    page = desk.page
    _find_card(page, "instructions").click()
    _paste_from_clipboard(page, "Write to {customer} in a warm tone, {{literally}}.")
    offer = page.get_by_role("region", name="The text you pasted")
    offer.get_by_role("button", name="Turn them into inputs").click()
    expect(offer).to_have_count(0)
    desk.expect_text("Write to {{ customer }} in a warm tone, {literally}.")
    desk.expect_text("- name: instructions\n  role: system\n")
    _find_card(page, "question").click()
    _paste_from_clipboard(page, "The gradient is \\nabla f.")
    offer.get_by_role("button", name="Leave as text").click()
    expect(offer).to_have_count(0)
    desk.expect_text("The gradient is \\nabla f.")


def test_a_pasted_notation_is_declared_in_the_same_step_where_inputs_are_declared(blank):
    desk = blank()
    page = desk.page
    notice = page.get_by_role("region", name="used but not declared")
    notice.get_by_role("button", name="Declare").click()
    expect(notice).to_have_count(0)
    declared = desk.text
    assert "inputs:" in declared
    _find_card(page, "instructions").click()
    _paste_from_clipboard(page, "Write to {customer} in a warm tone.")
    page.get_by_role("region", name="The text you pasted").get_by_role("button", name="Turn them into inputs").click()
    expect(page.locator("textarea[name=document]")).to_have_value(re.compile(r"\n  customer: \{type: string\}\n"))
    desk.expect_text("Write to {{ customer }} in a warm tone.")
    expect(notice).to_have_count(0)
    page.keyboard.press("Control+z")
    desk.expect_no_text("customer: {")
    desk.expect_text("Write to {customer} in a warm tone.")


PROMPTFOO = """prompts:
  - Write a tweet about {{topic}}
  - Write a haiku about {{topic}}
providers: [openai:gpt-4o]
"""


def test_several_prompts_in_a_pasted_text_lead_to_the_import_page(blank):
    desk = blank()
    page = desk.page
    _find_card(page, "instructions").click()
    _paste_from_clipboard(page, PROMPTFOO)
    offer = page.get_by_role("region", name="The text you pasted")
    expect(offer).to_contain_text("promptfoo: 2 prompts.")
    assert list_barriers(page) == []
    offer.get_by_role("button", name="Import 2 templates").click()
    page.wait_for_url("**/t/import?in=*")
    expect(page.locator("textarea[name=text]")).to_have_value(PROMPTFOO)
    expect(page.get_by_role("button", name="Import the ticked templates")).to_be_visible()


def test_a_place_in_another_notation_is_named_and_changes_nothing(blank):
    desk = blank()
    page = desk.page
    _find_card(page, "instructions").click()
    _paste_from_clipboard(page, "Write to {{ customer }} about <%= order %>.")
    offer = page.get_by_role("region", name="The text you pasted")
    expect(offer).to_contain_text("<%= order %> stays text: nothing is filled in there.")
    expect(offer.get_by_role("button")).to_have_text(["Close"])
    offer.get_by_role("button", name="Close").click()
    expect(offer).to_have_count(0)
    desk.expect_text("Write to {{ customer }} about <%= order %>.")


def test_a_required_input_with_two_samples_takes_four_clicks(blank):
    desk = blank()
    page = desk.page
    _open_values(page)
    page.locator("#input-question").fill("When?")
    page.get_by_role("button", name="Save as sample").click()
    page.get_by_label("Name of the new sample").fill("second")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")
    page.get_by_role("button", name="Messages", exact=True).click()
    _find_card(page, "question").click()  # 1
    page.keyboard.press("End")
    page.keyboard.insert_text(" {{ customer_name }}")
    page.get_by_role("button", name="Enter a value").click()  # 2
    expect(page.locator("#input-customer_name")).to_be_focused()
    page.keyboard.type("Ada")
    page.get_by_role("button", name="Use the value above").click()  # 3
    expect(page.get_by_text(re.compile("needs? a value"))).to_have_count(0)
    page.get_by_role("button", name="Save as v2").click()  # 4
    expect(desk.outcome).to_contain_text("Saved as version 2")
    page.reload()
    desk.ready()
    _open_values(page)
    for sample in ("first", "second"):
        page.get_by_label("Sample of the preview").select_option(sample)
        expect(page.locator("#input-customer_name")).to_have_value("Ada")


def test_text_typed_while_a_fix_is_loading_stays(blank):
    desk = blank()
    page = desk.page
    _find_card(page, "question").click()
    page.keyboard.press("End")
    page.keyboard.insert_text(" {{ customer_name }}")
    declare = page.get_by_role("button", name="Declare all 2")  # the notice of this text, not of the one before
    declare.wait_for()
    held: list[Route] = []

    def hold(route: Route) -> None:
        if not held and route.request.method == "POST" and "declare" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/-/edit", hold)
    with page.expect_request(lambda request: request.method == "POST" and "declare" in (request.post_data or "")):
        declare.click()
    _find_card(page, "question").click()
    page.keyboard.press("End")
    page.keyboard.insert_text(" Please.")
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator("textarea[name=document]")).to_have_value(re.compile(r"customer_name: \{type: string"))
    desk.expect_text("{{ customer_name }} Please.")


def test_undo_and_redo_take_back_a_fix_values_and_text_in_one_order(blank):
    desk = blank()
    page = desk.page
    before = desk.text
    _find_card(page, "instructions").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(" Be kind.")  # one step of undo, however slow the machine is
    _open_values(page)
    page.locator("#input-question").fill("How?")
    page.locator("#input-question").blur()
    page.get_by_role("button", name="Declare it").click()
    expect(page.get_by_role("button", name="Declare it")).to_have_count(0)
    page.locator("[data-mode=source]").click()
    undo = page.get_by_role("button", name="Undo", exact=True).first
    undo.click()
    expect(page.locator("#input-question")).to_have_value("How?")
    desk.expect_no_text("inputs:")
    undo.click()
    expect(page.locator("#input-question")).to_have_value("How long does the glue take to dry?")
    undo.click()
    desk.expect_whole_text(before)
    redo = page.get_by_role("button", name="Redo", exact=True)
    for _ in range(3):
        redo.click()
    desk.expect_text("inputs:")
    desk.expect_text("Be kind.")
    expect(page.locator("#input-question")).to_have_value("How?")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_notices_are_accessible_and_fit_a_phone(blank, scheme):
    desk = blank(viewport=PHONE, color_scheme=scheme)
    desk.page.locator("[data-tab=source]").click()
    _find_card(desk.page, "instructions").click()
    _paste(desk.page)
    desk.page.get_by_role("button", name="Declare all 4").wait_for()
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    # Below the notices the text is there to be written: the page scrolls, and the foot covers nothing that is reached.
    card = desk.page.locator(".form-card").last
    card.scroll_into_view_if_needed()
    card.click(trial=True)
    assert desk.page.locator(".form-mode").bounding_box()["height"] > 200
    # Seen whole: where the page is scrolled, a field half under the foot counts as a small target.
    desk.page.set_viewport_size({"width": PHONE["width"], "height": 2400})
    assert list_barriers(desk.page) == []


def test_on_a_phone_the_foot_is_two_rows_and_the_message_is_the_last_field(blank):
    desk = blank(viewport=PHONE)
    desk.page.locator("[data-tab=source]").click()
    save = desk.page.get_by_role("button", name="Save as v1")
    expect(save).to_be_in_viewport(ratio=1)
    foot = desk.page.locator(".editor-decision").bounding_box()
    assert foot["height"] < 100
    assert abs(foot["y"] + foot["height"] - PHONE["height"]) < 1
    message = desk.page.get_by_label("What changed")
    message.focus()
    desk.page.keyboard.type("First try")
    box = message.bounding_box()
    assert box["y"] + box["height"] <= desk.page.locator(".editor-decision").bounding_box()["y"]
    expect(save).to_be_in_viewport(ratio=1)
