"""One change from its proposal to the end, by two people: proposed to go live gradually, approved, published, stopped
by its rule, published to everybody, and rolled back."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Server, Visit
from tests.browser.test_release import take_picture, wait_for_checks
from tests.browser.test_risky_acts import fits, issue_key
from tests.browser.test_rollout import find_rollout
from tests.support.accessibility import list_barriers_in_every_look
from tests.support.server_process import wait_until
from tests.support.small_site import NAME, open_small_site

CALLERS = [f"customer-{number}" for number in range(60)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with open_small_site(tmp_path_factory.mktemp("rollout")) as site:
        yield site


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[Any]]:
    return {}


def open_publish_panel(page: Page):
    """The panel before version 2 is published, opened from the page of its change."""
    page.reload()
    page.get_by_role("link", name=re.compile("^Publish")).first.click()
    return page.get_by_role("dialog", name="Publish v2 to production")


def propose_gradually(author: Page) -> None:
    """Propose version 2 to go live gradually, after one field was refused."""
    author.goto(f"/t/{NAME}/-/propose?label=production&version=2")
    author.get_by_label("Title").fill("Promise less")
    author.get_by_label("Why").fill("Two days is what we can do.")
    author.get_by_text("Gradually", exact=True).click()
    author.get_by_label("Shares in %").fill("40, many")
    author.get_by_label("Hours a step lasts").fill("")
    author.get_by_label(re.compile("^Stops if this score")).fill("helpful")
    author.get_by_label(re.compile("^is below")).fill("0.85")
    author.get_by_role("button", name="Propose v2").click()
    expect(author.locator(".error-line")).to_contain_text("Numbers separated by commas")
    expect(author.get_by_label(re.compile("^is below"))).to_have_value("0.85")
    author.get_by_label("Shares in %").fill("40, 70")
    take_picture(author, "propose-gradually")
    assert list_barriers_in_every_look(author) == []
    author.get_by_role("button", name="Propose v2").click()
    author.wait_for_url(re.compile(r"/changes/\d+$"))


def publish_as_proposed(author: Page) -> None:
    """Publish from the panel, which holds what was proposed."""
    panel = open_publish_panel(author)
    expect(panel.get_by_label("Shares in %")).to_have_value("40, 70")
    expect(panel.get_by_label(re.compile("^is below"))).to_have_value("0.85")
    panel.get_by_role("button", name="Publish v2").click()


def roll_back(reviewer: Page) -> None:
    """Roll production back to version 1 from the panel, first without a reason."""
    reviewer.goto(f"/t/{NAME}/-/labels?label=production&version=1")
    expect(reviewer.get_by_role("heading", name="Roll production back to v1")).to_be_visible()
    assert fits(reviewer)
    reviewer.get_by_role("button", name="Roll back to v1").click()
    expect(reviewer.locator(".error-line")).to_be_visible()
    reviewer.get_by_text("Wrong answers", exact=True).click()
    reviewer.get_by_label(re.compile("^In your words")).fill("It promises what the policy does not")
    take_picture(reviewer, "roll-back")
    reviewer.get_by_role("button", name="Roll back to v1").click()


def test_a_proposal_is_rolled_out_stopped_by_its_rule_and_rolled_back(visit: Visit, server: Server):
    admin = visit.open("admin")
    service = httpx.Client(
        base_url=f"{server.url}/api/v1",
        headers={"Authorization": f"Bearer {issue_key(admin, 'support', 'chat')}"},
        timeout=60,
    )

    def fetch_versions() -> set[int]:
        answers = [service.get(f"/templates/{NAME}@production", params={"bucket": caller}) for caller in CALLERS]
        return {answer.json()["version"] for answer in answers}

    author = visit.open("author")
    propose_gradually(author)
    wait_for_checks(author)

    reviewer = visit.open("reviewer", author.url, viewport=PHONE, color_scheme="dark")
    reviewer.get_by_role("button", name="Approve v2").first.click()
    expect(reviewer.locator("main")).to_contain_text("Ready to publish")

    publish_as_proposed(author)
    expect(find_rollout(author)).to_contain_text("40 % of the callers")
    expect(find_rollout(author)).to_contain_text("Stops automatically if helpful is below 0.85 over 200 replies.")
    wait_until(lambda: fetch_versions() == {1, 2})

    digest = service.get(f"/templates/{NAME}@2").json()["digest"]
    scores = [{"template": NAME, "digest": digest, "name": "helpful", "value": number % 2} for number in range(240)]
    assert service.post("/outcomes", json={"outcomes": scores}).status_code == 202
    wait_until(lambda: fetch_versions() == {1}, seconds=60)

    reviewer.reload()
    expect(find_rollout(reviewer)).to_contain_text("Stopped at 40 %")
    expect(find_rollout(reviewer)).to_contain_text("helpful")
    assert fits(reviewer)

    panel = open_publish_panel(author)
    panel.get_by_text("At once", exact=True).click()
    panel.get_by_role("button", name="Publish v2").click()
    expect(author.get_by_text("Published: production serves v2 now.")).to_be_visible()
    wait_until(lambda: fetch_versions() == {2})

    roll_back(reviewer)
    expect(reviewer.get_by_text("Rolled production back to v1.")).to_be_visible()
    wait_until(lambda: fetch_versions() == {1})

    author.goto(f"/t/{NAME}/-/labels?label=production")
    expect(author.locator("main")).to_contain_text("Wrong answers: It promises what the policy does not")
