"""Two browsers: what one person does is shown on the page of the other."""

import re
import time

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit

NAME = "support/refunds/reply"


def _restore_version(page: Page, number: int) -> None:
    page.goto(f"/t/{NAME}?ref={number}")
    page.get_by_role("link", name=f"Restore v{number}").click()
    page.get_by_role("button", name=re.compile(f"^Restore v{number} as")).click()
    page.wait_for_url(lambda url: "restore" not in url)


def test_a_save_by_one_is_told_to_the_other_within_two_seconds(visit: Visit):
    reader = visit.open("reviewer", "/t/")  # a page without a stream
    with reader.expect_response(lambda response: "/live/events" in response.url):
        reader.goto(f"/t/{NAME}")
    author = visit.open("author")
    line = reader.locator("#live")
    expect(line).to_be_empty()
    _restore_version(author, 1)
    saved = time.monotonic()
    expect(line).to_contain_text(re.compile(r"author saved v\d+\. Show it"), timeout=2000)
    assert time.monotonic() - saved < 2
    assert line.get_attribute("role") == "status"
    expect(author.locator("#live")).to_be_empty()
    line.get_by_role("link", name="Show it").click()
    expect(reader.locator("#live")).to_be_empty()


def test_many_tabs_of_one_browser_share_their_streams(visit: Visit):
    first = visit.open("reviewer", "/t/")  # a page without a stream
    streams: list[str] = []
    first.context.on("request", lambda request: streams.append(request.url) if "/live/" in request.url else None)
    with first.expect_response(lambda response: "/live/events" in response.url):
        first.goto(f"/t/{NAME}")
    tabs = [first.context.new_page() for _ in range(7)]
    for tab in tabs:
        tab.goto(f"/t/{NAME}")
    assert len([url for url in streams if "/live/events" in url]) == 1
    assert len([url for url in streams if "/live/presence" in url]) == 1
    author = visit.open("author", f"/t/{NAME}/-/edit")
    for tab in [first, *tabs]:
        expect(tab.locator("[data-presence]")).to_have_text("author is editing now")
    tabs.append(first.context.new_page())
    tabs[-1].goto(f"/t/{NAME}")
    expect(tabs[-1].locator("[data-presence]")).to_have_text("author is editing now")
    _restore_version(author, 3)  # not what production serves: there is something to propose afterwards
    for tab in [first, *tabs]:
        expect(tab.locator("#live")).to_contain_text("author saved v")


def test_without_scripts_the_page_is_as_it_was(visit: Visit):
    page = visit.open("reviewer", f"/t/{NAME}", java_script_enabled=False)
    expect(page.locator("#live")).to_be_empty()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
