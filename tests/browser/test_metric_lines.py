"""Charts of nightly metrics: reading each night's figure by pointer and by keyboard."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit


def test_a_line_shows_the_figure_of_each_night_by_pointer_and_by_keys(visit: Visit):
    page = visit.open("reader", "/runs/?template=support/refunds/decision")
    line = page.get_by_role("slider", name="refund-decisions: Same answer")
    words = line.locator("[data-trend-text]")
    newest = re.compile(r"^\d{4}-\d\d-\d\d: 0[.]\d+,\s+v\d$")
    expect(words).to_be_hidden()
    line.hover(position={"x": 120, "y": 16})
    expect(words).to_have_text(newest)
    told = words.inner_text()
    page.mouse.move(0, 0)
    expect(words).to_be_hidden()

    line.focus()
    expect(line).to_have_attribute("aria-valuetext", re.compile(re.escape(told[:10])))
    page.keyboard.press("Home")
    expect(line).to_have_attribute("aria-valuenow", "1")
    assert words.inner_text()[:10] < told[:10], "the first night is earlier"
    page.keyboard.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuenow", "2")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/\d+$"))
