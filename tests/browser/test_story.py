"""The main job, from the first click to the bytes that a service fetches."""

import re
import subprocess
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE, Server, Visit
from tests.support.editor_page import EditorPage

NAME = "support/refunds/reply"


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_service_fetches_the_version_that_was_written_and_approved(
    visit: Visit, server: Server, fetch, until, viewport
):
    author = visit.open(viewport=viewport, path="/login")
    sign_in(author, "author")
    find_template(author)
    number = write_a_version(author, f"Answer in at most {viewport['width']} words.", narrow=viewport is PHONE)
    before = fetch(f"/templates/{NAME}@production").json()["version"]
    change = propose(author, number)

    reviewer = visit.open("reviewer", change, viewport=viewport)
    reviewer.get_by_role("button", name=f"Approve v{number}").first.click()
    expect(reviewer.locator("main")).to_contain_text("Ready to publish")
    assert fetch(f"/templates/{NAME}@production").json()["version"] == before, "an approval alone moves nothing"
    reviewer.get_by_role("link", name=re.compile("^Publish")).first.click(timeout=60_000)  # a check may run once more
    reviewer.get_by_role("button", name=re.compile("^Publish")).first.click()
    expect(reviewer.locator(".change-facts .badge")).to_have_text("Published")

    # A move reaches every server process within a second, not immediately.
    served: dict[str, Any] = {}

    def holds() -> bool:
        served.update(fetch(f"/templates/{NAME}@production").json())
        return bool(served["version"] == number)

    until(holds)
    assert f"at most {viewport['width']} words" in served["document"]
    until(lambda: read_mirror(server, "label/production") == served["document"].encode())
    assert read_mirror(server, "main") == served["document"].encode()


def test_the_same_story_works_without_any_script(visit: Visit, fetch):
    author = visit.open("author", f"/t/{NAME}/-/edit", java_script_enabled=False)
    number = number_in(author.get_by_role("button", name="Save").inner_text())
    document = author.get_by_label("Source of the template")
    text = document.input_value()

    document.fill(text.replace("{{ question }}", "{{ qestion }}"))
    author.get_by_role("button", name="Save").click()
    expect(author.get_by_role("alert")).to_contain_text("Not saved")
    assert "{{ qestion }}" in document.input_value(), "a refusal loses nothing"

    document.fill(text.replace("description: ", "description: Plainly. "))
    author.get_by_label("What changed").fill("Say it plainly")
    author.get_by_role("button", name="Save").click()
    expect(author.locator(".editor-outcome")).to_contain_text(f"Saved as version {number}")
    told = fetch(f"/templates/{NAME}").json()["latest"]
    assert told["version"] < number, "the service's key is told of approved versions only"
    author.get_by_role("button", name=f"Propose v{number} for production").click()
    expect(author.locator(".editor-outcome")).to_contain_text("for production. It waits for a reviewer.")


def sign_in(page: Page, person: str) -> None:
    page.get_by_label("Account").fill(person)
    page.get_by_label("Password").fill(f"{person}-promptuary")
    page.get_by_role("button", name="Sign in").click()


def find_template(page: Page) -> None:
    page.goto("/t/")
    page.get_by_label("Search templates").fill("refund")
    page.locator(f"main a[href='/t/{NAME}']").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("reply")
    page.get_by_role("link", name=re.compile("Edit a draft|Resume your draft")).click()


def write_a_version(page: Page, sentence: str, *, narrow: bool) -> int:
    """Edit with the live preview, get a refusal, save; return the version's number."""
    desk = EditorPage(page).ready()
    number = number_in(page.locator("[data-next]").inner_text())
    desk.replace("Use only the excerpts", f"{sentence} Use only the excerpts")
    if narrow:
        page.get_by_role("button", name="Preview", exact=True).click()
    expect(desk.preview).to_contain_text(sentence)
    if narrow:
        page.get_by_role("navigation", name="Panes").get_by_role("button", name="Text").click()
    desk.replace(sentence, sentence + " {{ nobody }}")
    expect(desk.problem_count).to_contain_text("error")
    desk.message.fill("Keep it short")
    page.get_by_role("button", name=re.compile("^Save as v")).click()
    expect(desk.outcome.get_by_role("alert")).to_contain_text("nobody")
    desk.replace(" {{ nobody }}", "")
    expect(desk.problem_count).not_to_contain_text("error")
    page.get_by_role("button", name=re.compile("^Save as v")).click()
    expect(desk.outcome).to_contain_text(f"Saved as version {number}")
    return number


def number_in(words: str) -> int:
    """Save as v4 -> 4"""
    return int(words.rpartition("v")[2])


def propose(page: Page, number: int) -> str:
    page.get_by_role("button", name=f"Propose v{number} for production").click()
    link = page.get_by_role("link", name=re.compile(r"Open change \d+"))
    expect(link).to_be_visible()
    return str(link.get_attribute("href"))


def read_mirror(server: Server, branch: str) -> bytes:
    """The document at the tip of a branch of the mirror, as Git holds it."""
    command = ["git", "-C", str(server.mirror), "show", f"{branch}:{NAME}.yml.j2"]
    return subprocess.run(command, capture_output=True, check=False).stdout
