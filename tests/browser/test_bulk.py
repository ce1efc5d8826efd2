"""Templates that are ticked in the list are archived and restored together."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit, make_four_templates
from tests.support.accessibility import list_barriers


@pytest.fixture
def namespace(server: Server) -> str:
    """A separate namespace with four templates."""
    name = f"bulk-{secrets.token_hex(3)}"
    make_four_templates(server, name)
    return name


def tick(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_role("checkbox", name=f"Select {name}", exact=True).check()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_two_templates_are_archived_and_brought_back(visit: Visit, namespace: str, viewport):
    names = [f"{namespace}/delivery/exchange", f"{namespace}/policy"]
    page = visit.open("admin", f"/t/{namespace}/", viewport=viewport)
    tick(page, *names)
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(page.get_by_role("heading", name="Archive 2 templates")).to_be_visible()
    page.get_by_role("textbox", name="Reason").fill("Nothing fetches them")
    assert list_barriers(page) == []
    page.get_by_role("button", name="Archive them").click()
    page.wait_for_url(f"**/t/{namespace}/")
    status = page.get_by_role("status")
    expect(status.last).to_contain_text("2 templates archived.")
    expect(page.locator("[data-row]")).to_have_count(2)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("2 templates are as they were before.")).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(4)


def test_none_is_archived_where_one_refuses(visit: Visit, namespace: str):
    author = visit.open("author", f"/t/{namespace}/policy/-/propose?version=1&label=production")
    author.get_by_role("button", name=re.compile("^Propose")).last.click()
    author.wait_for_url("**/changes/*")
    page = visit.open("admin", f"/t/{namespace}/")
    tick(page, f"{namespace}/policy", f"{namespace}/refunds/reply")
    page.get_by_role("button", name="Archive", exact=True).click()
    page.get_by_role("button", name="Archive them").click()
    expect(page.get_by_text("Nothing was changed: 1 of 2 templates can't be.")).to_be_visible()
    row = page.get_by_role("listitem").filter(has_text=f"{namespace}/policy")
    expect(row).to_contain_text(re.compile(r"Change \d+ is open: publish or withdraw it first."))
    page.goto(f"/t/{namespace}/")
    expect(page.locator("[data-row]")).to_have_count(4)


def test_an_author_is_not_offered_to_archive_and_is_refused(visit: Visit, namespace: str):
    page = visit.open("author", f"/t/{namespace}/")
    tick(page, f"{namespace}/policy")
    expect(page.get_by_role("button", name="Tags", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Archive", exact=True)).to_have_count(0)
    page.goto(f"/several?act=archive&template={namespace}/policy")
    page.get_by_role("button", name="Archive them").click()
    expect(page.get_by_text(re.compile("You need the role admin"))).to_be_visible()


def test_tags_are_taken_back_with_one_click(visit: Visit, namespace: str):
    page = visit.open("author", f"/t/{namespace}/")
    tick(page, f"{namespace}/policy", f"{namespace}/refunds/reply")
    page.get_by_role("button", name="Tags", exact=True).click()
    page.get_by_label("Add tags").fill("summer")
    page.get_by_role("button", name="Save new versions").click()
    expect(page.locator(".list-tags", has_text="summer")).to_have_count(2)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("2 templates are as they were before.")).to_be_visible()
    expect(page.locator(".list-tags", has_text="summer")).to_have_count(0)
