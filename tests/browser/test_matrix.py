"""Two runs of the demo side by side: from a run's page to the rows that got worse and the evidence of one."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, Visit
from tests.browser.test_evaluation import check_layout

NAME = "support/refunds/decision"


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_two_runs_are_side_by_side_down_to_one_row(visit: Visit, viewport):
    page = visit.open("author", f"/runs/?template={NAME}&state=done", viewport=viewport)
    page.get_by_role("link", name=re.compile("^Run [0-9]+$")).last.click()
    page.get_by_role("link", name="Side by side").click()
    columns = page.get_by_role("region", name="Averages").get_by_role("columnheader", include_hidden=True)
    expect(columns.first).to_be_visible()
    if columns.count() < 3:  # the metric, and one run so far
        if viewport == PHONE:
            page.locator("summary", has_text="More").filter(visible=True).click()
            page.get_by_role("link", name=re.compile(r"^Add run \d+: v\d+, ")).last.click()
        else:
            page.get_by_role("button", name="Add column").click()
    expect(columns).to_have_count(3)
    if viewport == PHONE:  # one run at a time
        expect(columns.filter(visible=True)).to_have_count(2)
        page.get_by_role("navigation", name="Column shown").get_by_role("link").first.click()
        expect(columns.nth(1)).to_be_visible()
        expect(columns.nth(2)).to_be_hidden()
        tabs = page.get_by_role("navigation", name="Column shown")
        page.get_by_role("table").last.get_by_role("row").last.scroll_into_view_if_needed()
        expect(tabs).to_be_in_viewport()
        scrolled = page.evaluate("window.scrollY")
        tabs.get_by_role("link").last.click()
        expect(tabs.get_by_role("link").last).to_be_focused()
        expect(tabs.get_by_role("link").last).to_have_attribute("aria-current", "true")
        assert abs(page.evaluate("window.scrollY") - scrolled) < 200, "the page stays where it was"
        expect(columns.nth(2)).to_be_visible()
    check_layout(page, viewport)

    changed = page.get_by_role("navigation", name="Rows shown").get_by_role("link")
    shown = [tab for tab in ("Regressions", "Improvements") if f"{tab} 0" not in " ".join(changed.all_inner_texts())]
    page.get_by_role("link", name=re.compile(shown[0])).click()
    page.get_by_role("row").get_by_role("link").last.click()
    panel = page.get_by_role("complementary", name=re.compile("^Row "))
    expect(panel.get_by_role("region", name=re.compile("^Reply of run"))).to_have_count(2)
    check_layout(page, viewport)
    panel.get_by_role("link", name="What the model read, and all evidence").last.click()
    expect(page.locator("main")).to_contain_text("What the model read")
