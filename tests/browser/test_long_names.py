"""Long names and titles: a page is never wider than the window, and what can be done stays in view."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit

NAMESPACE = "lengthy"


@pytest.fixture(scope="module")
def release(server: Server) -> int:
    """The number of a release with a title of one long word, of a template with a name of about 200 characters."""
    return int(server.run_program("browser_long_names.py", NAMESPACE))


def measure_overflow(page: Page) -> int:
    """How many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_page_of_the_desk_is_wider_than_the_window(visit: Visit, release: int, viewport):
    page = visit.open("reviewer", "/", viewport=viewport)
    addresses = ["/", "/changes/", "/releases/", f"/releases/{release}", f"/releases/{release}/publish"]
    for address in [*addresses, "/environments/?q=folder", "/environments/calendar"]:
        page.goto(address)
        expect(page.locator("h1")).to_be_visible()
        assert measure_overflow(page) <= 0, address


def test_a_long_name_leaves_labels_and_action_in_view(visit: Visit, release: int):
    page = visit.open("reviewer", f"/environments/?q={'t' * 63}")
    expect(page.get_by_role("link", name="Review change").first).to_be_in_viewport(ratio=1)
