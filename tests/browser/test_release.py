"""A release of four templates, one of which fails: nothing goes live until it is removed, then all others do."""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, Server, Visit, make_four_templates
from tests.support.accessibility import list_barriers_in_every_look

NAMESPACE, FAILING = "together", "refunds/summary"
SHOTS = os.environ.get("PROMPTUARY_SCREENSHOTS", "")  # a folder for screenshots of the pages


@pytest.fixture(scope="module", autouse=True)
def four_templates(server: Server) -> None:
    make_four_templates(server, NAMESPACE)


def take_picture(page: Page, name: str) -> None:
    """The page in both widths and both themes, if a folder for that is named."""
    if not SHOTS:
        return
    for width, height in ((1280, 800), (390, 844)):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.screenshot(path=f"{SHOTS}/{name}-{width}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")


def wait_for_checks(page: Page) -> None:
    """Reload the page until the worker has a verdict on each template."""
    for _ in range(180):
        if page.get_by_text("The check samples has not finished").count() == 0:
            return
        page.wait_for_timeout(500)  # bounded polling: the worker is another process
        page.reload()
    raise AssertionError("the checks did not finish in 180 looks")


def write_edit_and_delete_a_comment(page: Page) -> None:
    """Write a comment, edit and delete it; the page has no accessibility barriers while the edit form is open."""
    talk = page.get_by_role("region", name="Conversation")
    talk.get_by_label("Comment", exact=True).fill("Is **45** right for sales?")
    talk.get_by_role("button", name="Comment", exact=True).click()
    expect(talk.locator("strong", has_text="45")).to_be_visible()
    talk.get_by_text("Edit", exact=True).click()
    assert list_barriers_in_every_look(page) == []
    page.set_viewport_size(DESKTOP)
    talk.get_by_label("Your comment").fill("Is 45 right for *returns*?")
    talk.get_by_role("button", name="Save").click()
    expect(talk.locator("em", has_text="returns")).to_be_visible()
    talk.get_by_text("Edit", exact=True).click()
    talk.get_by_role("button", name="Delete").click()
    expect(talk.locator(".comment-deleted")).to_be_visible()


def read_what_changes(page: Page) -> None:
    """Every template's difference is on the page; a mark on one is in its row at once, and the source a tab away."""
    differences = page.get_by_role("region", name="What changed")
    expect(differences.locator(".member-difference")).to_have_count(4)
    row = page.get_by_role("region", name="Templates of the release").get_by_role("row").nth(1)
    expect(row.get_by_text("Reviewed")).to_be_hidden()
    differences.get_by_role("checkbox").first.check()
    expect(row.get_by_text("Reviewed")).to_be_visible()
    differences.get_by_role("link", name="Source").click()
    expect(differences.locator(".diff-source")).to_have_count(4)
    expect(differences.get_by_role("checkbox").first).to_be_checked()


def ask_for_edits_of_one(page: Page) -> None:
    """Ask for edits of the first template, at first without a reason; the button shows how many are ticked."""
    form = page.locator("#decide")
    for box in form.get_by_role("checkbox").all()[1:]:
        box.uncheck()
    expect(form.get_by_role("button", name="Approve 1 template")).to_be_visible()
    form.get_by_role("button", name="Ask for edits").click()
    expect(form.get_by_text("needs words")).to_be_visible()
    expect(form.get_by_role("checkbox", checked=True)).to_have_count(1)
    assert list_barriers_in_every_look(page) == []
    page.set_viewport_size(DESKTOP)
    form.get_by_label("Reason").fill("Name the window.")
    form.get_by_role("button", name="Ask for edits").click()
    expect(page.get_by_text("You asked for edits. The author is told.")).to_be_visible()
    expect(form.get_by_role("button", name="Approve 3 templates")).to_be_visible()
    expect(form.get_by_role("checkbox").first).not_to_be_checked()


def test_a_release_of_four_templates_with_one_failing(visit: Visit, fetch):
    author = visit.open("author", f"/releases/new/{NAMESPACE}/?from=latest&to=production")
    take_picture(author, "new-release")
    author.get_by_label("Title").fill("Refund window: 45 days instead of 30")
    author.get_by_role("button", name="Propose release").click()
    author.wait_for_url(re.compile(r"/releases/\d+$"))
    address = author.url
    wait_for_checks(author)
    expect(author.get_by_text("Waits for")).to_be_visible()

    reviewer = visit.open("reviewer", address)
    take_picture(reviewer, "release")
    read_what_changes(reviewer)
    ask_for_edits_of_one(reviewer)
    reviewer.locator("#decide").get_by_role("checkbox").first.check()
    reviewer.get_by_role("button", name="Approve 4 templates").click()
    expect(reviewer.get_by_text("You approved them.")).to_be_visible()

    write_edit_and_delete_a_comment(reviewer)

    expect(author.locator("#live")).to_contain_text(re.compile(r"^reviewer .* Show it$"))
    author.reload()
    blockers = author.get_by_role("region", name="What blocks this release")
    expect(blockers.get_by_role("listitem")).to_have_count(1)
    expect(blockers).to_contain_text(FAILING)
    expect(author.get_by_role("button", name="Publish release")).to_have_attribute("aria-disabled", "true")
    author.get_by_role("button", name=re.compile("Remove summary")).click()
    expect(author.get_by_text("Ready to publish.")).to_be_visible()
    take_picture(author, "release-ready")
    author.get_by_role("link", name="Publish release").click()
    panel = author.get_by_role("dialog", name="Publish 3 templates to production")
    expect(panel).to_contain_text("All 3 go live together, or none.")
    expect(panel.get_by_text("approved by reviewer")).to_have_count(3)
    take_picture(author, "release-panel")
    panel.get_by_role("button", name="Publish release").click()
    expect(author.get_by_text("Published: all labels moved.")).to_be_visible()
    take_picture(author, "release-published")
    expect(author.get_by_role("rowheader")).to_have_count(3)

    reviewer.goto(f"{address}/roll-back")
    expect(reviewer.get_by_text("production had no version before, so there is nothing to go back to.")).to_have_count(
        3
    )
    take_picture(reviewer, "release-roll-back")
