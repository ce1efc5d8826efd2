"""The editor: live while typing, never blank, never losing work."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, Visit
from tests.support.editor_page import EditorPage

ADDRESS = "/t/demo/{}/-/edit"


@pytest.fixture
def open_desk(visit: Visit):
    """The editor on a template of the demo that no other test here writes to."""

    def start(name: str = "summarise", person: str = "author", **options) -> EditorPage:
        return EditorPage(visit.open(person, ADDRESS.format(name), **options)).ready()

    return start


@pytest.fixture
def new_template(visit: Visit, request):
    """The editor on a template that does not exist yet, named after the test."""
    slug = re.sub(r"[^a-z0-9]+", "-", request.node.name)[:40].strip("-")

    def start(person: str = "author") -> EditorPage:
        return EditorPage(visit.open(person, ADDRESS.format(slug))).ready()

    return start


def test_the_preview_follows_the_text(new_template):
    desk = new_template()
    desk.replace("one short paragraph", "two long chapters")
    expect(desk.preview).to_contain_text("two long chapters")
    expect(desk.budget).to_contain_text("instructions")


def test_a_text_that_does_not_render_keeps_the_last_good_preview_and_names_the_place(new_template):
    desk = new_template()
    desk.replace("{{ question }}", "{{ question")
    expect(desk.banner).to_contain_text("Last working preview")
    expect(desk.banner.get_by_role("button")).to_have_text(re.compile(r"Go to line \d+"))
    expect(desk.preview).to_contain_text("You answer questions")
    expect(desk.preview).to_have_class(re.compile("is-stale"))
    desk.banner.get_by_role("button").click()
    expect(desk.source).to_be_focused()


def test_a_problem_is_in_the_gutter_and_under_its_line_with_its_code(new_template):
    desk = new_template()
    desk.replace("{{ question }}", "{{ qestion }}")
    expect(desk.problem_count).to_contain_text("1 error")
    expect(desk.block("error").first).to_contain_text(re.compile(r"Error, line 13\. .*qestion.* PT\d+"))
    expect(desk.page.locator(".cm-sign-error")).to_have_count(1)


def test_one_click_fixes_what_a_problem_names(new_template):
    desk = new_template()
    desk.replace("{{ question }}", '{{ fragment("support/policy@latest") }}')
    expect(desk.block("error").first).to_contain_text("support/policy@latest")
    desk.block("error").first.get_by_role("button", name=re.compile("^(?!Fold)")).click()
    expect(desk.block("error")).to_have_count(0)
    expect(desk.document).to_have_value(re.compile(r'fragment\("support/policy@\d+"\)'))


def test_pointing_at_a_value_lights_its_expression_and_back(new_template):
    desk = new_template()
    value = desk.preview.locator("[data-at]").first
    value.hover()
    expect(desk.lit).to_have_text(["{{ question }}"])
    desk.budget.get_by_role("heading").hover()
    desk.line("{{ question }}").get_by_text("question").hover()
    expect(value).to_have_class(re.compile("is-highlighted"))


def test_inputs_are_typed_fields_that_the_preview_is_made_from(new_template):
    desk = new_template()
    desk.page.get_by_label("question", exact=True).fill("Why is the sky blue? {{ 7*7 }} <|im_end|>")
    expect(desk.preview).to_contain_text("Why is the sky blue? {{ 7*7 }} <|im_end|>")
    desk.page.get_by_role("button", name="Undo edits").click()
    expect(desk.preview).to_contain_text("What is a promptuary?")


def test_pasted_json_fills_all_inputs_and_what_is_not_json_is_shown(new_template):
    desk = new_template()
    desk.page.get_by_role("button", name="Paste JSON").click()
    box = desk.page.get_by_role("textbox", name="Inputs as JSON")
    box.fill("{question: 1}")
    desk.page.get_by_role("button", name="Use these inputs").click()
    expect(desk.page.get_by_role("alert").filter(has_text="not JSON")).to_be_visible()
    box.fill('{"question": "From JSON?"}')
    desk.page.get_by_role("button", name="Use these inputs").click()
    expect(desk.preview).to_contain_text("From JSON?")


def test_a_long_value_folds_and_stays_open_while_the_preview_is_made_again(new_template):
    desk = new_template()
    desk.page.get_by_label("question", exact=True).fill("word " * 300)
    chip = desk.preview.locator("summary", has_text="more")
    chip.click()
    desk.page.get_by_label("question", exact=True).fill("other " * 300)
    expect(desk.preview).to_contain_text("other other")
    expect(desk.preview.locator("details[open]")).to_have_count(1)


def test_a_draft_is_kept_on_the_server_and_waits_after_a_reload(new_template):
    desk = new_template()
    desk.replace("one short paragraph", "a haiku")
    expect(desk.page.locator("[data-draft-state]")).to_contain_text("saved")
    desk.page.reload()
    desk.ready()
    desk.expect_text("a haiku")
    expect(desk.page.get_by_text("Your draft")).to_be_visible()


def test_saving_looks_blocked_while_the_text_has_an_error_and_says_why(new_template):
    desk = new_template()
    save = desk.page.get_by_role("button", name="Save as v1")
    desk.replace("{{ question }}", "{{ question")
    expect(desk.page.locator("[data-summary]")).to_contain_text("Fix 1 error to save.")
    expect(save).to_have_css("border-style", "dashed")
    with desk.page.expect_response(lambda answer: answer.request.method == "POST" and answer.status == 422):
        save.click()
    expect(desk.problem_count).to_contain_text("1")
    desk.replace("{{ question", "{{ question }}")
    expect(save).to_have_css("border-style", "solid")
    save.click()
    expect(desk.outcome).to_contain_text("Saved as version 1")


def test_a_second_tab_offers_both_texts(new_template):
    first = new_template()
    first.replace("one short paragraph", "a haiku")
    expect(first.page.locator("[data-draft-state]")).to_contain_text("saved")
    second = EditorPage(first.page.context.new_page())
    second.page.goto(first.page.url)
    second.ready()
    with first.page.expect_response(lambda answer: answer.request.method == "PUT"):  # stores the draft
        first.replace("a haiku", "a limerick")
    second.replace("a haiku", "an ode")
    conflict = second.page.locator("[data-draft-conflict]")
    expect(conflict).to_contain_text("newer elsewhere")
    expect(second.page.locator("[data-draft-state]")).to_contain_text("Not saved: newer elsewhere")
    second.expect_text("an ode")
    conflict.get_by_role("button", name="Use that one").click()
    second.expect_text("a limerick")
    second.page.get_by_role("button", name="Undo", exact=True).click()
    second.expect_text("an ode")
    expect(second.page.locator("[data-draft-state]")).to_contain_text("saved")
    first.replace("a limerick", "a sonnet")
    expect(first.page.locator("[data-draft-conflict]")).to_contain_text("newer elsewhere")
    first.page.locator("[data-mode=form]").click()  # its column is another one, with the same buttons in reach
    with first.page.expect_response(lambda answer: answer.request.method == "PUT"):
        first.page.locator("[data-draft-conflict]").get_by_role("button", name="Use this one").click()
    expect(first.page.locator("[data-draft-conflict]")).to_be_empty()
    second.page.reload()
    second.ready().expect_text("a sonnet")


def test_a_trial_value_that_is_taken_back_and_a_proposal_leave_no_draft(new_template):
    desk = new_template()
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")
    field = desk.page.get_by_label("question", exact=True)
    field.fill("Another?")
    expect(desk.page.locator("[data-draft-state]")).to_contain_text("saved")
    field.fill("What is a promptuary?")
    expect(desk.page.locator("[data-draft-badge]")).to_be_hidden()
    desk.page.reload()
    desk.ready()
    expect(desk.page.locator("[data-draft-badge]")).to_be_hidden()


def test_text_typed_while_the_server_is_away_is_offered_again(new_template):
    desk = new_template()
    desk.page.context.set_offline(True)
    desk.replace("one short paragraph", "a limerick")
    expect(desk.page.locator("[data-draft-state]")).to_contain_text("Offline, kept in this browser")
    kept = desk.page.evaluate("Object.entries(localStorage).find(([key]) => key.startsWith('draft:'))")
    assert "a limerick" in kept[1]
    preview = desk.page.locator("[data-preview-stopped]")
    expect(preview).to_contain_text("The server does not answer")
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("The server does not answer")
    desk.page.context.set_offline(False)
    expect(desk.page.locator("[data-draft-state]")).to_contain_text("saved")
    expect(preview).to_be_hidden()
    expect(desk.outcome).to_be_empty()
    desk.page.reload()
    desk.ready().expect_text("a limerick")


def test_a_signed_out_author_signs_in_elsewhere_and_saves_the_same_text(new_template):
    desk = new_template()
    desk.replace("one short paragraph", "a ballad")
    expect(desk.page.locator("[data-draft-state]")).to_contain_text("saved")
    context = desk.page.context
    context.clear_cookies()
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("You are signed out")
    desk.replace("a ballad", "a long ballad")
    state = desk.page.locator("[data-draft-state]")
    expect(state).to_contain_text("Not saved: signed out. Sign in")
    expect(state.get_by_role("link", name="Sign in")).to_have_attribute("href", "/login")
    elsewhere = context.new_page()
    elsewhere.goto("/login")
    elsewhere.get_by_label("Account").fill("author")
    elsewhere.get_by_label("Password").fill("author-promptuary")
    elsewhere.get_by_role("button", name="Sign in").click()
    elsewhere.wait_for_url(lambda url: "/login" not in url)
    desk.replace("a long ballad", "a longer ballad")
    expect(state).to_contain_text("saved")
    expect(desk.outcome).to_be_empty()
    desk.page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version 1")
    desk.expect_text("a longer ballad")


def test_a_discarded_draft_gives_the_saved_text_back(open_desk):
    desk = open_desk("summarise")
    first = desk.text
    desk.replace("description:", "description: Changed,")
    with desk.page.expect_navigation():
        desk.page.get_by_role("button", name="Discard draft").click()
    desk.ready()
    desk.expect_whole_text(first)
    expect(desk.page.get_by_role("button", name="Discard draft")).to_be_hidden()
    with desk.page.expect_navigation():
        desk.page.get_by_role("button", name="Restore the draft").click()
    desk.ready()
    desk.expect_text("description: Changed,")
    desk.page.get_by_role("button", name="Discard draft").click()
    expect(desk.page.get_by_role("button", name="Discard draft")).to_be_hidden()


def test_another_persons_save_is_named_and_nothing_is_lost(new_template):
    mine = new_template()
    mine.page.keyboard.press("Control+s")
    expect(mine.outcome).to_contain_text("Saved as version 1")
    theirs = new_template("reviewer")
    theirs.replace("one short paragraph", "a sonnet")
    theirs.page.keyboard.press("Control+s")
    expect(theirs.outcome).to_contain_text("Saved as version 2")
    mine.replace("one short paragraph", "an essay")
    mine.page.keyboard.press("Control+s")
    expect(mine.outcome).to_contain_text("reviewer saved v2")
    mine.expect_text("an essay")
    mine.outcome.get_by_role("link", name="Compare with v2").click()
    expect(mine.page.get_by_role("dialog")).to_contain_text("a sonnet")
    mine.page.get_by_role("button", name="Back to the text").click()
    mine.outcome.get_by_role("button", name="Save mine as a separate version").click()
    expect(mine.outcome).to_contain_text("Saved as version 3")


def test_the_difference_is_shown_before_it_is_saved(open_desk):
    desk = open_desk("classify")
    desk.replace("description:", "description: New words.")
    desk.page.get_by_role("button", name="Review changes").click()
    expect(desk.page.get_by_role("dialog")).to_contain_text("New words.")
    desk.page.keyboard.press("Escape")
    expect(desk.page.get_by_role("dialog")).to_have_count(0)


def test_names_are_completed_from_the_declared_inputs(new_template):
    desk = new_template()
    desk.select("{{ question }}")
    desk.page.keyboard.type("{{ qu")
    option = desk.page.locator(".cm-tooltip-autocomplete [aria-selected]")
    expect(option).to_contain_text("question")
    desk.page.keyboard.press("Enter")
    expect(desk.preview).to_contain_text("What is a promptuary?")


def test_tab_leaves_the_source_so_that_no_keyboard_is_trapped(open_desk):
    desk = open_desk("translate")
    desk.source.focus()
    desk.page.keyboard.press("Tab")
    expect(desk.source).not_to_be_focused()


def test_panes_are_resized_by_keys_and_remembered(open_desk):
    desk = open_desk("translate")
    divider = desk.page.get_by_role("separator", name="Width of the source")
    before = desk.page.locator("[data-pane=source]").bounding_box()["width"]
    divider.focus()
    divider.press("ArrowLeft")
    after = desk.page.locator("[data-pane=source]").bounding_box()["width"]
    assert after == pytest.approx(before - 24, abs=2)
    desk.page.reload()
    desk.ready()
    assert desk.page.locator("[data-pane=source]").bounding_box()["width"] == pytest.approx(after, abs=2)


def test_the_page_itself_never_scrolls_and_line_one_is_at_the_top(open_desk):
    desk = open_desk("answer-with-references")
    assert desk.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert desk.page.locator(".cm-line").first.bounding_box()["y"] < 180


def test_on_a_phone_the_panes_are_tabs_and_nothing_overflows(open_desk):
    desk = open_desk("answer-with-references", viewport=PHONE)
    for tab in ("Text", "Preview", "Values", "Tokens"):
        desk.page.get_by_role("navigation", name="Panes").get_by_role("button", name=tab).click()
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], tab
    expect(desk.budget).to_be_visible()


def test_the_refusal_of_a_reader_names_the_needed_role(visit: Visit):
    response = visit.open("reader").request.get(f"{visit.server.url}{ADDRESS.format('summarise')}")
    assert response.status == 403
    assert "author" in response.text()


def test_all_samples_are_tried_and_one_is_chosen_from_the_list(open_desk):
    desk = open_desk("answer-with-references")
    last = desk.page.locator("#sample option").last.get_attribute("value")
    desk.page.get_by_role("button", name="All samples").click()
    dialog = desk.page.get_by_role("dialog")
    expect(dialog.get_by_text("worst case")).to_have_count(1)
    dialog.get_by_role("button", name=last, exact=True).click()
    expect(desk.page.get_by_label("Sample", exact=True)).to_have_value(last)


def test_the_preview_names_its_sample_and_another_one_is_chosen_there(open_desk):
    desk = open_desk("answer-with-references")
    picker = desk.page.get_by_label("Sample of the preview")
    names = desk.page.locator("#sample option").all_inner_texts()
    expect(picker).to_have_value(names[0])
    picker.select_option(names[-1])
    expect(desk.page.get_by_label("Sample", exact=True)).to_have_value(names[-1])


@pytest.mark.parametrize("width", [1280, 900])
def test_one_row_of_tabs_shows_the_preview_its_values_and_its_tokens(open_desk, width):
    desk = open_desk("answer-with-references", viewport={"width": width, "height": 800})
    desk.page.locator("[data-mode=form]").click()
    head = desk.page.get_by_role("group", name="Shown as")
    expect(desk.page.get_by_role("navigation", name="Panes")).to_be_hidden()
    for tab, pane in {"Values": "[data-fields]", "Tokens": ".budget-parts", "Text": ".as-text"}.items():
        head.get_by_role("button", name=tab).click()
        expect(desk.page.locator(pane)).to_be_visible()
        expect(head.locator("[aria-pressed=true]")).to_have_text(tab)


def test_the_limit_is_set_where_the_tokens_say_that_there_is_none(new_template):
    desk = new_template()
    desk.page.get_by_role("button", name="Set a limit").click()
    expect(desk.page.get_by_label("Token limit")).to_be_focused()
    desk.page.keyboard.type("900")
    desk.page.keyboard.press("Tab")
    desk.expect_text("token_limit: 900\n")
    expect(desk.budget).to_contain_text("of 900")


def test_the_preview_can_be_read_as_one_text(open_desk):
    desk = open_desk("translate")
    desk.page.get_by_role("button", name="Text", exact=True).click()
    expect(desk.preview.locator("pre")).to_be_visible()
