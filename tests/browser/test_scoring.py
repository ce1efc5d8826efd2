"""Two people blindly score two versions, the gate on their scores passes, and one approves."""

import json
import re

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit, wait_until_held
from tests.browser.test_evaluation import check_layout


@pytest.fixture(scope="module")
def numbers(server: Server) -> list[int]:
    """The numbers of a change and of the runs of both versions, which are done."""
    numbers: list[int] = json.loads(server.run_program("browser_score_data.py"))
    return numbers


# The second one comes before the page that the first one asks for.
TWO_KEYS_AT_ONCE = """() => {
    for (const key of ["5", "1"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}"""


def reload_until(page: Page, text: re.Pattern[str]) -> None:
    """The worker is another process: the page is read again until it says this."""
    for _ in range(180):
        if page.locator("main").get_by_text(text).count():
            return
        page.wait_for_timeout(500)  # bounded polling
        page.reload()
    raise AssertionError(f"{page.url} did not say {text.pattern} in 180 looks")


def score_all_rows(visit: Visit, person: str, address: str) -> None:
    page = visit.open(person, address)
    for scored in range(2):
        expect(page.get_by_role("status").filter(has_text="scored by you")).to_contain_text(f"{scored} of 2 rows")
        for letter in "AB":
            column = page.get_by_role("region", name=f"Score of {letter}")
            expect(column.get_by_role("button", pressed=True)).to_have_count(0)
            page.evaluate(TWO_KEYS_AT_ONCE)
            pressed = page.locator(f"#score-{'AB'.index(letter)} button[aria-pressed=true]")
            expect(pressed).to_have_text("5")
        expect(page.get_by_role("heading", name=re.compile("^A: v[12] echo"))).to_be_visible()
        check_layout(page, DESKTOP)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("hide=1&row=1$" if scored == 0 else "hide=1$"))
    expect(page.get_by_text("You scored every row.")).to_be_visible()


def test_two_people_score_with_hidden_versions_and_the_change_is_approved(visit: Visit, numbers: list[int]):
    change, first, second = numbers
    reviewer = visit.open("reviewer", f"/runs/{first}")
    reload_until(reviewer, re.compile("Rows to score"))
    reviewer.goto(f"/runs/{second}")
    reload_until(reviewer, re.compile("Rows to score"))
    reviewer.goto(f"/changes/{change}")
    reload_until(reviewer, re.compile(r"has 0 of 4 scores by people who did not contribute"))

    address = f"/runs/{second}/score?with={first}&hide=1"
    score_all_rows(visit, "reviewer", address)
    score_all_rows(visit, "admin", address)

    reload_until(reviewer, re.compile(r"1 from 4 scores by 2 people, at least 0.75 is asked for"))
    reviewer.get_by_role("button", name=re.compile("^Approve v2")).click()
    expect(reviewer.locator("main")).to_contain_text("approved")

    phone = visit.open("reader", f"/runs/{second}/matrix?with={first}&row=0", viewport=PHONE)
    expect(phone.get_by_role("row", name=re.compile("Reviewed by people"))).to_be_visible()
    check_layout(phone, PHONE)
    assert httpx.get(f"{visit.server.url}/api/v1/runs/{second}/scores", timeout=60).status_code == 401


def test_a_key_pressed_before_the_script_has_loaded_counts(visit: Visit, numbers: list[int]):
    _, first, _ = numbers
    page = visit.open("admin", f"/runs/{first}")
    reload_until(page, re.compile("Rows to score"))
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held:  # the page after the score
            route.continue_()
        held.append(route)

    page.route("**/app.js", hold)
    page.goto(f"{visit.server.url}/runs/{first}/score?row=0", wait_until="commit")
    wait_until_held(page, held)
    expect(page.get_by_role("button", name="Save and next")).to_be_visible()
    page.keyboard.press("4")
    held[0].continue_()
    expect(page.locator("#score-0 button[aria-pressed=true]")).to_have_text("4")
