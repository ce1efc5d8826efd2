"""Typed fields for lists and groups in the grid, removed rows, hidden columns, and malformed files."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Visit
from tests.browser.test_dataset_grid import find_cell, open_new
from tests.browser.test_evaluation import check_layout

NEW = "/d/new?in=support&for=support/refunds/reply"
ROW: dict[str, Any] = {
    "id": "late",
    "inputs": {"customer": {"name": "Nord"}, "excerpts": ["Unworn goods only.", "By post."], "question": "Boots?"},
}


def load(page: Page, name: str, content: bytes) -> None:
    page.get_by_label("From a file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})


def open_rows(visit: Visit, *, phone: bool = False, row: dict[str, Any] = ROW) -> Page:
    page = visit.open("author", NEW, viewport=PHONE if phone else DESKTOP)
    expect(page.get_by_role("grid")).to_be_visible()
    load(page, "rows.jsonl", json.dumps(row).encode())
    expect(page.get_by_role("rowheader", name="late")).to_be_visible()
    return page


def find_value(page: Page, name: str) -> Locator:
    """The cell of the row `late` in a column."""
    return page.locator(f'tr[data-row] [data-column="inputs.{name}"]')


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_list_and_a_group_are_edited_in_fields_and_as_json_on_request(visit: Visit, phone):
    page = open_rows(visit, phone=phone)
    expect(find_value(page, "excerpts")).to_contain_text("Unworn goods only. 2 items")
    find_value(page, "excerpts").dblclick()
    dialog = page.get_by_role("dialog", name="late, excerpts")
    dialog.get_by_role("textbox", name="excerpts, item 1").fill("Worn goods too.")
    dialog.get_by_role("button", name="Add an item").click()
    dialog.get_by_role("textbox", name="excerpts, item 3").fill("Within 30 days.")
    check_layout(page, PHONE if phone else DESKTOP)
    dialog.get_by_role("button", name="Done").click()
    expect(find_value(page, "excerpts")).to_contain_text("Worn goods too. 3 items")
    expect(find_value(page, "excerpts")).to_be_focused()

    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Edit as JSON").click()
    source = page.get_by_role("textbox", name="late, excerpts")
    expect(source).to_have_value('["Worn goods too.","By post.","Within 30 days."]')
    source.fill('["One."]')
    source.press("Enter")
    expect(find_value(page, "excerpts")).to_contain_text("One. 1 item")

    find_value(page, "customer").dblclick()
    dialog = page.get_by_role("dialog", name="late, customer")
    dialog.get_by_role("textbox", name="name").fill("Süd")
    page.keyboard.press("Escape")
    expect(find_value(page, "customer")).to_have_text("name: Nord")
    find_value(page, "customer").dblclick()
    page.get_by_role("dialog").get_by_role("textbox", name="name").fill("Süd")
    page.get_by_role("dialog").get_by_role("button", name="Done").click()
    expect(find_value(page, "customer")).to_have_text("name: Süd")


def test_a_list_that_the_file_lacks_is_given_for_all_rows_in_fields(visit: Visit):
    page = open_rows(visit)
    load(page, "more.csv", b"id,question\nnew,Hats?\n")
    panel = page.locator("[data-import]")
    given = panel.get_by_label("excerpts", exact=True)
    given.click()
    dialog = page.get_by_role("dialog", name="excerpts, one value for all rows")
    dialog.get_by_role("button", name="Add an item").click()
    dialog.get_by_role("textbox", name="excerpts, item 1").fill("Unworn goods only.")
    dialog.get_by_role("button", name="Done").click()
    expect(given).to_have_text("Unworn goods only. 1 item")
    check_layout(page, DESKTOP)
    given.click()
    dialog.get_by_role("button", name="Edit as JSON").click()
    typed = panel.get_by_role("textbox", name="excerpts", exact=True)
    expect(typed).to_have_value('["Unworn goods only."]')
    typed.fill('["By post.","Unworn."]')
    typed.press("Tab")
    panel.get_by_role("button", name="Add 1 row").click()
    expect(page.locator('tr[data-row] [data-column="inputs.excerpts"]').last).to_contain_text("By post. 2 items")


def test_a_tag_that_is_chosen_leaves_the_rows_that_have_it(visit: Visit):
    page = open_rows(visit, row={**ROW, "tags": ["sale"]})
    page.get_by_label("Tag", exact=True).select_option("sale")
    expect(page.get_by_role("rowheader", name="late")).to_be_visible()
    page.get_by_label("Search rows").fill("nothing like it")
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_label("Tag", exact=True)).to_have_value("")


def test_a_value_that_fields_would_change_is_edited_as_json(visit: Visit):
    row = {**ROW, "inputs": {**ROW["inputs"], "excerpts": "no list"}}
    page = open_rows(visit, row=row)
    find_value(page, "excerpts").dblclick()
    expect(page.get_by_role("textbox", name="late, excerpts")).to_have_value('"no list"')


def test_known_tags_are_suggested_for_the_tag_that_is_typed(visit: Visit):
    page = open_rows(visit, row={**ROW, "tags": ["sale", "gift card"]})
    page.locator("tr[data-row] [data-column=tags]").dblclick()
    field = page.get_by_role("combobox", name="late, Tags")
    field.fill("sale, ")
    offered = page.locator("#grid-cell-suggestions option")
    expect(offered).to_have_count(1)
    expect(offered).to_have_attribute("value", "sale, gift card")
    field.fill("sale, late")
    field.press("Enter")
    expect(page.locator("tr[data-row] .is-tags .badge")).to_have_text(["sale", "late"])


def test_removed_rows_are_struck_out_until_they_are_saved_and_can_be_put_back(visit: Visit):
    page = open_new(visit, "grid-removed", 3)
    page.get_by_role("button", name="Save as version 1").click()
    expect(page.locator("h1")).to_contain_text("grid-removed")
    page.goto("/d/support/grid-removed/-/edit")
    find_cell(page, "r-1", 1).click()
    page.get_by_role("button", name="Remove", exact=True).click()
    gone = page.locator("tr.is-removed")
    expect(gone).to_contain_text("Boots 1?")
    expect(page.get_by_role("rowheader")).to_contain_text(["r-0", "r-1removed", "r-2"])
    expect(page.get_by_role("button", name="All 2")).to_be_visible()
    check_layout(page, DESKTOP)
    page.get_by_role("button", name="Changed 1").click()
    expect(gone).to_be_visible()
    gone.get_by_role("button", name="Put r-1 back").click()
    page.get_by_role("button", name="All 3").click()
    expect(page.get_by_role("rowheader")).to_have_text(["r-0", "r-1", "r-2"])
    find_cell(page, "r-1", 1).click()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator("main")).to_contain_text("Version 2, 2 rows")


def test_a_hidden_column_stays_hidden_in_this_browser_and_keeps_its_values(visit: Visit):
    page = open_new(visit, "grid-hidden", 2)
    page.get_by_role("button", name="Save as version 1").click()
    expect(page.locator("h1")).to_contain_text("grid-hidden")
    page.goto("/d/support/grid-hidden/-/edit")
    page.locator("[data-columns] summary").click()
    page.get_by_role("checkbox", name="days").uncheck()
    expect(page.get_by_role("columnheader", name="days")).to_be_hidden()
    check_layout(page, DESKTOP)
    page.reload()
    expect(page.locator("[data-columns] summary")).to_have_text("Columns, 1 hidden")
    expect(page.get_by_role("columnheader")).to_contain_text(["Row", "question", "answer", "Tags"])
    find_cell(page, "r-0", 1).click()
    page.keyboard.type("Hats?")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator("main")).to_contain_text("Hats?")
    assert '"days":1' in page.request.get("/d/support/grid-hidden/-/rows.jsonl").text().replace(" ", "")


def test_a_broken_line_has_to_be_skipped_and_the_first_row_may_be_no_head(visit: Visit):
    page = open_new(visit, "grid-broken", 2)
    load(page, "bad.csv", b'id,question,days\nnew,Hats?,4\nopen,"Shoes?,5\n')
    panel = page.locator("[data-import]")
    expect(panel).to_contain_text('A quote is opened and never closed. open,"Shoes?,5')
    expect(panel.get_by_role("button", name="Add 1 row")).to_have_attribute("aria-disabled", "true")
    check_layout(page, DESKTOP)
    panel.get_by_role("button", name="Skip line 3").click()
    expect(panel.get_by_role("status")).to_have_text("1 row ready. 1 row is skipped.")
    expect(panel.get_by_role("button", name="Add 1 row")).to_be_focused()

    with page.expect_file_chooser() as chooser:
        panel.get_by_role("button", name="Choose another file").click()
    chooser.value.set_files({"name": "plain.csv", "mimeType": "text/csv", "buffer": b"r-8,Gloves?,8\nr-9,Scarf?,9\n"})
    expect(panel).to_contain_text("plain.csv, 1 row")
    panel.get_by_role("checkbox", name="The first row has column names").uncheck()
    expect(panel).to_contain_text("plain.csv, 2 rows")
    for number, target in (("1", "Row name"), ("2", "question"), ("3", "days")):
        panel.get_by_label(f"Column column_{number} becomes").select_option(target)
    panel.get_by_role("button", name="Add 2 rows").click()
    expect(find_cell(page, "r-8", 1)).to_have_text("Gloves?")
