"""An admin invites somebody by link, who creates an account, sets up the second step, and approves a change."""

import re

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, Visit
from tests.browser.test_release import take_picture

PASSWORD = "a phrase of several words"


def run_program(server: Server, *arguments: str) -> str:
    """Run the data program of this journey in the server's home, and return its output."""
    return server.run_program("browser_invite_data.py", *arguments)


def invite(admin: Page) -> str:
    """Invite a reviewer by link, and return the link."""
    admin.get_by_label("Role", exact=True).last.select_option("reviewer")
    admin.get_by_role("button", name="Invite", exact=True).click()
    expect(admin.get_by_role("heading", name="Hand this link on")).to_be_visible()
    return admin.locator("#secret-1").inner_text()


def join(page: Page) -> None:
    """Create the account on the page of the invitation."""
    page.get_by_label("Choose an account name").fill("newcomer")
    page.get_by_label("Password").fill(PASSWORD)
    take_picture(page, "invitation")
    page.get_by_role("button", name="Create the account and join").click()
    page.wait_for_url(lambda url: "/invitations/" not in url)


def set_up_second_step(page: Page) -> None:
    """Set up two-step sign-in, from the refusal page to the recovery codes."""
    page.get_by_role("link", name="Set up two-step sign-in").click()
    page.get_by_label("Password of newcomer").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    secret = page.locator("#secret").inner_text()
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    page.get_by_label("Code of the app").fill(str(code))
    page.get_by_role("button", name="Turn on two-step sign-in").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


def test_from_an_invitation_to_the_first_approval(visit: Visit, server: Server):
    number = run_program(server)
    link = invite(visit.open("admin", "/n/greetings/members"))
    page = visit.open("", link)
    expect(page.get_by_text("as reviewer")).to_be_visible()
    join(page)
    expect(page.get_by_role("heading", name="1 thing is waiting on you")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="you are reviewer there")).to_be_visible()
    take_picture(page, "joined")
    page.get_by_role("region", name="Waiting on you").get_by_role("link", name=re.compile("Greet")).click()
    page.wait_for_url(f"**/changes/{number}")
    expect(page.get_by_role("button", name=re.compile("^Approve v1")).first).to_be_enabled()

    run_program(server, "require")
    page.goto("/n/greetings/members")
    expect(page.locator("body")).to_have_attribute("data-person", "newcomer")
    page.goto(f"/changes/{number}")
    expect(page.get_by_role("button", name=re.compile("^Approve v1")).first).to_be_disabled()
    expect(page.get_by_text("needs the role reviewer and two-step sign-in")).to_be_visible()
    page.goto("/t/greetings/hello/-/edit")
    expect(page.get_by_role("heading", name="Two-step sign-in required")).to_be_visible()
    set_up_second_step(page)

    page.goto(f"/changes/{number}")
    page.get_by_role("button", name=re.compile("^Approve v1")).first.click()
    expect(page.get_by_role("status").filter(has_text="You approved it")).to_be_visible()
    take_picture(page, "first-approval")
    again = visit.open("", link)
    expect(again.get_by_role("button", name="Create the account and join")).to_have_count(0)
