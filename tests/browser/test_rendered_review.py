"""A reviewer reads what the model reads: Rendered first, a suggestion there, and a long diff by keyboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit

KIND = "You help Harbour Books. Be kind and brief."
FEW_TABS = 12  # from the diff to the first button that decides, whatever its length


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    """The change of a prompt of 300 lines, each of which it changes."""
    return f"/changes/{server.run_program('browser_rendered_data.py', timeout=240).split()[-1]}"


def test_a_long_diff_is_one_tab_stop_and_the_decision_is_a_few_tabs_away(visit: Visit, address: str):
    for view in ("rendered", "source"):
        page = visit.open("reviewer", f"{address}?view={view}")
        expect(page.locator(f".diff-{view} a.diff-number").nth(299)).to_be_attached()
        stops = press_tab_until(page, "#decide button, #decide a.button")
        in_diff = [stop for stop in stops if stop.startswith("diff")]
        assert len(in_diff) == 1, in_diff
        assert len(stops) - stops.index(in_diff[0]) <= FEW_TABS, stops


def test_arrows_move_inside_the_diff_and_the_form_comes_back_to_its_line(visit: Visit, address: str):
    page = visit.open("reviewer", address)
    expect(page.locator(".diff-rendered")).to_be_visible()
    page.keyboard.press("n")
    expect(find_focused(page)).to_have_text(re.compile(r"^\s*1,"))
    page.keyboard.press("ArrowDown")
    expect(find_focused(page)).to_have_text(re.compile(r"^\s*2,"))
    page.keyboard.press("End")
    expect(find_focused(page)).to_have_text(re.compile(r"^\s*301,"))
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    expect(page.get_by_label("About line 2")).to_be_focused()
    page.keyboard.type("Which house?")
    page.keyboard.press("Escape")
    expect(page.locator("#comment-form")).to_have_count(0)
    expect(find_focused(page)).to_have_text(re.compile(r"^\s*2,"))
    page.keyboard.press("Enter")
    expect(page.get_by_label("About line 2")).to_have_value("Which house?")
    page.keyboard.press("Escape")
    expect(find_focused(page)).to_have_text(re.compile(r"^\s*2,"))
    page.keyboard.press("a")
    expect(page.locator("#decide :is(button, a.button)").first).to_be_focused()
    page.keyboard.press("r")
    expect(page.get_by_label("Reviewed")).to_be_checked()
    page.reload()
    expect(page.get_by_label("Reviewed")).to_be_checked()
    page.keyboard.press("?")
    expect(page.locator("dialog.shortcuts-dialog")).to_contain_text("Next or previous change")


@pytest.mark.parametrize("look", [{"viewport": DESKTOP}, {"viewport": PHONE, "color_scheme": "dark"}])
def test_values_are_underlined_in_the_rendered_comparison(visit: Visit, address: str, look):
    page = visit.open("reviewer", address, **look)
    values = page.locator(".diff-rendered .value", has_text="Harbour Books")
    expect(values.first).to_be_visible()
    style = values.first.evaluate("value => getComputedStyle(value).borderBottomStyle")
    assert "dotted" in style
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_reviewer_suggests_on_a_rendered_line_and_the_author_applies_it(visit: Visit, address: str):
    reviewer = visit.open("reviewer", address)
    expect(reviewer.locator(".tabs [aria-current]").first).to_have_text("Rendered")
    reviewer.locator(".diff-rendered .diff-added a.diff-number").first.click()
    suggestion = reviewer.get_by_label(re.compile("Or how it should read"))
    expect(suggestion).to_have_value(KIND)
    suggestion.fill(KIND.replace("Harbour", "Port"))
    expect(reviewer.locator("#comment-form-source")).to_contain_text("This text comes from the sample")
    suggestion.fill(KIND.replace("brief", "clear"))
    expect(reviewer.locator("#comment-form-source")).to_contain_text("This becomes a suggestion for source line 8")
    expect(reviewer.locator("#comment-form-source .diff-added")).to_contain_text(
        "You help {{ customer }}. Be kind and clear."
    )
    reviewer.get_by_role("button", name=re.compile("^Suggest this text")).click()
    expect(reviewer.locator(".diff-rendered .thread-diff")).to_contain_text("Be kind and clear.")

    author = visit.open("author", address)
    author.locator(".diff-rendered").get_by_role("button", name="Apply to the change").click()
    expect(author.locator(".change-facts")).to_contain_text("v3")
    expect(author.locator(".diff-rendered .diff-added").first).to_contain_text(
        "You help Harbour Books. Be kind and clear."
    )

    # The reviewer's own words are in it now, so somebody else approves.
    admin = visit.open("admin", address)
    admin.get_by_role("button", name=re.compile("^Approve v3")).first.click()
    expect(admin.locator("#blockers")).to_contain_text("Ready to publish")


def find_focused(page: Page) -> Locator:
    return page.locator("a.diff-number:focus")


def press_tab_until(page: Page, selector: str) -> list[str]:
    """What has the focus after each Tab, until it is on an element that matches."""
    stops: list[str] = []
    for _ in range(80):
        page.keyboard.press("Tab")
        name, reached = page.evaluate(
            """selector => {
                const at = document.activeElement;
                const isDiff = at.matches(".diff, .diff a.diff-number, .diff summary");
                return [`${isDiff ? "diff" : at.tagName} ${at.textContent.trim().slice(0, 30)}`, at.matches(selector)];
            }""",
            selector,
        )
        stops.append(name)
        if reached:
            return stops
    raise AssertionError(f"not reached within {len(stops)} Tabs: {stops}")
