"""The editor's form: cards over the same text, for people who don't want to see YAML."""

import re
import zlib

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import DESKTOP, PHONE, Visit, wait_until_held
from tests.support.accessibility import list_barriers
from tests.support.editor_page import EditorPage

OFFER_IS_SEEN = 150  # ms; for 75 ms after it opens, a list of offers takes no key: it would surprise who types on
TEXT = """---
inputs:
  tone: {type: string, default: kind}
---
- name: instructions
  role: system
  content: |
    Be {{ tone }}.
- name: question
  content: "Why?"
"""


@pytest.fixture
def form(visit: Visit, request):
    """The form over TEXT (or another one), on a template that does not exist yet."""
    slug = f"form-{zlib.crc32(request.node.name.encode())}"  # a test finds no draft of another one

    def start(text: str = TEXT, **options) -> EditorPage:
        desk = EditorPage(visit.open("author", f"/t/demo/{slug}/-/edit", mode="source", **options)).ready()
        if options.get("viewport") == PHONE:
            desk.page.locator("[data-tab=source]").click()
        desk.source.click()
        desk.page.keyboard.press("Control+a")
        desk.page.keyboard.insert_text(text)
        desk.page.locator("[data-mode=form]").click()
        return desk

    return start


def _find_content(desk: EditorPage, part: str):
    return desk.page.get_by_role("textbox", name=f"Content of {part}")


def _open_menu(desk: EditorPage, part: str):
    card = desk.page.get_by_role("article", name=part, exact=True)
    card.locator(".form-handle > summary").click()
    return card


def _expect_order(desk: EditorPage, *parts: str) -> None:
    """Wait until the text has these parts alone, in this order."""
    lines = r"(?:(?!\n- name: )[\s\S])*"
    expect(desk.document).to_have_value(
        re.compile(f"^{lines}" + "".join(f"\n- name: {part}\n{lines}" for part in parts) + "$")
    )


def test_a_card_that_was_emptied_takes_what_is_typed_next(form):
    desk = form()
    content = _find_content(desk, "instructions")
    content.click()
    desk.page.keyboard.press("Control+a")
    desk.page.keyboard.press("Delete")
    expect(desk.page.locator("[data-preview]").first).not_to_contain_text("Be kind")
    expect(content).to_be_focused()
    desk.page.keyboard.type("Be brief.")
    expect(content).to_have_text("Be brief.")
    desk.expect_text("  content: |\n    Be brief.\n- name: question")


def test_typing_in_a_card_edits_the_source_and_the_preview_follows(form):
    desk = form()
    _find_content(desk, "question").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type(" And when?")
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.type("Say both.")
    desk.expect_text_end("- name: question\n  content: |\n    Why? And when?\n    Say both.\n")
    expect(desk.preview).to_contain_text("Say both.")


def test_an_input_is_inserted_at_the_cursor_and_shown_as_a_chip(form):
    desk = form()
    expect(desk.page.get_by_label("Kind of tone")).to_be_visible()  # the server has read what is declared
    _find_content(desk, "question").click()
    desk.page.keyboard.press("Home")
    card = desk.page.get_by_role("article", name="question")
    card.get_by_text("Insert an input").click()
    card.get_by_role("button", name="tone", exact=True).click()
    desk.expect_text("    {{ tone }}Why?\n")
    expect(_find_content(desk, "question").locator(".chip")).to_have_text("tone")


def test_braces_typed_before_an_input_swallow_nothing(form):
    desk = form(TEXT.replace("Be {{ tone }}.", "Question: {{ tone }}"))
    _find_content(desk, "instructions").click()
    desk.page.keyboard.press("Control+Home")
    desk.page.keyboard.type("{{ x }} ")
    desk.expect_text("    {{ x }} Question: {{ tone }}\n")


@pytest.mark.parametrize("trigger", ["{{ to", "/to"])
def test_braces_and_a_slash_offer_inputs(form, trigger):
    desk = form()
    expect(desk.page.get_by_label("Kind of tone")).to_be_visible()
    _find_content(desk, "question").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type(f" {trigger}")
    expect(desk.page.locator(".cm-tooltip-autocomplete [aria-selected]")).to_contain_text("tone")
    desk.page.wait_for_timeout(OFFER_IS_SEEN)
    desk.page.keyboard.press("Enter")
    desk.expect_text("    Why? {{ tone }}\n")


@pytest.mark.parametrize("trigger", ["{{", "/"])
def test_enter_takes_the_first_row_without_an_arrow_key(form, trigger):
    desk = form()
    _find_content(desk, "question").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type(f" {trigger}")
    first = desk.page.locator(".cm-tooltip-autocomplete [aria-selected] .cm-completionLabel")
    expect(first).to_be_visible()
    name = first.inner_text()
    desk.page.wait_for_timeout(OFFER_IS_SEEN)
    desk.page.keyboard.press("Enter")
    desk.expect_text(f"    Why? {{{{ {name} }}}}\n")


def test_a_slash_that_nobody_meant_stays_a_slash_after_escape_and_before_a_space(form):
    desk = form()
    _find_content(desk, "question").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type(" /")
    expect(desk.page.locator(".cm-tooltip-autocomplete")).to_be_visible()
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.type("yes / no")
    expect(desk.page.locator(".cm-tooltip-autocomplete")).to_have_count(0)
    desk.page.keyboard.press("Enter")
    desk.page.keyboard.type("and/or")
    desk.expect_text("    Why? /\n    yes / no\n    and/or\n")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_of_inputs_has_the_colours_of_the_theme(form, scheme):
    desk = form(color_scheme=scheme)
    _find_content(desk, "question").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type(" {{")
    expect(desk.page.locator(".cm-tooltip-autocomplete")).to_be_visible()
    colours = """element => {
        const probe = document.createElement("div");
        document.body.append(probe);
        const token = name => (probe.style.color = `var(--${name})`, getComputedStyle(probe).color);
        const row = element.querySelector("[aria-selected]");
        const found = [
            getComputedStyle(element).backgroundColor === token("sheet"),
            getComputedStyle(element).color === token("ink"),
            getComputedStyle(row).backgroundColor === token("accent-wash"),
            getComputedStyle(row).color === token("ink"),
        ];
        probe.remove();
        return found;
    }"""
    assert desk.page.locator(".cm-tooltip-autocomplete").evaluate(colours) == [True] * 4


def test_a_fragment_is_offered_by_its_pinned_name(form):
    desk = form()
    _find_content(desk, "question").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type(" /policy")
    option = desk.page.locator(".cm-tooltip-autocomplete [aria-selected]")
    expect(option).to_contain_text("support/policy@")
    desk.page.wait_for_timeout(OFFER_IS_SEEN)
    desk.page.keyboard.press("Enter")
    expect(desk.document).to_have_value(re.compile(r'Why\? \{\{ fragment\("support/policy@\d+"\) \}\}'))


def test_a_removed_part_comes_back_with_undo_and_so_does_typing_after_a_look_at_the_source(form):
    desk = form()
    before = desk.text
    _open_menu(desk, "question").get_by_role("button", name="Remove").click()
    desk.expect_no_text("question")
    desk.page.locator("#status").get_by_role("button", name="Undo").click()
    desk.expect_whole_text(before)
    _find_content(desk, "question").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.insert_text(" And when?")  # one step of undo, however slow the machine is
    desk.page.locator("[data-mode=source]").click()
    desk.page.locator("[data-mode=form]").click()
    _find_content(desk, "instructions").click()
    desk.page.keyboard.press("Control+z")
    desk.expect_whole_text(before)
    desk.page.keyboard.press("Control+Shift+z")
    desk.expect_text("And when?")
    desk.page.keyboard.press("Control+z")
    desk.page.keyboard.press("Control+y")
    desk.expect_text("And when?")


def test_one_key_takes_a_chip_out_whole(form):
    desk = form()
    _find_content(desk, "instructions").click()
    desk.page.keyboard.press("End")
    desk.page.keyboard.press("Backspace")
    desk.page.keyboard.press("Backspace")
    desk.expect_text("    Be \n")


def test_role_priority_and_name_are_chosen_without_yaml(form):
    desk = form()
    page = desk.page
    page.get_by_label("Role of question").select_option("assistant")
    page.get_by_label("When question may be cut").select_option("2")
    name = page.get_by_role("article", name="question").get_by_label("Name of the part")
    name.fill("true")
    name.press("Tab")
    desk.expect_text('- name: "true"\n')
    desk.expect_text("\n  role: assistant\n")
    desk.expect_text("\n  truncation_priority: 2\n")


def test_parts_change_places_also_after_typing(form):
    desk = form()
    _find_content(desk, "instructions").click()
    desk.page.keyboard.type("Please: ")
    _open_menu(desk, "question").get_by_role("button", name="Move up").click()
    desk.expect_text('---\n- name: question\n  content: "Why?"\n- name: instructions\n')
    assert desk.text.count("Please: ") == 1


THREE = TEXT + "- name: closing\n  content: Thanks.\n"


def test_a_part_is_moved_by_keys_and_keeps_the_focus(form):
    desk = form(THREE)
    handle = desk.page.get_by_role("article", name="closing").locator(".form-handle > summary")
    handle.focus()
    desk.page.keyboard.press("Alt+ArrowUp")
    _expect_order(desk, "instructions", "closing", "question")
    expect(handle).to_be_focused()
    desk.page.keyboard.press("Alt+ArrowUp")
    desk.page.keyboard.press("Alt+ArrowUp")  # the first has nothing above it
    _expect_order(desk, "closing", "instructions", "question")
    expect(handle).to_be_focused()
    desk.page.keyboard.press("Alt+ArrowDown")
    _expect_order(desk, "instructions", "closing", "question")
    desk.page.keyboard.press("Control+z")
    desk.page.keyboard.press("Control+z")
    desk.page.keyboard.press("Control+z")
    desk.expect_whole_text(THREE)


def test_a_part_is_dragged_over_several_others(form):
    desk = form(THREE)
    handle = desk.page.get_by_role("article", name="instructions").locator(".form-handle > summary")
    handle.drag_to(desk.page.get_by_role("article", name="closing"))
    _expect_order(desk, "question", "closing", "instructions")


def test_a_card_says_its_tokens_and_a_loop_their_sum(form):
    loop = "{% for place in ['north', 'south'] %}\n- name: place {{ loop.index }}\n  content: Go.\n{% endfor %}\n"
    desk = form(TEXT + loop)
    expect(desk.page.get_by_role("article", name="question").locator(".form-size")).to_have_text("2 tokens")
    expect(desk.page.locator(".form-section-head .form-size")).to_have_text("2 in this sample, 4 tokens")


def test_the_settings_are_edited_without_yaml(form):
    desk = form()
    page = desk.page
    page.locator(".form-head").get_by_role("button", name="Settings").click()
    expect(page.get_by_label("Description")).to_be_focused()
    page.keyboard.type('Answers: "why" & when')
    page.get_by_label("Tags").fill("refunds, by mail")
    page.get_by_role("combobox", name="Model", exact=True).fill("gpt-4o")
    page.get_by_label("Token limit").fill("6000")
    page.get_by_label("Kept for the reply").fill("800")
    page.get_by_label("Temperature").fill("0.2")
    page.get_by_label("Temperature").press("Tab")
    desk.expect_text(
        '---\ndescription: "Answers: \\"why\\" & when"\ntags: [refunds, "by mail"]\nmodel: gpt-4o\n'
        "settings: {temperature: 0.2}\ntoken_limit: 6000\nreserve: 800\ninputs:\n"
    )
    summary = page.locator(".form-settings summary")
    expect(summary).to_contain_text("gpt-4o, 6,000 tokens, less 800 for the reply, temperature 0.2, output is text")
    expect(page.get_by_text("takes up to 128,000 tokens")).to_be_visible()
    page.get_by_label("Token limit").fill("many")
    page.get_by_label("Token limit").press("Tab")
    expect(page.get_by_text("Enter a whole number of at least 1.")).to_be_visible()
    desk.expect_text("token_limit: 6000\n")


def test_a_loop_inside_a_content_reads_as_words(form):
    prose = "{% for name in names %}\n    * {{ name }}\n    {% endfor %}\n    Bye."
    desk = form(TEXT.replace("Be {{ tone }}.", prose))
    card = desk.page.get_by_role("article", name="instructions")
    expect(card.locator(".form-statement").first).to_have_text("Repeats for each of names")
    expect(card.locator(".form-nested")).to_have_count(1)


def test_an_input_that_is_made_optional_is_empty_if_nobody_sends_it(form):
    desk = form()
    page = desk.page
    page.get_by_label("Name of the new input").fill("place")
    page.get_by_role("button", name="Add an input").click()
    page.get_by_label("place is required").uncheck()
    desk.expect_text('  place: {type: string, default: ""}\n')
    page.get_by_label("tone is required").check()
    desk.expect_text("  tone: {type: string}\n")


def test_a_part_is_added_ready_to_be_written_over_and_taken_out(form):
    desk = form()
    desk.page.get_by_role("button", name="Add a part").click()
    desk.page.keyboard.type("Closing words")
    desk.expect_text_end("- name: part 3\n  role: user\n  content: |\n    Closing words\n")
    _open_menu(desk, "part 3").get_by_role("button", name="Remove").click()
    desk.expect_whole_text(TEXT)


def test_inputs_are_declared_in_the_table(form):
    desk = form()
    page = desk.page
    page.get_by_label("Name of the new input").fill("order_id")
    page.get_by_role("button", name="Add an input").click()
    page.get_by_label("Most characters of order_id").fill("20")
    page.get_by_label("Most characters of order_id").press("Tab")
    expect(page.get_by_label("order_id is untrusted")).not_to_be_checked()
    page.get_by_label("order_id is untrusted").check()
    desk.expect_text("  order_id: {type: string, maxLength: 20, untrusted: true}\n")


def test_text_typed_in_the_table_stays_when_the_response_arrives(form):
    desk = form()
    page = desk.page
    expect(page.get_by_label("Kind of tone")).to_be_visible()
    page.locator("[data-mode=source]").click()
    held: list[Route] = []

    def hold(route: Route) -> None:  # the library sets an attribute on it, which a method of a list refuses
        held.append(route)

    page.route("**/preview", hold)
    desk.replace("default: kind}", "default: kind}\n  place: {type: string}")
    page.locator("[data-mode=form]").click()
    page.get_by_label("Name of the new input").fill("order_id")
    page.get_by_label("Value of tone if missing").fill("warm")
    wait_until_held(page, held)  # the editor asks when the typing pauses
    with page.expect_response("**/preview"):
        page.unroute("**/preview", hold)  # lets the held requests go
    expect(page.get_by_label("Kind of place")).to_have_count(0)  # not under the typing hand
    expect(page.get_by_label("Value of tone if missing")).to_have_value("warm")
    page.get_by_label("Value of tone if missing").press("Tab")
    expect(page.get_by_label("Kind of place")).to_be_visible()
    expect(page.get_by_label("Name of the new input")).to_have_value("order_id")
    desk.expect_text("default: warm")


def test_a_click_after_typing_in_the_table_is_not_lost(form):
    desk = form()
    page = desk.page
    expect(page.get_by_label("Kind of tone")).to_be_visible()
    page.get_by_label("Most characters of tone").click()
    page.keyboard.type("20")
    page.get_by_label("tone is untrusted").click()
    expect(page.get_by_label("tone is untrusted")).to_be_checked()
    page.get_by_label("Value of tone if missing").click()
    page.keyboard.type("er")
    page.get_by_role("button", name="Remove the input tone").focus()
    desk.expect_text("  tone: {type: string, maxLength: 20, untrusted: true, default: kinder}\n")


def test_a_problem_is_under_its_part_with_its_fix(form):
    desk = form(TEXT.replace("Be {{ tone }}.", '{{ fragment("support/refunds/reply@production") }}'))
    card = desk.page.get_by_role("article", name="instructions")
    fix = card.locator(".cm-problem-error").get_by_role("button")
    expect(fix).to_be_visible()
    expect(card.locator(".chip-wrong")).to_have_count(1)
    fix.click()
    expect(card.locator(".chip-wrong")).to_have_count(0)
    expect(card.locator(".chip-fragment")).to_have_text(re.compile(r"support/refunds/reply@\d+"))


def test_a_part_that_the_form_cannot_show_opens_in_the_source(form):
    desk = form("- name: a\n  content: |\n    x\n{% if true %}\n    y\n{% endif %}\n")
    expect(desk.page.locator(".form-refusal")).to_contain_text("Line 5")
    desk.page.get_by_role("button", name="Edit it as source").click()
    expect(desk.source).to_be_focused()


def test_a_shaped_document_opens_in_the_source_and_says_why(visit: Visit):
    page = visit.open("author", "/t/demo/question-answering/-/edit")
    EditorPage(page).ready()
    expect(page.locator("[data-mode=source]")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("The form can't show the format shaped yet.")).to_be_visible()
    expect(page.locator("[data-mode=form]")).to_have_attribute("aria-disabled", "true")


def test_the_form_comes_first_and_a_choice_is_remembered(visit: Visit):
    page = visit.open("author", "/")
    page.evaluate("localStorage.removeItem('editor-mode')")
    page.context.add_init_script("if (!sessionStorage.seen) { localStorage.removeItem('editor-mode'); }")
    page.goto("/t/demo/summarise/-/edit")
    expect(page.locator("[data-mode=form]")).to_have_attribute("aria-pressed", "true")
    page.evaluate("sessionStorage.seen = 1")
    page.locator("[data-mode=source]").click()
    page.reload()
    expect(page.locator("[data-mode=source]")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_no_barrier_in_the_form(form, viewport, theme):
    desk = form(viewport=viewport, color_scheme=theme)
    expect(desk.page.get_by_role("article", name="question")).to_be_visible()
    desk.page.evaluate("scrollTo(0, 0)")  # what the bar at the top covers in part is no small target
    assert list_barriers(desk.page) == []
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_table_of_inputs_fits_the_narrow_pane_of_run(form):
    desk = form()
    desk.page.get_by_role("link", name="Run", exact=True).click()
    table = desk.page.locator(".form-inputs")
    for field in (table.get_by_role("checkbox", name="tone is required"), table.get_by_role("textbox").last):
        field.scroll_into_view_if_needed()
        expect(field).to_be_in_viewport(ratio=1)
    scroll = desk.page.locator(".form-declared .table-scroll")
    assert scroll.evaluate("box => box.scrollWidth <= box.clientWidth"), "no field lies beyond the pane"
