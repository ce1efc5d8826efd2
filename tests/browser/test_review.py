"""A change from the author's desk to a service and back: checks, remarks, suggestions, approvals, the mirror."""

import re
import subprocess
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit
from tests.support.editor_page import EditorPage

NAME = "desk/reply"
Edits = Callable[[str], list[tuple[str, str]]]  # what to put for what in the text there is
LOOKS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP, "color_scheme": "light"},
    "phone in the dark": {"viewport": PHONE, "color_scheme": "dark"},
}


@pytest.fixture(scope="session")
def service(server: Server) -> Callable[[], dict[str, Any]]:
    """Fetches the template by its label, like a service with a key of the namespace."""
    key = server.run_program("browser_data.py").split()[-1]
    headers = {"Authorization": f"Bearer {key}"}

    def fetch() -> dict[str, Any]:
        body: dict[str, Any] = httpx.get(
            f"{server.url}/api/v1/templates/{NAME}@production", headers=headers, timeout=60
        ).json()
        return body

    return fetch


@pytest.fixture
def proposed(visit: Visit, service) -> Callable[..., tuple[Page, str, int]]:
    """The author edits, saves and asks for production;
    gives the author's page, the change's address and the version."""

    def run(edits: Edits, **look: Any) -> tuple[Page, str, int]:
        author = visit.open("author", f"/t/{NAME}/-/edit", **look)
        number = save(author, edits)
        author.get_by_role("button", name=f"Propose v{number} for production").click()
        address = author.get_by_role("link", name=re.compile(r"Open change \d+")).get_attribute("href")
        assert address is not None
        return author, address, number

    return run


@pytest.mark.parametrize("look", LOOKS)
def test_a_change_goes_from_a_failed_check_to_a_service_and_back(
    visit: Visit, server: Server, service, proposed, until, look
):
    options = LOOKS[look]
    before = service()["version"]
    author, address, number = proposed(tighten, **options)
    reviewer = visit.open("reviewer", address, **options)
    approve_although_a_check_fails(reviewer, number)

    author.goto(f"/t/{NAME}/-/edit")
    mended = save(author, limit(4000 + number))
    put_in(author, address, mended)
    reviewer.goto(address)
    expect(reviewer.locator(".since")).to_contain_text(f"Showing v{number} to v{mended}")
    remark_on_what_the_model_reads(reviewer, address)
    suggest_another_line(reviewer, address, f"short, v{number}")

    author.goto(address)
    author.get_by_role("button", name="Apply to the change").first.click()
    expect(author.locator(".change-facts")).to_contain_text(f"v{mended + 1}")
    expect(author.locator(".reviews")).to_contain_text("outdated")

    # The reviewer's own words are in it now, so somebody else decides.
    reviewer.goto(address)
    expect(reviewer.get_by_role("button", name=f"Approve v{mended + 1}").first).to_be_disabled()
    admin = visit.open("admin", address, **options)
    approve_and_publish(admin, mended + 1)
    until(lambda: service()["version"] == mended + 1)
    served = service()["document"]
    assert f"short, v{number}" in served
    until(lambda: read_mirror(server, "label/production") == served)

    roll_back(reviewer, before)
    until(lambda: service()["version"] == before)
    until(lambda: read_mirror(server, "label/production") == service()["document"])
    put_forward(author, admin, mended + 1)


def test_words_survive_a_reload_another_page_and_a_session_that_ended(visit: Visit, proposed):
    author, address, _ = proposed(reword)
    address = f"{address}?view=source"
    author.goto(address)
    find_line_number(author, "source", "Use only the policy").click()
    author.get_by_label(re.compile("^About line")).fill("I mean the terms of May.")
    said = author.get_by_label(re.compile("^Comment"))
    said.fill("One more thing.")

    author.goto("/changes/")
    author.goto(address)
    expect(author.get_by_label(re.compile("^Comment"))).to_have_value("One more thing.")
    author.locator("[data-kept-list] a", has_text="I mean the terms").click()
    expect(author.get_by_label(re.compile("^About line"))).to_have_value("I mean the terms of May.")

    cookies = author.context.cookies()
    author.context.clear_cookies(name="promptuary-session")
    author.get_by_role("button", name="Comment now").click()
    expect(author.locator("main")).to_contain_text("You are signed out")
    author.context.add_cookies(cookies)
    author.goto(address)
    author.locator("[data-kept-list] a", has_text="I mean the terms").click()
    expect(author.get_by_label(re.compile("^About line"))).to_have_value("I mean the terms of May.")
    author.get_by_role("button", name="Comment now").click()
    expect(author.locator(".thread")).to_contain_text("I mean the terms of May.")
    author.reload()
    expect(author.locator("[data-kept-list]")).to_be_hidden()
    withdraw(author)


def test_a_review_of_several_lines_by_keyboard_alone(visit: Visit, proposed):
    author, address, _ = proposed(reword)
    reviewer = visit.open("reviewer", f"{address}?view=source")
    first = find_line_number(reviewer, "source", "You help")
    line = int((first.get_attribute("href") or "").rpartition("line=")[2].partition("#")[0])
    press_tab_to(reviewer, ".diff-source a.diff-number, .diff-source summary")
    move_to_line(reviewer, line)
    reviewer.keyboard.press("Enter")
    expect(reviewer.get_by_label(f"About line {line}")).to_be_focused()
    reviewer.keyboard.press("Escape")
    expect(reviewer.locator(f"[href$='line={line}#comment-form']")).to_be_focused()
    move_to_line(reviewer, line + 1)
    reviewer.keyboard.press("Shift+Enter")
    expect(reviewer.get_by_label(f"About lines {line} to {line + 1}")).to_be_visible()
    expect(reviewer.locator(".is-selected")).to_have_count(2)
    press_tab_to(reviewer, "#comment-form-text")
    reviewer.keyboard.type("Both lines say the same.")
    press_tab_to(reviewer, "#comment-form [value=keep]")
    reviewer.keyboard.press("Enter")
    expect(reviewer.locator(".thread-unsent")).to_contain_text("Both lines say the same.")
    press_tab_to(reviewer, "#decide [value=request_changes]")
    reviewer.keyboard.press("Enter")
    expect(reviewer.locator(".thread")).to_contain_text("Both lines say the same.")
    expect(reviewer.locator("#blockers")).to_contain_text("You asked for edits")
    author.goto(address)
    expect(author.locator("#blockers")).to_contain_text("it is your turn")
    withdraw(author)


def save(page: Page, edits: Edits) -> int:
    """Edit the source by search and typing, save; the version's number."""
    desk = EditorPage(page).ready()
    number = int(page.locator("[data-next]").inner_text().rpartition("v")[2])
    tab = page.locator("[data-tab=source]")
    if tab.is_visible():
        tab.click()
    for old, new in edits(desk.text):
        desk.replace(old, new)
    desk.message.fill(f"Version {number}")
    page.get_by_role("button", name=re.compile("^Save as v")).click()
    expect(desk.outcome).to_contain_text(f"Saved as version {number}")
    return number


def reword(text):
    """Another ending of one line, such as it never had before."""
    return [(re.search(r"Use [^\n]*", text)[0], f"Use only the policy, edition {time.time_ns()}.")]


def limit(tokens):
    """Another token limit."""
    return lambda text: [(re.search(r"token_limit: \d+", text)[0], f"token_limit: {tokens}")]


def tighten(text):
    """Edits after which the question no longer fits and is cut."""
    if "token_limit" in text:
        return limit(24 if "token_limit: 25\n" in text else 25)(text)
    return [
        ("inputs:", "token_limit: 25\ntruncation_step: 4\ninputs:"),
        ("- name: question", "- name: question\n  truncation_priority: 1"),
    ]


def approve_although_a_check_fails(page: Page, number: int) -> None:
    expect(page.locator("#blockers")).to_contain_text("The check budget failed", timeout=30_000)
    page.reload()
    button = page.get_by_role("button", name=f"Approve v{number}").first
    expect(button).not_to_have_class(re.compile("button-primary"))  # the next step is to mend it
    button.click()
    expect(page.get_by_role("status").filter(has_text="You approved it")).to_be_visible()


def remark_on_what_the_model_reads(page: Page, address: str) -> None:
    page.goto(f"{address}?against=label&view=rendered")
    expect(page.locator(".diff-rendered")).to_be_visible()
    find_line_number(page, "rendered", "You help").click()
    page.get_by_label("About line 1").fill("Callers asked for short answers.")
    page.get_by_role("button", name="Comment now").click()
    expect(page.locator(".thread", has_text="Callers asked for short answers.")).to_be_visible()


def suggest_another_line(page: Page, address: str, words: str) -> None:
    page.goto(f"{address}?against=label&view=source")
    find_line_number(page, "source", "You help").click()
    suggestion = page.get_by_label(re.compile("Or how it should read"))
    suggestion.fill(re.sub(r"kind( and short, v\d+)?\.", f"kind and {words}.", suggestion.input_value()))
    page.get_by_role("button", name=re.compile("^Suggest this text")).click()
    expect(page.locator(".thread-diff")).to_contain_text(words)


def approve_and_publish(page: Page, number: int) -> None:
    expect(page.locator("#checks")).not_to_contain_text("running", timeout=30_000)
    page.get_by_role("button", name=f"Approve v{number}").first.click()
    expect(page.locator("#blockers")).to_contain_text("Ready to publish", timeout=30_000)
    page.get_by_role("link", name=re.compile("^Publish")).first.click()
    page.get_by_role("button", name=re.compile("^Publish")).first.click()
    expect(page.locator(".change-facts .badge")).to_have_text("Published")


def roll_back(page: Page, number: int) -> None:
    page.goto(f"/t/{NAME}")
    page.get_by_role("link", name=re.compile(f"^Roll back to v{number}")).first.click()
    page.get_by_label("In your words").fill("Answers came out too short.")
    page.get_by_role("button", name=f"Roll back to v{number}").click()
    expect(page.locator("dialog")).to_have_count(0)
    page.goto(f"/t/{NAME}/-/labels?label=production")
    expect(page.locator(".timeline-entry").first).to_contain_text("Answers came out too short.")


def put_in(page: Page, address: str, number: int) -> None:
    page.goto(address)
    page.locator("#head select").select_option(str(number))
    page.get_by_role("button", name="Propose it instead").click()
    expect(page.locator(".change-facts")).to_contain_text(f"v{number}")


def put_forward(author: Page, reviewer: Page, number: int) -> None:
    """Bring a version to production again, so that the next look begins if this one ended."""
    author.goto(f"/t/{NAME}/-/propose?version={number}")
    author.get_by_role("button", name=f"Propose v{number}").click()
    author.wait_for_url(re.compile(r"/changes/\d+$"))
    reviewer.goto(author.url)
    approve_and_publish(reviewer, number)


def withdraw(page: Page) -> None:
    page.get_by_label("Why it is withdrawn").fill("The look is over.")
    page.get_by_role("button", name="Withdraw this change").click()
    expect(page.locator(".change-facts .badge")).to_have_text("Withdrawn")


def find_line_number(page: Page, side: str, words: str) -> Locator:
    """The number of the new line with these words; it opens the form for that line."""
    line = page.locator(f".diff-{side} .diff-line:not(.diff-removed)", has_text=words).first
    line.wait_for(state="attached")
    folded = page.locator(f".diff-{side} details:not([open])", has=page.locator(".diff-line", has_text=words))
    if folded.count():
        folded.first.locator("summary").first.click()
    return line.locator("a.diff-number")


def move_to_line(page: Page, line: int) -> None:
    """Press the arrows until the number of this line has the focus."""
    page.keyboard.press("Home")
    for _ in range(100):
        if page.evaluate("line => document.activeElement.matches(`[href$='line=${line}#comment-form']`)", line):
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"the arrows never came to line {line}")


def press_tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
    raise AssertionError(f"Tab never reached {selector}")


def read_mirror(server: Server, branch: str) -> str:
    """The document at the tip of a branch of the mirror, as Git holds it."""
    command = ["git", "-C", str(server.mirror), "show", f"{branch}:{NAME}.yml.j2"]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode()
