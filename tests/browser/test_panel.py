"""The panel before a risky action: over the page with scripts, a separate page without, closed without a trace."""

import re

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit, make_four_templates
from tests.browser.test_release import wait_for_checks

NAME = "support/refunds/reply"


def open_proposal(page: Page) -> None:
    page.goto(f"/t/{NAME}")
    page.get_by_role("link", name=re.compile("^Propose")).first.click()


def test_the_panel_opens_over_the_page_and_keeps_the_text_while_versions_are_compared(visit: Visit):
    page = visit.open("author", f"/t/{NAME}")
    open_proposal(page)
    dialog = page.get_by_role("dialog", name=re.compile("^Propose v"))
    expect(dialog).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/t/{NAME}$"))
    expect(dialog.get_by_role("heading", name="Services affected")).to_be_visible()
    field = dialog.get_by_label("Why")
    expect(field).to_be_focused()
    field.fill("Because it matters")
    dialog.get_by_label("Version", exact=True).select_option("1")
    dialog.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("dialog", name="Propose v1 for production")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_of_two_comparisons_the_later_one_is_shown_whichever_arrives_first(visit: Visit):
    page = visit.open("author", f"/t/{NAME}")
    open_proposal(page)
    dialog = page.get_by_role("dialog", name=re.compile("^Propose v"))
    version = dialog.get_by_label("Version", exact=True)
    latest = version.input_value()
    slow, fast = (re.compile(rf"[?&]version={number}(&|$)") for number in ("1", latest))
    held_requests: list[Route] = []
    page.route(slow, lambda route: held_requests.append(route))  # noqa: PLW0108  # Playwright takes no built-in method
    version.select_option("1")
    with page.expect_request(slow):
        dialog.get_by_role("button", name="Compare").click()
    version.select_option(latest)
    with page.expect_response(fast):
        dialog.get_by_role("button", name="Compare").click()
    with page.expect_response(slow):
        held_requests[0].continue_()
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 500))")  # long enough for a panel to be drawn
    expect(page.get_by_role("dialog", name=f"Propose v{latest} for production")).to_be_visible()


def test_all_that_was_typed_goes_along_where_the_difference_is_shown_another_way(visit: Visit):
    page = visit.open("author", f"/t/{NAME}")
    open_proposal(page)
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Title").fill("A title of mine")
    dialog.get_by_label("Why").fill("Because it matters")
    reviewers = dialog.get_by_role("group", name=re.compile("^Reviewers"))
    reviewers.get_by_text("Add", exact=True).click()
    boxes = reviewers.get_by_role("checkbox")
    expect(boxes.nth(1)).to_be_visible()
    chosen, unchosen = boxes.nth(1).get_attribute("value"), boxes.nth(0).get_attribute("value")
    boxes.nth(1).check()
    expect(reviewers.locator("[data-picker-chosen]").get_by_text(chosen, exact=True)).to_be_visible()
    dialog.get_by_text("On a date").click()
    dialog.get_by_label("Date and time").fill("2040-01-02T03:04")
    dialog.get_by_role("link", name="Source").click()
    expect(dialog.get_by_role("link", name="Source")).to_have_attribute("aria-current", "true")
    expect(dialog.get_by_label("Title")).to_have_value("A title of mine")
    expect(dialog.get_by_label("Why")).to_have_value("Because it matters")
    expect(reviewers.locator(f"[value={unchosen}]")).not_to_be_checked()
    expect(reviewers.locator(f"[data-picker-chosen] [value={chosen}]")).to_be_checked()
    expect(dialog.get_by_label("Date and time")).to_have_value("2040-01-02T03:04")


def test_reviewers_are_chosen_by_keyboard_and_escape_closes_only_their_list(visit: Visit):
    page = visit.open("author", f"/t/{NAME}")
    open_proposal(page)
    dialog = page.get_by_role("dialog")
    reviewers = dialog.get_by_role("group", name=re.compile("^Reviewers"))
    reviewers.locator("summary").focus()
    page.keyboard.press("Enter")
    first = reviewers.locator("[data-picker-list] input").first
    person = first.get_attribute("value")
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.keyboard.press("Space")
    chip = reviewers.locator(f"[data-picker-chosen] [value={person}]")
    expect(chip).to_be_checked()
    expect(reviewers.locator("[data-picker-list] input").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(reviewers.locator("[data-picker-list]")).to_be_hidden()
    expect(reviewers.locator("summary")).to_be_focused()
    chip.focus()
    page.keyboard.press("Space")
    expect(reviewers.locator(f"[data-picker-list] [value={person}]")).not_to_be_checked()
    expect(reviewers.locator("summary")).to_be_focused()
    expect(dialog).to_be_visible()


def test_without_scripts_the_same_panel_is_a_page(visit: Visit):
    page = visit.open("author", f"/t/{NAME}", java_script_enabled=False)
    open_proposal(page)
    expect(page).to_have_url(re.compile("/-/propose"))
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Propose v"))
    expect(page.get_by_role("heading", name="Services affected")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    expect(page).to_have_url(re.compile(rf"/t/{NAME}$"))


def test_a_label_moves_from_the_panel_over_the_page(visit: Visit):
    page = visit.open("author", f"/t/{NAME}/-/labels")
    page.get_by_role("combobox", name="Label").fill("canary")
    page.get_by_label("To version").select_option("1")
    page.get_by_role("button", name="Show what would change").click()
    dialog = page.get_by_role("dialog", name="Move canary to v1")
    expect(dialog.get_by_text("Undo: remove canary.")).to_be_visible()
    dialog.get_by_role("button", name="Move canary").click()
    expect(page.get_by_text("Moved canary to v1.")).to_be_visible()


def test_a_label_that_moves_meanwhile_turns_the_button_off_until_it_is_compared_again(visit: Visit):
    address = f"/t/{NAME}/-/labels?label=trial&version="
    page = visit.open("author", "/t/")  # a page without a stream
    with page.expect_response(lambda response: "/live/events" in response.url):
        page.goto(address + "2")
    primary = page.get_by_role("button", name="Move trial", exact=True)
    page.get_by_label("Reason").fill("To be tried")
    other = visit.open("admin", address + "1")
    other.get_by_role("button", name="Move trial", exact=True).click()
    expect(other.get_by_text("Moved trial to v1.")).to_be_visible()
    news = page.get_by_role("alert").filter(has_text="admin moved a label to v1.")
    expect(news).to_be_visible()
    expect(primary).to_be_disabled()
    news.get_by_role("button", name="Reload the comparison").click()
    expect(primary).to_be_enabled()
    expect(news).to_have_count(0)
    expect(page.get_by_label("Reason")).to_have_value("To be tried")
    primary.click()
    expect(page.get_by_text("Moved trial to v2.")).to_be_visible()
    page.goto(f"/t/{NAME}/-/labels?label=trial")
    expect(page.get_by_text("To be tried").first).to_be_visible()


def test_a_proposal_keeps_its_text_when_the_panel_is_opened_again(visit: Visit):
    page = visit.open("author", f"/t/{NAME}")
    open_proposal(page)
    page.get_by_role("dialog").get_by_label("Why").fill("Because it was typed")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    open_proposal(page)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Why")).to_have_value("Because it was typed")
    dialog.get_by_role("button", name="Remove it").click()
    expect(dialog.get_by_label("Why")).not_to_have_value("Because it was typed")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_after_a_refusal_the_caret_is_in_the_field_at_fault(visit: Visit, server: Server, viewport: ViewportSize):
    namespace = f"refused-{viewport['width']}"
    make_four_templates(server, namespace)
    address = f"/t/{namespace}/refunds/reply/-/propose?label=production&version=1"
    page = visit.open("author", address, viewport=viewport)
    page.get_by_text("On a date", exact=True).click()
    page.get_by_label("Date and time").fill("2001-01-01T08:00")
    page.get_by_role("button", name="Propose v1").click()
    expect(page.get_by_text("This is in the past.")).to_be_in_viewport()
    expect(page.get_by_label("Date and time")).to_be_focused()
    expect(page.get_by_label("Date and time")).to_have_value("2001-01-01T08:00")


def test_a_refused_form_keeps_its_panel_over_the_page_with_the_error_at_its_field(visit: Visit):
    page = visit.open("author", f"/t/{NAME}")
    open_proposal(page)
    dialog = page.get_by_role("dialog", name=re.compile("^Propose v"))
    dialog.get_by_label("Why").fill("Because it is refused first")
    dialog.get_by_text("On a date", exact=True).click()
    dialog.get_by_label("Date and time").fill("2001-01-01T08:00")
    dialog.get_by_role("button", name=re.compile("^Propose v")).click()
    expect(dialog.get_by_text("This is in the past.")).to_be_in_viewport()
    expect(dialog.get_by_label("Date and time")).to_be_focused()
    expect(dialog.get_by_label("Why")).to_have_value("Because it is refused first")
    expect(page).to_have_url(re.compile(rf"/t/{NAME}$"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.fixture
def checked(server: Server) -> str:
    """A separate namespace with four templates, one of which fails its samples."""
    make_four_templates(server, "checked")
    return "checked"


def propose_first_version(page: Page, name: str) -> None:
    """Propose version 1 for production in the panel, whose checks have not run, and wait until they have."""
    page.goto(f"/t/{name}/-/propose?label=production&version=1")
    expect(page.get_by_role("region", name="Checks")).to_contain_text("not run yet")
    page.get_by_role("button", name="Propose v1").click()
    page.wait_for_url(re.compile(r"/changes/\d+$"))
    wait_for_checks(page)


def test_the_panel_lists_the_checks_of_a_version_before_a_label_moves(visit: Visit, checked: str):
    author = visit.open("author")
    propose_first_version(author, f"{checked}/refunds/summary")
    author.goto(f"/t/{checked}/refunds/summary/-/labels?label=trial&version=1")
    expect(author.get_by_role("heading", name="Move trial to v1")).to_be_visible()
    checks = author.get_by_role("region", name="Checks")
    expect(checks.locator(".panel-section-head .bad")).to_contain_text(["Samples", "Budget"])
    expect(checks.locator(".panel-section-head .ok").first).to_have_text(re.compile("Problems"))
    expect(checks.locator(".note.bad").first).to_contain_text("Samples: ")
    expect(checks).not_to_contain_text("not run yet")
    author.get_by_role("button", name="Move trial", exact=True).click()
    expect(author.get_by_text("Moved trial to v1.")).to_be_visible()

    propose_first_version(author, f"{checked}/refunds/reply")
    reviewer = visit.open("reviewer", author.url)
    reviewer.get_by_role("button", name="Approve v1").first.click()
    expect(reviewer.locator("#blockers")).to_contain_text("Ready to publish")
    author.reload()
    author.get_by_role("link", name=re.compile("^Publish")).first.click()
    panel = author.get_by_role("dialog", name="Publish v1 to production")
    expect(panel.locator(".panel-checks .ok").filter(has_text="Samples")).to_be_visible()
    expect(panel.locator(".panel-checks .bad")).to_have_count(0)
