"""The playground: a draft is run with a model, compared, and used, with the demo's own model server behind it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, Server, Visit, make_four_templates
from tests.support.run_page import RunPage

REPLY = "support/refunds/reply"
LIVE = "production"
DONE = re.compile("Text|Output valid")


@pytest.fixture
def open_run(visit: Visit):
    """Run of a template, with what can be chosen loaded."""

    def start(name: str = REPLY, person: str = "author", **options) -> RunPage:
        return RunPage(visit.open(person, f"/t/{name}/-/edit?view=run", **options)).ready()

    return start


@pytest.fixture
def new_run(open_run, request):
    """Run of a draft that was never saved, named after the test."""
    return open_run(f"demo/{re.sub(r'[^a-z0-9]+', '-', request.node.name)[:40].strip('-')}")


def fill_inputs(run: RunPage, values: str) -> None:
    """Paste these values, an object as JSON, into the panel of inputs."""
    run.page.get_by_role("button", name="Edit inputs").click()
    run.page.get_by_role("button", name="Paste JSON").click()
    run.page.get_by_role("textbox", name="Inputs as JSON").fill(values)
    run.page.get_by_role("button", name="Use these inputs").click()
    run.page.get_by_role("button", name="Close", exact=True).click()


RECORD_TEXTS = """element => {
    window.texts = [];
    const record = () => window.texts.push(element.textContent);
    new MutationObserver(record).observe(element, { childList: true, characterData: true, subtree: true });
}"""


def test_a_draft_that_was_never_saved_gets_a_streamed_reply_with_its_tokens_cost_and_time(new_run):
    column = new_run.column("This draft")
    column.verdict.evaluate(RECORD_TEXTS)
    new_run.run()
    expect(column.body.locator(".play-text")).to_contain_text("You answer")
    expect(column.verdict).to_have_text(DONE)
    assert "Writing" in new_run.page.evaluate("window.texts")
    expect(column.body).to_contain_text("This is the demo model.")
    expect(column.figures).to_contain_text(re.compile(r"Tokens in\d+.*Tokens out\d+.*Cost<?\$0.*Time[\d.]+ s"))
    expect(new_run.announcement).to_have_text(re.compile(r"This draft: done, \d+ tokens, text"))


def test_the_draft_and_production_are_compared_and_an_edit_says_which_reply_is_old(open_run):
    page = open_run()
    page.run()
    expect(page.column("This draft").verdict).to_have_text(DONE)
    expect(page.column(LIVE).verdict).to_have_text(DONE)
    page.replace("Quote the line", "Name the line")
    expect(page.column("This draft").stale).to_have_text("Draft changed since this run")
    expect(page.column(LIVE).stale).to_be_hidden()
    page.page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.column("This draft").stale).to_be_hidden()


def test_the_prompt_that_was_sent_can_be_read(new_run):
    column = new_run.column("This draft")
    new_run.run()
    expect(column.verdict).to_have_text(DONE)
    column.button("Prompt").click()
    expect(column.body).to_contain_text("What is a promptuary?")


def test_keys_alone_open_run_start_and_stop_it(visit: Visit):
    page = RunPage(visit.open("author", "/t/demo/summarise/-/edit"))
    page.page.locator("form.is-live").wait_for()
    page.page.keyboard.press("Alt+2")
    page.ready()
    # The reply quotes the sentence that is most like the sample: a long one, so that it is still written when it stops.
    page.replace("Add nothing", f"Add{' the bridge committee, the survey and the east pier, nor' * 20} anything")
    page.page.keyboard.press("Control+Enter")
    column = page.column("This draft")
    expect(column.verdict).to_have_text("Writing")
    expect(column.body).to_have_text(re.compile(r"\w"))  # else it says "Stopped" alone
    column.body.focus()
    page.page.keyboard.press("Escape")
    expect(column.verdict).to_have_text(re.compile("Stopped after"))
    expect(column.button("Add as dataset row")).to_be_visible()


def test_a_column_is_added_chosen_run_alone_and_removed(open_run):
    page = open_run()
    page.page.get_by_role("button", name="Add column").click()
    expect(page.columns).to_have_count(3)
    added = page.columns.nth(2)
    added.get_by_label("What this column runs").select_option("1")
    column = page.column("v1")
    column.model.select_option("echo")
    column.choose("Run this column")
    expect(column.verdict).to_have_text(DONE)
    expect(column.body).to_contain_text("walking boots")
    expect(page.column("This draft").body).to_contain_text("Run this draft to see")
    column.choose("Remove column")
    expect(page.columns).to_have_count(2)


def test_settings_of_a_column_cut_the_reply(new_run):
    column = new_run.column("This draft")
    column.element.locator(".play-controls summary").click()
    column.element.get_by_label("Longest reply, in tokens").fill("5")
    new_run.page.keyboard.press("Escape")
    new_run.run()
    expect(column.verdict).to_have_text("Cut off at the limit of 5")


def test_a_missing_value_stops_the_run_and_its_link_leads_to_the_field(new_run):
    fill_inputs(new_run, "{}")
    reason = new_run.reason.get_by_role("button", name="question needs a value")
    reason.click()
    expect(new_run.page.get_by_role("textbox", name="question", exact=True)).to_be_focused()
    new_run.page.keyboard.type("Why?")
    expect(new_run.reason).to_be_empty()


def test_an_error_in_the_text_stops_the_run_and_its_link_leads_there(new_run):
    new_run.replace("{{ question }}", "{{ question")
    new_run.reason.get_by_role("button", name=re.compile(r"Fix \d error")).click()
    expect(new_run.source).to_be_focused()
    expect(new_run.run_button).to_have_attribute("aria-disabled", "true")


def test_inputs_become_a_sample_of_the_draft(new_run):
    new_run.page.get_by_role("button", name="Save as sample").last.click()
    new_run.page.get_by_label("Name of the new sample").fill("another one")
    new_run.page.keyboard.press("Enter")
    expect(new_run.page.get_by_label("Sample to run")).to_have_value("another one")
    expect(new_run.page.locator("[data-sample-count]")).to_have_text("2")


def test_a_reply_in_json_is_shown_field_by_field(open_run):
    page = open_run("demo/extract")
    page.run()
    column = page.column("This draft")
    expect(column.verdict).to_have_text(re.compile("Output valid|invalid"))
    expect(column.body.locator(".play-field dt b").first).to_have_text("invoice_number")
    column.button("Raw").click()
    expect(column.body.locator("pre")).to_contain_text('{"invoice_number":')


def test_raw_marks_where_a_reply_stops_being_json(open_run):
    page = open_run("demo/extract")
    for words in ("one JSON object", "as JSON arrays", "the JSON object"):  # of which the demo's model reads
        page.replace(words, words.replace("JSON ", ""))
    page.run()
    column = page.column("This draft")
    expect(column.verdict).to_have_text("Not JSON")
    expect(column.body.locator("pre mark")).to_have_attribute("title", "Here it stops being JSON")


def test_a_tool_that_the_model_asks_for_is_shown_with_what_it_is_given(open_run):
    page = open_run("demo/agent-with-tools")
    page.page.get_by_label("Sample to run").select_option("first step")
    page.run()
    column = page.column("This draft")
    expect(column.verdict).to_have_text("1 tool call")
    expect(column.body.locator(".play-tool")).to_contain_text(re.compile(r"Calls search.*How many days of leave"))


def test_a_reply_becomes_a_row_of_a_dataset(open_run):
    page = open_run("support/refunds/answer")
    fill_inputs(page, '{"query": "Who pays the postage?", "documents": [{"content": "The shop pays."}]}')
    page.run()
    column = page.column("This draft")
    column.button("Add as dataset row").click()
    dialog = page.page.get_by_role("dialog", name="Add as dataset row")
    dialog.get_by_label("Dataset", exact=True).select_option("support/refunds/questions")
    dialog.get_by_label("Name of the row").fill("from the playground")
    dialog.get_by_label("Expected reply").fill("The shop pays.")
    dialog.get_by_role("button", name="Add row").click()
    expect(dialog).to_be_hidden()
    page.page.get_by_role("link", name="Open the dataset").click()
    expect(page.page).to_have_url(re.compile("/d/support/"))


def test_the_draft_of_an_earlier_run_is_restored(new_run):
    new_run.run()
    expect(new_run.column("This draft").verdict).to_have_text(DONE)
    new_run.replace("one short paragraph", "a haiku")
    expect(new_run.page.locator("[data-draft-state]")).to_contain_text("saved")
    new_run.page.reload()
    new_run.ready()
    new_run.history.get_by_role("button", name=re.compile("^Open")).first.click()
    expect(new_run.column("This draft").body).to_contain_text("This is the demo model.")
    new_run.history.get_by_role("button", name=re.compile("^Restore draft")).first.click()
    expect(new_run.page.get_by_role("button", name=re.compile("Restore the draft you discarded"))).to_be_visible()
    new_run.ready()
    new_run.expect_text("one short paragraph")


def test_where_runs_are_not_stored_no_draft_is_offered_again(open_run, visit: Visit, server: Server):
    make_four_templates(server, "forgetful")
    admin = visit.open("admin", "/n/forgetful/rules")
    admin.get_by_role("checkbox", name=re.compile("^Runs are not stored")).check()
    admin.get_by_role("button", name="Save rules").click()
    expect(admin.locator("main")).to_contain_text("not stored")
    page = open_run("forgetful/refunds/reply")
    page.run()
    expect(page.column("This draft").verdict).to_have_text(DONE)
    expect(page.history).to_contain_text("the texts of runs are not stored here")
    expect(page.history.get_by_text("shown above")).to_be_visible()
    expect(page.history.get_by_role("button", name=re.compile("^Restore draft"))).to_have_count(0)


def test_a_version_becomes_the_draft_in_one_click(open_run):
    page = open_run("support/refunds/answer")
    page.columns.nth(1).get_by_label("What this column runs").select_option("1")
    page.column("v1").choose("Use as draft")
    expect(page.page.get_by_role("status").filter(has_text="Your draft has the text of v1 now")).to_be_visible()
    expect(page.run_button).to_be_visible()


def test_on_a_phone_one_column_is_shown_and_a_switch_shows_the_other(open_run):
    page = open_run(viewport=PHONE)
    expect(page.column("This draft").element).to_be_visible()
    expect(page.column(LIVE).element).to_be_hidden()
    page.page.get_by_role("group", name="Column shown").get_by_role("button", name=re.compile(LIVE)).click()
    expect(page.column(LIVE).element).to_be_visible()
    expect(page.column("This draft").element).to_be_hidden()
    assert page.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    expect(page.page.locator(".play-cost")).to_contain_text("today")
    for button in page.page.locator(".play-start .button").all():  # the bar is fixed: what passes its edge is lost
        box = button.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"] - 8


def test_on_a_phone_a_select_shows_one_of_many_columns(open_run):
    page = open_run(viewport=PHONE)
    page.page.get_by_role("button", name="Add column").click()
    choice = page.page.get_by_role("combobox", name="Column shown")
    expect(choice.get_by_role("option")).to_have_count(3)
    expect(choice.get_by_role("option").nth(1)).to_contain_text(LIVE)
    choice.select_option(index=1)
    expect(page.column(LIVE).element).to_be_visible()
    expect(page.column("This draft").element).to_be_hidden()
    choice.select_option(index=0)
    expect(page.column(LIVE).element).to_be_hidden()
    page.run_button.click()
    expect(choice.get_by_role("option").first).to_have_text("This draft: Text")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_columns_run_on_rows_of_a_dataset_after_the_cost_was_said(open_run):
    page = open_run("support/refunds/answer", person="reviewer")  # who has no earlier runs
    page.page.get_by_role("button", name="Run on rows").click()
    dialog = page.page.get_by_role("dialog", name="Run on rows of a dataset")
    dialog.get_by_label("Dataset").select_option("support/refunds/questions")
    expect(dialog).to_contain_text(
        re.compile(r"\d+ rows of \d+, \d+ calls. Up to <?\$0.* for all of them."), timeout=20_000
    )
    dialog.get_by_role("button", name="Run these rows").click()
    rows = page.page.get_by_role("region", name=re.compile("^Rows of "))
    expect(rows.get_by_role("button", name="Close")).to_be_visible(timeout=60_000)
    expect(rows.locator("tbody .play-verdict[data-kind=busy]")).to_have_count(0)
    expect(rows).to_contain_text("This is the demo model.")
    rows.locator("tbody th button").first.click()
    expect(page.column("This draft").body).to_contain_text("may come back within 14 days")
    page.page.reload()
    page.ready()
    expect(page.history).to_be_hidden()
