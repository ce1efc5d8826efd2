"""The values of a sample in the view Samples: moving between samples, token counts, reordering lists."""

import json
from uuid import uuid4

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PHONE, Visit, wait_until_held
from tests.support.accessibility import list_barriers
from tests.support.editor_page import EditorPage

DOCUMENT = """---
token_limit: 900
reserve: 100
inputs:
  question: {type: string}
  excerpts: {type: array, items: {type: string}}
  items:
    type: array
    items: {type: object, properties: {title: {type: string}, count: {type: integer}}, required: [title]}
  customer: {type: object, properties: {name: {type: string}}, required: [name]}
  urgent: {type: boolean, default: false}
---
- name: ask
  role: user
  content: |
    {{ customer.name }} asks: {{ question }}{% if urgent %} Be quick.{% endif %}
    {% for excerpt in excerpts %}- {{ excerpt }}
    {% endfor %}{% for item in items %}{{ item.count }} {{ item.title }}
    {% endfor %}
"""
LONG = {
    "question": "Where are my boots?",
    "excerpts": ["first", "second", "third"],
    "items": [{"title": "boots", "count": 2}, {"title": "laces", "count": 1}],
    "customer": {"name": "Ada"},
}
SHORT = {"question": "Who pays?", "excerpts": [], "items": [], "customer": {"name": "Bo"}}
SAMPLES = [("long", LONG), ("short", SHORT), ("lacking", {"question": "And me?"})]
PUT = """async ([address, body]) => {
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const headers = {"Content-Type": "application/json", "X-CSRFToken": token};
    return (await fetch(address, {method: "PUT", headers, body})).status;
}"""


@pytest.fixture
def open_samples(visit: Visit):
    """Opens the view Samples on a new template with three samples; options are those of a window."""

    def open_page(samples=SAMPLES, **options) -> Page:
        address = f"/t/demo/samples-{uuid4().hex[:12]}/-/edit"
        page = visit.open("author", address, **options)
        order = [name for name, _ in samples]
        body = {"document": DOCUMENT, "base": "", "message": "", "samples": dict(samples), "sampleOrder": order}
        assert page.evaluate(PUT, [f"{address}/draft", json.dumps(body)]) == 200
        page.goto(f"{address}?view=edit")
        EditorPage(page).ready()
        page.keyboard.press("Alt+3")
        expect(list_names(page)).to_have_text([name for name, _ in samples])
        return page

    return open_page


def list_names(page: Page):
    return page.locator("[data-samples] tbody th [data-choose]")


def expect_excerpts(page: Page, *excerpts: str) -> None:
    """Wait until the list has these items alone, in this order."""
    areas = page.locator("#input-excerpts textarea")
    expect(areas).to_have_count(len(excerpts))
    for index, excerpt in enumerate(excerpts):
        expect(areas.nth(index)).to_have_value(excerpt)


def test_the_panel_steps_through_the_samples_and_stays_in_its_field(open_samples):
    page = open_samples()
    place = page.locator("[data-sample-place]")
    expect(place).to_have_text("1 of 3")
    page.get_by_role("button", name="Next sample").click()
    expect(place).to_have_text("2 of 3")
    expect(list_names(page).nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("]")
    expect(place).to_have_text("3 of 3")
    page.keyboard.press("]")
    expect(place).to_have_text("1 of 3")
    page.keyboard.press("[")
    expect(place).to_have_text("3 of 3")
    question = page.get_by_label("question", exact=True)
    question.fill("Really [1]")
    question.press("]")
    expect(place).to_have_text("3 of 3")
    expect(question).to_have_value("Really [1]]")
    question.press("Alt+PageUp")
    expect(question).to_have_value("Who pays?")
    expect(question).to_be_focused()
    question.press("Alt+PageDown")
    expect(question).to_have_value("Really [1]]")
    question.press("Escape")
    expect(list_names(page).nth(2)).to_be_focused()
    assert list_barriers(page) == []


def test_a_list_that_was_asked_for_earlier_marks_the_sample_that_was_selected_since(open_samples):
    page = open_samples()
    question = page.get_by_label("question", exact=True)
    held: list[Route] = []

    def hold_list(route: Route) -> None:
        """Hold the list, and what follows: without the answer of the preview no newer list is asked for."""
        if held or (route.request.post_data_json or {}).get("want") == "samples":
            held.append(route)
        else:
            route.continue_()

    page.route("**/-/edit/preview*", hold_list)
    question.fill("Where are they?")
    wait_until_held(page, held)
    question.press("Alt+PageDown")
    expect(list_names(page).nth(1)).to_have_attribute("aria-current", "true")
    page.locator("[data-samples] tbody").evaluate("body => body.setAttribute('data-old', '')")
    held[0].continue_()
    expect(page.locator("[data-samples] tbody[data-old]")).to_have_count(0)
    expect(list_names(page)).to_have_count(3)
    question.press("Escape")
    expect(list_names(page).nth(1)).to_be_focused()


def test_the_line_below_the_values_counts_the_tokens_of_the_sample(open_samples):
    page = open_samples()
    line = page.get_by_role("group", name="Tokens of this sample")
    expect(line).to_contain_text("of 800")
    expect(line.locator("svg.budget-total")).to_be_visible()
    page.get_by_label("question", exact=True).fill("Where are my boots? " * 400)
    expect(line).to_contain_text("not counted: ")
    expect(line.locator("svg")).to_have_count(0)
    page.get_by_label("question", exact=True).fill("And my boots?")
    expect(line.locator("svg.budget-total")).to_be_visible()
    list_names(page).last.click()
    expect(line).to_contain_text("not counted: no value for")
    expect(line.locator("svg")).to_have_count(0)
    assert list_barriers(page) == []


def test_edits_are_counted_until_they_are_undone_or_saved(open_samples):
    page = open_samples()
    facts = page.locator("[data-sample-edits]")
    expect(facts).to_have_text("not saved yet")
    list_names(page).last.focus()
    page.keyboard.press("Delete")
    expect(list_names(page)).to_have_count(2)
    page.get_by_role("button", name="Save as v1").click()
    expect(page.locator("[data-outcome]")).to_contain_text("Saved as version 1")
    expect(facts).to_be_empty()
    page.get_by_role("button", name="yes", exact=True).click()
    expect(facts).to_have_text("1 value differs from what is saved")
    expect(page.locator("[data-fields]")).to_contain_text("default no")
    page.get_by_label("name", exact=True).fill("Eve")
    expect(facts).to_have_text("2 values differ from what is saved")
    expect(page.get_by_role("group", name="customer")).to_contain_text("was ")
    page.locator("[data-sample-head]").get_by_role("button", name="Undo edits").click()
    expect(facts).to_be_empty()
    expect(page.locator("[data-sample-head]").get_by_role("button", name="Undo edits")).to_be_hidden()


def test_items_of_a_list_are_moved_by_keys_by_menu_and_by_dragging(open_samples):
    page = open_samples()
    items = page.locator("#input-excerpts textarea")
    items.first.focus()
    page.keyboard.press("Alt+ArrowDown")
    expect_excerpts(page, "second", "first", "third")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    expect_excerpts(page, "second", "third", "first")
    handle = page.get_by_label("Move or remove item 3 of excerpts")
    handle.press("Enter")
    assert list_barriers(page) == []
    page.locator("#input-excerpts").get_by_role("button", name="Move up").press("Enter")
    expect_excerpts(page, "second", "first", "third")
    expect(page.get_by_label("Move or remove item 2 of excerpts")).to_be_focused()
    page.get_by_label("Move or remove item 3 of excerpts").drag_to(page.locator("#input-excerpts .list-row").first)
    expect_excerpts(page, "third", "second", "first")
    page.get_by_label("Move or remove item 2 of excerpts").press("Delete")
    expect_excerpts(page, "third", "first")
    expect(list_names(page)).to_have_count(3)
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect_excerpts(page, "third", "second", "first")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.get_by_role("button", name="Undo", exact=True).first.click()
    expect_excerpts(page, "second", "first", "third")
    page.reload()
    EditorPage(page).ready()
    page.keyboard.press("Alt+3")
    expect_excerpts(page, "second", "first", "third")


def test_a_list_of_groups_has_a_small_form_for_each_item(open_samples):
    page = open_samples()
    titles = page.locator("#input-items").get_by_label("title", exact=True)
    expect(titles.first).to_have_value("boots")
    titles.first.fill("red boots")
    page.keyboard.press("Alt+ArrowDown")
    expect(titles.nth(1)).to_have_value("red boots")
    expect(titles.nth(1)).to_be_focused()
    page.locator("#input-items").get_by_role("button", name="Add an item").click()
    expect(titles.nth(2)).to_be_focused()
    page.keyboard.type("socks")
    page.get_by_role("button", name="Edit as JSON").click()
    written = json.loads(page.get_by_role("dialog").get_by_role("textbox").input_value())["long"]["items"]
    assert written == [{"title": "laces", "count": 1}, {"title": "red boots", "count": 2}, {"title": "socks"}]
    page.keyboard.press("Escape")
    assert list_barriers(page) == []


def test_a_required_list_can_be_left_empty_and_others_keep_what_fits_no_kind(open_samples):
    odd = {**SHORT, "excerpts": ["a", 2]}
    page = open_samples([("lacking", {"question": "And me?"}), ("odd", odd)])
    page.locator("#input-excerpts").get_by_role("button", name="Leave it empty").click()
    expect(page.locator("#input-excerpts .list-first")).to_have_text("empty")
    expect(page.locator("#input-excerpts-add")).to_be_focused()
    list_names(page).last.click()
    area = page.get_by_role("textbox", name="excerpts", exact=True)
    expect(area).to_have_value('[\n  "a",\n  2\n]')
    area.fill("[1,")
    expect(page.locator("[data-fields]").get_by_role("alert")).to_contain_text("Not JSON yet")
    area.fill('["a"]')
    expect(page.locator("[data-fields]").get_by_role("alert")).to_have_count(0)


def test_samples_whose_names_are_whole_numbers_are_put_in_order(open_samples):
    page = open_samples([("2", SHORT), ("late", SHORT), ("1", LONG)])
    names = list_names(page)
    names.last.focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(names).to_have_text(["2", "1", "late"])
    page.keyboard.press("Alt+ArrowUp")
    expect(names).to_have_text(["1", "2", "late"])
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(names).to_have_text(["2", "1", "late"])
    page.get_by_role("button", name="Save as v1").click()
    expect(page.locator("[data-outcome]")).to_contain_text("Saved as version 1")
    page.reload()
    EditorPage(page).ready()
    page.keyboard.press("Alt+3")
    expect(names).to_have_text(["2", "1", "late"])


def test_on_a_phone_a_sample_is_named_stepped_and_its_list_put_in_order(open_samples):
    page = open_samples(viewport=PHONE, has_touch=True)
    page.get_by_role("button", name="Add sample").click()
    name = page.get_by_role("textbox", name="Name of the sample")
    expect(name).to_be_focused()
    name.fill("from a phone")
    name.press("Enter")
    expect(page.get_by_label("question", exact=True)).to_be_focused()
    page.get_by_role("button", name="Next sample").click()
    expect(name).to_have_value("long")
    assert list_barriers(page) == []
    page.get_by_label("Move or remove item 1 of excerpts").click()
    page.locator("#input-excerpts").get_by_role("button", name="Move down").click()
    expect_excerpts(page, "second", "first", "third")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
