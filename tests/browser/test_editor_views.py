"""Edit, Run and Samples: three views of one draft."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit, wait_until_held
from tests.support.accessibility import list_barriers
from tests.support.editor_page import EditorPage

REPLY = "/t/support/refunds/reply/-/edit"


@pytest.fixture
def new_draft(visit: Visit, request):
    """The editor on a template that does not exist yet, named after the test."""
    slug = re.sub(r"[^a-z0-9]+", "-", request.node.name)[:40].strip("-")
    return EditorPage(visit.open("author", f"/t/demo/{slug}/-/edit")).ready()


def test_the_draft_and_its_undo_history_are_one_in_all_views(new_draft):
    new_draft.replace("one short paragraph", "a haiku")
    new_draft.page.keyboard.press("Alt+2")
    expect(new_draft.page.get_by_role("link", name="Run", exact=True)).to_have_attribute("aria-current", "page")
    new_draft.expect_text("a haiku")
    new_draft.replace("a haiku", "a sonnet")
    undo = new_draft.page.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_have_attribute("title", re.compile(r"Undo .+ \(Ctrl Z\)"))
    undo.click()
    redo = new_draft.page.get_by_role("button", name="Redo", exact=True)
    expect(redo).to_have_attribute("title", re.compile(r"Redo .+ \(Ctrl Shift Z, Ctrl Y\)"))
    new_draft.page.keyboard.press("Alt+1")
    new_draft.expect_text("a haiku")
    new_draft.page.get_by_role("button", name="Undo", exact=True).click()
    new_draft.expect_text("one short paragraph")


def test_the_view_stays_over_a_reload(visit: Visit):
    page = visit.open("author", REPLY)
    EditorPage(page).ready()
    page.get_by_role("link", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?view=run$"))
    page.reload()
    expect(page.locator("[data-play-run]")).to_be_visible()
    expect(page.get_by_role("region", name="What the model reads")).to_be_hidden()


def test_samples_shows_the_text_on_each_and_follows_the_values(visit: Visit):
    page = visit.open("author", REPLY)
    EditorPage(page).ready()
    page.keyboard.press("Alt+3")
    rows = page.locator("[data-samples] tbody tr")
    expect(rows).to_have_count(page.locator("#sample option").count())
    last = rows.last.get_by_role("button")
    name = last.inner_text()
    last.click()
    expect(page.get_by_label("Sample", exact=True)).to_have_value(name)
    expect(rows.last).to_contain_text("shown now")


def test_samples_stay_open_when_the_page_is_loaded_again(visit: Visit):
    page = visit.open("author", REPLY)
    EditorPage(page).ready()
    page.keyboard.press("Alt+3")
    page.reload()
    expect(page.locator("[data-samples] tbody tr").first).to_be_visible()


def test_samples_are_added_renamed_and_removed_by_keyboard_alone(new_draft):
    page = new_draft.page
    page.keyboard.press("Alt+3")
    rows = page.locator("[data-samples] tbody th [data-choose]")
    expect(rows.first).to_be_visible()
    count = rows.count()
    rows.first.focus()
    page.keyboard.press("n")
    expect(rows).to_have_count(count + 1)
    expect(page.locator("[data-samples]")).to_contain_text("is missing")
    name = page.get_by_role("textbox", name="Name of the sample")
    expect(name).to_be_focused()
    page.keyboard.type("fresh")
    page.keyboard.press("Enter")
    expect(rows.last).to_have_text("fresh")
    expect(rows.last).to_be_focused()
    page.keyboard.press("F2")
    expect(name).to_be_focused()
    page.keyboard.type(rows.first.inner_text())
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="There is already a sample called")).to_be_visible()
    page.keyboard.press("Escape")
    expect(name).to_have_value("fresh")
    name.fill(" ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="A sample needs a name.")).to_be_visible()
    name.fill("an empty one")
    page.keyboard.press("Enter")
    expect(rows.last).to_have_text("an empty one")
    expect(rows.last).to_be_focused()
    page.get_by_role("button", name="Enter a value").click()
    expect(page.locator("[data-fields] :focus")).to_have_count(1)
    rows.last.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("question", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(rows.last).to_be_focused()
    page.keyboard.press("Delete")
    expect(rows).to_have_count(count)
    assert list_barriers(page) == []


def test_enter_in_a_field_presses_no_button_of_the_form(new_draft):
    new_draft.replace("one short paragraph", "a haiku")
    expect(new_draft.page.locator("[data-draft-state]")).to_contain_text("saved")
    new_draft.message.press("Enter")
    new_draft.page.keyboard.press("Alt+2")
    settings = new_draft.page.locator(".play-controls summary").first
    settings.click()
    new_draft.page.get_by_label("Seed").first.press("Enter")
    expect(new_draft.page.get_by_text("Your draft", exact=True)).to_be_visible()
    new_draft.expect_text("a haiku")


def test_a_fix_keeps_the_focus_when_the_preview_brings_another_one_above_it(new_draft):
    page = new_draft.page
    page.keyboard.press("Alt+3")
    page.get_by_role("button", name="Add sample").click()
    page.keyboard.press("Alt+1")
    optional = page.get_by_role("button", name="Make it optional")
    optional.wait_for()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/-/edit/preview*", hold)
    new_draft.replace("{{ question }}", "{{ question }} {{ customer }}")
    optional.focus()
    wait_until_held(page, held)
    page.unroute("**/-/edit/preview*", hold)  # lets the held requests go
    expect(page.get_by_role("button", name="Declare it")).to_be_visible()
    expect(optional).to_be_focused()
    page.keyboard.press("Enter")
    new_draft.expect_text('  question: {type: string, maxLength: 4000, untrusted: true, default: ""}\n')
    new_draft.expect_no_text("  customer: ")


def test_without_scripts_run_says_what_it_needs_and_the_form_works(visit: Visit):
    page = visit.open("author", f"{REPLY}?view=run", java_script_enabled=False)
    expect(page.get_by_text("Trying the draft with a model needs JavaScript")).to_be_visible()
    expect(page.locator("[data-play-run]")).to_be_hidden()
    expect(page.get_by_role("button", name="Check and preview")).to_be_visible()
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.get_by_label("Inputs as one JSON object")).to_be_visible()


def test_a_sample_is_previewed_and_run_from_the_list(new_draft):
    page = new_draft.page
    page.keyboard.press("Alt+3")
    page.get_by_role("link", name="Run this sample").press("Enter")
    expect(page.get_by_role("link", name="Run", exact=True)).to_be_focused()
    expect(page.locator("[data-play-run]")).to_be_visible()
    page.keyboard.press("Alt+3")
    page.get_by_role("link", name="Preview", exact=True).click()
    expect(page.get_by_role("link", name="Edit", exact=True)).to_be_focused()
    expect(page.get_by_role("region", name="What the model reads")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/-/edit$"))


def test_samples_are_copied_set_for_all_and_edited_as_json(new_draft):
    page = new_draft.page
    page.keyboard.press("Alt+3")
    rows = page.locator("[data-samples] tbody th [data-choose]")
    expect(rows).to_have_text(["first sample"])
    page.get_by_role("button", name="Add a copy of “first sample”").click()
    expect(rows).to_have_text(["first sample", "first sample 2"])
    rows.last.focus()
    page.keyboard.press("n")
    expect(rows).to_have_count(3)
    page.get_by_role("textbox", name="Value of question for all samples").fill("Who pays the postage?")
    page.keyboard.press("Enter")
    expect(page.locator("[data-samples] tbody")).to_contain_text("Who pays the postage?")
    expect(page.get_by_role("button", name="Set for all")).to_have_count(0)
    page.get_by_role("button", name="Edit as JSON").click()
    dialog = page.get_by_role("dialog", name="Samples as JSON")
    area = dialog.get_by_role("textbox")
    area.fill('{"gift": "none"}')
    dialog.get_by_role("button", name="Use these samples").click()
    expect(dialog.get_by_role("alert")).to_have_text("The values of the sample gift must be an object.")
    area.fill('{"gift": {"question": "May I return a gift?", "tone": "warm"}}')
    dialog.get_by_role("button", name="Use these samples").click()
    expect(rows).to_have_text(["gift"])
    assert list_barriers(page) == []
    page.get_by_role("button", name="Remove it from 1 sample").click()
    expect(page.locator("#status")).to_contain_text("Removed tone from 1 sample.")
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(page.get_by_role("button", name="Remove it from 1 sample")).to_be_visible()


def list_names(page):
    return page.locator("[data-samples] tbody th [data-choose]")


def test_samples_are_put_in_order_by_keys_by_menu_and_by_dragging(new_draft):
    page = new_draft.page
    page.keyboard.press("Alt+3")
    names = list_names(page)
    page.get_by_role("button", name="Edit as JSON").click()
    dialog = page.get_by_role("dialog", name="Samples as JSON")
    dialog.get_by_role("textbox").fill('{"c": {"question": "C?"}, "a": {"question": "A?"}, "b": {"question": "B?"}}')
    dialog.get_by_role("button", name="Use these samples").click()
    expect(names).to_have_text(["c", "a", "b"])
    names.first.focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(names).to_have_text(["a", "c", "b"])
    expect(names.nth(1)).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect(names).to_have_text(["a", "b", "c"])
    expect(page.locator("#sample option")).to_have_text(["a", "b", "c"])
    page.get_by_label("Move or remove c").click()
    assert list_barriers(page) == []
    page.get_by_role("button", name="Move up").click()
    expect(names).to_have_text(["a", "c", "b"])
    page.get_by_label("Move or remove b").drag_to(page.locator("[data-samples] tbody tr").first)
    expect(names).to_have_text(["b", "a", "c"])
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(names).to_have_text(["a", "c", "b"])
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.get_by_role("button", name="Redo", exact=True).click()
        expect(names).to_have_text(["b", "a", "c"])
    page.reload()
    new_draft.ready()
    page.keyboard.press("Alt+3")
    expect(names).to_have_text(["b", "a", "c"])


def test_one_menu_of_a_row_is_open_at_a_time_and_escape_closes_it(new_draft):
    page = new_draft.page
    page.keyboard.press("Alt+3")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.get_by_role("button", name="Add sample").click()
    handles, opened = page.get_by_label(re.compile("^Move or remove ")), page.locator("[data-samples] .menu[open]")
    expect(handles).to_have_count(2)
    handles.first.press("Enter")
    expect(opened).to_have_count(1)
    handles.last.press("Enter")
    expect(page.locator("[data-samples] tr:last-child .menu[open]")).to_have_count(1)
    expect(opened).to_have_count(1)
    handles.last.press("Escape")
    expect(opened).to_have_count(0)
    expect(page.locator(":focus")).to_have_attribute("aria-label", "Move or remove sample 2")


def test_samples_are_taken_in_from_a_file_that_is_chosen_or_dropped(new_draft):
    page = new_draft.page
    page.keyboard.press("Alt+3")
    expect(list_names(page)).to_have_text(["first sample"])
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Import", exact=True).click()
    text = "id,Question,tone\nfirst sample,Who pays?,warm\ngift,May I return a gift?,warm\n"
    chosen.value.set_files({"name": "asked.csv", "mimeType": "text/csv", "buffer": text.encode()})
    dialog = page.get_by_role("dialog", name="Add samples from asked.csv")
    expect(dialog.get_by_role("status")).to_contain_text("2 rows. Not imported: tone.")
    expect(dialog).to_contain_text("question: May I return a gift?")
    assert list_barriers(page) == []
    dialog.get_by_role("button", name="Add 2 samples").press("Enter")
    expect(list_names(page)).to_have_text(["first sample", "first sample 2", "gift"])
    expect(page.locator("#status")).to_contain_text("Added 2 samples from asked.csv.")
    page.locator("#status").get_by_role("button", name="Undo").click()
    expect(list_names(page)).to_have_text(["first sample"])
    page.locator('[data-pane="samples"]').evaluate(
        """(pane) => {
            const carried = new DataTransfer();
            carried.items.add(new File(['{"tone": "warm"}'], "none.json"));
            pane.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
        }"""
    )
    foreign = page.get_by_role("dialog", name="Add samples from none.json")
    expect(foreign.get_by_role("status")).to_contain_text("No column is called like an input of the text.")
    expect(foreign.get_by_role("button", name="Add 1 sample")).to_have_attribute("aria-disabled", "true")
    column = foreign.get_by_label("Column tone becomes")
    expect(column).to_be_focused()
    column.select_option("question")
    expect(foreign).to_contain_text("question: warm")
    expect(column).to_be_focused()
    assert list_barriers(page) == []
    foreign.get_by_role("button", name="Add 1 sample").click()
    expect(list_names(page)).to_have_text(["first sample", "none 1"])
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Import", exact=True).click()
    chosen.value.set_files({"name": "more.csv", "mimeType": "text/csv", "buffer": b"tone\nformal\n"})
    again = page.get_by_role("dialog", name="Add samples from more.csv")
    expect(again.get_by_role("status")).to_contain_text("The columns are as you chose them.")
    expect(again).to_contain_text("question: formal")
    page.keyboard.press("Escape")
    expect(list_names(page)).to_have_text(["first sample", "none 1"])


def test_rows_of_a_dataset_are_ticked_and_become_samples(visit: Visit):
    page = visit.open("author", "/t/support/refunds/decision/-/edit")
    EditorPage(page).ready()
    page.keyboard.press("Alt+3")
    names = list_names(page)
    expect(names.first).to_be_visible()
    count = names.count()
    page.get_by_role("button", name="Add from a dataset").click()
    dialog = page.get_by_role("dialog", name="Add samples from a dataset")
    expect(dialog.get_by_role("combobox", name="Dataset")).to_be_focused()
    expect(dialog.get_by_role("combobox", name="Dataset")).to_have_value("support/refunds/requests")
    boxes = dialog.locator("tbody input")
    expect(boxes.first).to_be_visible()
    expect(dialog).to_contain_text("Tick the rows to add.")
    boxes.first.check()
    boxes.nth(1).check()
    expect(dialog.get_by_role("status")).to_contain_text("40 rows.")
    assert list_barriers(page) == []
    dialog.get_by_role("button", name="Add 2 samples").click()
    expect(names).to_have_count(count + 2)
    page.locator("#status").get_by_role("button", name="Undo").click()
    expect(names).to_have_count(count)
