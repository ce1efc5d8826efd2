"""A person adds a passkey, signs in with it, uses it as the second step, and removes it; Chromium plays the device."""

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import Server, Visit
from tests.browser.test_release import take_picture

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def page(visit: Visit, server: Server) -> Page:
    """A signed-out page at localhost, because browsers don't allow passkeys at an IP address."""
    return visit.open("", "/login", base_url=server.url.replace("127.0.0.1", "localhost"))


@pytest.fixture
def device(page: Page) -> CDPSession:
    """A device with a fingerprint reader that always recognizes its owner."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return session


def enter_password(page: Page, person: str) -> None:
    page.goto("/login")
    page.get_by_label("Account").fill(person)
    page.get_by_label("Password").fill(f"{person}-promptuary")
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Page) -> None:
    page.context.clear_cookies()
    page.goto("/login")


def add_passkey(page: Page) -> None:
    page.goto("/account")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Password of reader").fill("reader-promptuary")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name").fill("Work laptop")
    take_picture(page, "passkey-new")
    page.get_by_role("button", name="Create the passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


def test_a_passkey_signs_in_alone_and_after_the_password_and_is_removed(page, device):
    enter_password(page, "reader")
    page.wait_for_url(lambda url: "/login" not in url)
    add_passkey(page)
    page.goto("/account")
    expect(page.get_by_text("Work laptop").first).to_be_visible()
    take_picture(page, "passkeys")

    sign_out(page)
    take_picture(page, "passkey-login")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(lambda url: "/login" not in url)
    expect(page.locator("body")).to_have_attribute("data-person", "reader")

    sign_out(page)
    enter_password(page, "reader")
    expect(page.get_by_role("heading", name="Two-step sign-in")).to_be_visible()
    take_picture(page, "passkey-second-step")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(lambda url: "/login" not in url)

    page.goto("/account")
    page.get_by_role("link", name="Remove the passkey Work laptop").click()
    page.get_by_role("link", name="Use a passkey instead").click()
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("button", name="Remove the passkey").click()
    expect(page.get_by_text("The passkey is removed.")).to_be_visible()
    sign_out(page)
    enter_password(page, "reader")
    page.wait_for_url(lambda url: "/login" not in url)


def test_a_device_without_a_passkey_gets_a_message_and_the_password_works(page, device):
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("No passkey was used")
    enter_password(page, "reviewer")
    page.wait_for_url(lambda url: "/login" not in url)


def test_at_an_ip_address_none_is_offered_and_the_account_says_why(visit: Visit):
    reader = visit.open("reader", "/account")
    expect(reader.get_by_text("Passkeys need a domain name")).to_be_visible()
    stranger = visit.open("", "/login")
    expect(stranger.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)
