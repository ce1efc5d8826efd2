"""The effects are shown before an action: a key in use is revoked, a label moves meanwhile, a freeze blocks."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import PHONE, Server, Visit, make_four_templates, wait_until_held
from tests.browser.test_release import take_picture, wait_for_checks
from tests.support.small_site import NAME as SERVED
from tests.support.small_site import open_small_site

NAMESPACE = "careful"
NAME = f"{NAMESPACE}/policy"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with open_small_site(tmp_path_factory.mktemp("risky")) as site:
        make_four_templates(site, NAMESPACE)
        yield site


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[Any]]:
    return {}


def issue_key(page: Page, namespace: str, service: str) -> str:
    """Issue a fetching key for any version on the keys page; return its secret."""
    page.goto(f"/n/{namespace}/keys")
    page.get_by_label("Service", exact=True).fill(service)
    page.get_by_label("Versions", exact=True).select_option("any")
    page.get_by_role("button", name="Issue a key").click()
    return page.locator("#secret").inner_text()


def fits(page: Page) -> bool:
    """Whether no part of the page is wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def test_a_key_in_use_is_revoked_with_a_reason(visit: Visit, server: Server, until):
    admin = visit.open("admin")
    headers = {"Authorization": f"Bearer {issue_key(admin, NAMESPACE, 'returns-bot')}"}
    address = f"{server.url}/api/v1/templates/{NAME}@1"
    assert [httpx.get(address, headers=headers, timeout=60).status_code for _ in range(3)] == [200, 200, 200]

    panel = admin.get_by_role("dialog", name="Revoke returns-bot")

    def is_counted() -> bool:
        """Each web process writes its counts by itself."""
        admin.goto(f"/n/{NAMESPACE}/keys")
        admin.get_by_role("link", name="Revoke the key of returns-bot").click()
        expect(panel).to_be_visible()
        return "It fetched 3 times in the last 30 days" in panel.inner_text()

    until(is_counted)
    expect(panel).to_contain_text("returns-bot made 1 fetch a day in the last seven days. They will be refused.")
    expect(panel.get_by_label("Reason")).to_be_focused()
    take_picture(admin, "revoke")
    panel.get_by_role("button", name="Revoke key").click()
    expect(panel).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    admin.route("**/keys", hold)
    panel.get_by_label("Reason").fill("  ")
    panel.get_by_role("button", name="Revoke key").click()
    wait_until_held(admin, held)
    panel.get_by_label("Reason").fill("Its secret was in a log")
    held[0].continue_()
    admin.unroute("**/keys")
    expect(panel).to_contain_text("Say why: it is recorded in the audit.")
    expect(panel.get_by_label("Reason")).to_have_value("Its secret was in a log")
    assert httpx.get(address, headers=headers, timeout=60).status_code == 200, "without a reason nothing ends"
    panel.get_by_role("button", name="Revoke key").click()
    expect(admin.get_by_text("The key of returns-bot is revoked")).to_be_visible()
    until(lambda: httpx.get(address, headers=headers, timeout=60).status_code == 401)

    reader = visit.open("reader", f"/n/{NAMESPACE}/audit", viewport=PHONE, color_scheme="dark")
    expect(reader.get_by_text("Its secret was in a log")).to_be_visible()


def test_a_revocation_set_for_later_is_cancelled_in_the_row(visit: Visit, server: Server):
    admin = visit.open("admin")
    headers = {"Authorization": f"Bearer {issue_key(admin, NAMESPACE, 'orders-bot')}"}
    admin.goto(f"/n/{NAMESPACE}/keys")
    admin.get_by_role("link", name="Revoke the key of orders-bot").click()
    panel = admin.get_by_role("dialog", name="Revoke orders-bot")
    panel.get_by_text("In 1 hour").click()
    panel.get_by_label("Reason").fill("The service is no longer run")
    panel.get_by_role("button", name="Revoke key").click()
    row = admin.get_by_role("row").filter(has_text="orders-bot")
    expect(row).to_contain_text("admin revokes it then")
    take_picture(admin, "revoked-for-later")
    row.get_by_role("button", name="Cancel revocation of the key of orders-bot").click()
    expect(admin.get_by_text("The revocation is cancelled. The key of orders-bot ends at")).to_be_visible()
    expect(row).not_to_contain_text("revokes it then")
    assert httpx.get(f"{server.url}/api/v1/templates/{NAME}@1", headers=headers, timeout=60).status_code == 200


def test_a_label_that_moves_while_the_panel_is_open_is_shown_before_it_is_moved_again(visit: Visit):
    author = visit.open("author", f"/t/{SERVED}/-/labels?label=beta&version=2", viewport=PHONE, color_scheme="dark")
    reviewer = visit.open("reviewer", f"/t/{SERVED}/-/labels?label=beta&version=1")
    reviewer.get_by_role("button", name="Move beta", exact=True).click()
    expect(reviewer.get_by_text("Moved beta to v1.")).to_be_visible()

    move = author.get_by_role("button", name="Move beta", exact=True)
    expect(move).to_be_disabled()
    assert fits(author)
    take_picture(author, "moved-meanwhile")
    author.get_by_role("button", name="Reload the comparison").click()
    expect(move).to_be_enabled()
    expect(author.get_by_role("heading", name="Move beta to v2")).to_be_visible()
    move.click()
    expect(author.get_by_text("Moved beta to v2.")).to_be_visible()


def test_a_change_is_scheduled_over_a_freeze_and_is_on_the_calendar(visit: Visit):
    begins = (datetime.now(UTC) + timedelta(days=2)).replace(hour=8, minute=0)
    admin = visit.open("admin", f"/n/{NAMESPACE}/freezes")
    once = admin.get_by_role("region", name="Once")
    once.get_by_label(re.compile("^From")).fill(f"{begins:%Y-%m-%dT%H:%M}")
    once.get_by_label(re.compile("^Until")).fill(f"{begins + timedelta(hours=4):%Y-%m-%dT%H:%M}")
    once.get_by_label(re.compile("^Why")).fill("The warehouse counts its stock")
    once.get_by_role("button", name="Set freeze").click()

    author = visit.open("author", f"/t/{NAME}/-/propose?label=production&version=1")
    author.get_by_label("Why").fill("The first policy")
    author.get_by_role("button", name="Propose v1").click()
    author.wait_for_url(re.compile(r"/changes/\d+$"))
    address = author.url
    wait_for_checks(author)
    reviewer = visit.open("reviewer", address)
    reviewer.get_by_role("button", name="Approve v1").first.click()
    expect(reviewer.locator("main")).to_contain_text("Ready to publish")

    schedule(author, address, begins + timedelta(hours=1))
    problem = author.locator(".error-line")
    expect(problem.first).to_contain_text("The warehouse counts its stock")
    expect(problem.first).to_contain_text("12:00")
    schedule(author, address, begins + timedelta(hours=4))
    expect(author.get_by_text("Scheduled. Rights, approvals, checks and freezes are checked again")).to_be_visible()

    reader = visit.open("reader", f"/environments/calendar?month={begins:%Y-%m}&namespace={NAMESPACE}")
    expect(reader.get_by_text("frozen 08:00 to 12:00")).to_be_visible()
    expect(reader.get_by_role("listitem").filter(has_text="goes live").last).to_contain_text("production to v1")
    take_picture(reader, "calendar")


def schedule(page: Page, change: str, at: datetime) -> None:
    """Choose a date in the panel before publishing."""
    page.goto(f"{change}/publish")
    page.get_by_text("On a date", exact=True).click()
    page.get_by_label(re.compile("^Date and time")).fill(f"{at:%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Publish v1").click()


def test_an_approval_that_is_taken_back_turns_an_open_publish_panel_off(visit: Visit):
    author = visit.open("author", f"/t/{NAMESPACE}/delivery/exchange/-/propose?label=production&version=1")
    author.get_by_role("button", name="Propose v1").click()
    author.wait_for_url(re.compile(r"/changes/\d+$"))
    address = author.url
    wait_for_checks(author)
    reviewer = visit.open("reviewer", address)
    reviewer.get_by_role("button", name=re.compile("^Approve v1")).click()
    expect(reviewer.get_by_role("button", name="Take your approval back")).to_be_visible()
    with author.expect_response(lambda response: "/live/events" in response.url):
        author.goto(f"{address}/publish")
    publish = author.get_by_role("button", name="Publish v1")
    expect(publish).to_be_enabled()
    reviewer.get_by_role("button", name="Take your approval back").click()
    expect(author.get_by_role("alert").filter(has_text="reviewer took a decision on change")).to_be_visible()
    expect(publish).to_be_disabled()
