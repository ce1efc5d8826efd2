"""A template and a folder are renamed while a service keeps using the former names."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit, make_four_templates
from tests.browser.test_release import take_picture
from tests.browser.test_risky_acts import fits, issue_key
from tests.support.small_site import open_small_site

NAMESPACE = "moving"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with open_small_site(tmp_path_factory.mktemp("moving")) as site:
        make_four_templates(site, NAMESPACE)
        yield site


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[Any]]:
    return {}


def rename(page: Page, address: str, to: str) -> None:
    page.goto(address)
    page.get_by_label("New name").fill(to)
    page.get_by_label("Reason").fill("It says what it is")
    page.get_by_role("button", name="Rename").click()


def test_a_service_goes_on_by_the_former_names_of_a_template_and_its_folder(visit: Visit, server: Server, until):
    admin = visit.open("admin")
    headers = {"Authorization": f"Bearer {issue_key(admin, NAMESPACE, 'move-bot')}"}

    def fetch(name: str) -> tuple[int, str]:
        answer = httpx.get(f"{server.url}/api/v1/templates/{NAMESPACE}/{name}@1", headers=headers, timeout=60)
        return answer.status_code, answer.json().get("digest", "")

    before = fetch("refunds/reply")
    assert before[0] == 200
    rename(admin, f"/t/{NAMESPACE}/refunds/reply/-/rename", f"{NAMESPACE}/refunds/answer")
    admin.wait_for_url(re.compile("/t/moving/refunds/answer$"))
    until(lambda: fetch("refunds/reply") == fetch("refunds/answer") == before)
    rename(admin, f"/folders/{NAMESPACE}/refunds/rename", f"{NAMESPACE}/returns")
    expect(admin.get_by_role("link", name=re.compile("returns")).first).to_be_visible()
    until(lambda: {fetch(f"{name}") for name in ("refunds/reply", "refunds/answer", "returns/answer")} == {before})

    def is_shown() -> bool:
        """The counts of fetches are written every few seconds."""
        admin.goto(f"/t/{NAMESPACE}/returns/answer/-/fetches")
        return admin.get_by_text("still fetched by move-bot").count() == 2

    until(is_shown)
    expect(admin.get_by_text(f"by a former name: {NAMESPACE}/refunds/", exact=False)).to_be_visible()
    take_picture(admin, "fetched-by-former-names")


@pytest.mark.parametrize(
    ("space", "viewport", "scheme"), [("moved-desktop", DESKTOP, "light"), ("moved-phone", PHONE, "dark")]
)
def test_the_page_of_a_renaming_fits_and_a_former_address_leads_on(
    visit: Visit, server: Server, space, viewport, scheme
):
    make_four_templates(server, space)
    admin = visit.open("admin", viewport=viewport, color_scheme=scheme)
    rename(admin, f"/t/{space}/refunds/reply/-/rename", f"{space}/refunds/answer")
    admin.wait_for_url(re.compile(f"/t/{space}/refunds/answer$"))
    admin.goto(f"/t/{space}/refunds/reply")
    admin.wait_for_url(re.compile(f"/t/{space}/refunds/answer"))
    admin.goto(f"/t/{space}/refunds/answer/-/rename")
    expect(admin.get_by_text("Former names that redirect here:")).to_be_visible()
    assert fits(admin)
    admin.get_by_label("New name").fill(f"{space}/policy")
    admin.get_by_role("button", name="Rename").click()
    expect(admin.locator("main")).to_contain_text(re.compile("Not renamed|error|there already|taken", re.I))
