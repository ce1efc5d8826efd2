"""Promotion from the environments page: one template in the panel, several together from the bar."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit, make_four_templates

NAMESPACE = "wholesale"


@pytest.fixture(scope="module", autouse=True)
def four_templates(server: Server) -> None:
    make_four_templates(server, NAMESPACE)


def test_templates_are_ticked_and_promoted_by_keys_alone(visit: Visit):
    author = visit.open("author", "/environments/?from=latest&to=production&q=wholesale")
    author.keyboard.press("j")
    author.keyboard.press("x")
    expect(author.get_by_text("1 template selected")).to_be_visible()
    for _ in range(3):
        author.keyboard.press("j")
    author.keyboard.press("Shift+X")
    expect(author.get_by_text("4 templates selected")).to_be_visible()
    author.keyboard.press("p")
    dialog = author.get_by_role("dialog", name="Promote 4 templates to production")
    expect(dialog).to_be_visible()
    author.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    author.get_by_role("checkbox", name="Select all templates of this page").click()
    expect(author.get_by_text("templates selected")).to_be_hidden()
    author.keyboard.press("k")
    author.keyboard.press("p")
    alone = author.get_by_role("dialog", name="Propose v1 for production")
    expect(alone).to_be_visible()
    author.keyboard.press("Escape")
    expect(alone).to_have_count(0)
    author.keyboard.press("?")
    expect(author.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Promote the ticked templates")
    assert author.get_by_role("link", name=re.compile(r"^Open change \d")).count() == 0, "nothing was proposed"


def test_a_click_with_shift_ticks_all_between(visit: Visit):
    author = visit.open("author", "/environments/?from=latest&to=production&q=wholesale")
    boxes = author.get_by_role("checkbox", name="Select wholesale/")
    expect(boxes).to_have_count(4)
    boxes.first.click()
    boxes.last.click(modifiers=["Shift"])
    expect(author.get_by_text("4 templates selected")).to_be_visible()


def test_ticked_templates_become_a_release(visit: Visit):
    author = visit.open("author", "/environments/?from=latest&to=production&q=wholesale")
    bar = author.get_by_role("button", name=re.compile(r"^Promote \d templates?$"))
    expect(bar).to_have_count(0)
    for name in ("refunds/reply", "policy"):
        author.get_by_role("checkbox", name=f"Select {NAMESPACE}/{name}").check()
    expect(author.get_by_text("2 templates selected")).to_be_visible()
    expect(author.get_by_text("Makes 1 release.")).to_be_visible()
    foot = author.locator("[data-bulk-bar]")
    expect(foot).to_contain_text("refunds/reply v1")
    expect(foot).to_contain_text("Checks of 2 templates have not all passed.")
    expect(foot).to_contain_text("No service fetched them in the last 30 days. Needs 1 approval in wholesale.")
    bar.click()
    dialog = author.get_by_role("dialog", name="Promote 2 templates to production")
    expect(dialog.get_by_role("checkbox", name="refunds/reply")).to_be_checked()
    expect(dialog.get_by_role("checkbox", name="refunds/summary")).not_to_be_checked()
    expect(dialog.get_by_text("lines change").first).to_be_visible()
    dialog.get_by_text("Difference, metrics, services and checks").first.click()
    expect(dialog.get_by_role("heading", name="What changes")).to_be_visible()
    expect(dialog.get_by_role("heading", name="Services affected")).to_be_visible()
    dialog.get_by_label("Title").fill("Two of four")
    dialog.get_by_role("button", name="Propose release").click()
    author.wait_for_url(re.compile(r"/releases/\d+$"))
    expect(author.get_by_role("rowheader")).to_have_count(2)
    author.goto("/environments/?q=wholesale&show=open")
    expect(author.get_by_role("link", name=re.compile(r"^Open change \d+"))).to_have_count(2)


def test_a_row_is_promoted_in_the_panel(visit: Visit):
    author = visit.open("author", "/environments/?from=latest&to=production&q=wholesale+exchange")
    author.get_by_role("link", name=re.compile("^Promote v1")).click()
    dialog = author.get_by_role("dialog", name="Propose v1 for production")
    dialog.get_by_label("Why").fill("Exchanges take a week")
    dialog.get_by_role("button", name="Propose v1").click()
    author.wait_for_url(re.compile(r"/changes/\d+$"))


def test_a_phone_folds_what_has_nothing_to_promote(visit: Visit):
    author = visit.open("author", "/environments/?from=latest&to=production&show=all")
    expect(author.locator(".label-select").nth(1).locator("[data-label=production]")).to_be_visible()
    author.get_by_label("Promote from").select_option("production")
    expect(author.locator(".label-select").nth(0).locator("[data-label=production]")).to_be_visible()
    settled = author.locator(".environments-table .is-settled")
    count = settled.count()
    assert count, "the demo has templates that are up to date"
    expect(settled.first).to_be_visible()
    author.set_viewport_size({"width": 390, "height": 800})
    expect(settled.first).to_be_hidden()
    author.get_by_role("button", name="Show them").click()
    expect(settled.first).to_be_visible()
    expect(settled.first.get_by_role("link").first).to_be_focused()


def test_on_a_phone_what_needs_an_act_comes_first(visit: Visit):
    author = visit.open("author", f"/environments/?from=latest&to=production&q={NAMESPACE}")
    rows = author.locator(".environments-table [data-row]")
    expect(rows).to_have_count(4)
    ranks = "rows => rows.map(row => [Number(row.dataset.rank), row.querySelector('a').textContent])"
    by_name = rows.evaluate_all(ranks)
    assert by_name == sorted(by_name, key=lambda row: row[1])
    author.set_viewport_size({"width": 390, "height": 800})
    author.wait_for_function(
        "([rows]) => { const ranks = [...document.querySelectorAll(rows)].map(row => Number(row.dataset.rank));"
        " return ranks.every((rank, at) => !at || ranks[at - 1] <= rank); }",
        arg=[".environments-table [data-row]"],
    )
    author.set_viewport_size({"width": 1280, "height": 800})
    author.wait_for_function(
        "names => [...document.querySelectorAll('.environments-table [data-row] th a')]"
        ".every((link, at) => link.textContent === names[at])",
        arg=[row[1] for row in by_name],
    )


def test_a_row_has_a_menu_by_key_and_on_a_phone_by_its_name(visit: Visit):
    author = visit.open("author", f"/environments/?from=latest&to=production&q={NAMESPACE}")
    author.keyboard.press("j")
    row = author.evaluate("document.activeElement.textContent")
    author.keyboard.press(".")
    menu = author.locator(".row-menu:popover-open")
    expect(menu.get_by_role("link", name="Open template")).to_be_focused()
    author.keyboard.press("ArrowDown")
    expect(menu.get_by_role("button", name="Copy link")).to_be_focused()
    author.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    assert author.evaluate("document.activeElement.textContent") == row
    author.set_viewport_size({"width": 390, "height": 800})
    author.locator(".environments-table th[scope=row] > a").first.click()
    menu.get_by_role("link", name="Open template").click()
    author.wait_for_url(re.compile(rf"/t/{NAMESPACE}/"))
