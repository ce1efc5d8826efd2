"""An admin sets a threshold; a change fails it, is fixed, passes, and is approved and published."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, Server, Visit
from tests.browser.test_evaluation import SLOW, check_layout
from tests.browser.test_review import approve_and_publish, put_in, save

NAMESPACE, NAME = "weighing", "weighing/reply"


@pytest.fixture(scope="module", autouse=True)
def weighing(server: Server) -> None:
    """A live template and a dataset in a namespace that requires the check *evaluation*."""
    server.run_program("browser_gate_data.py")


def set_threshold(page: Page) -> None:
    """Set a threshold of 0.8 on the words in common, tried on the last runs before it is saved."""
    page.get_by_label(re.compile("^Name")).fill("greetings")
    page.get_by_label(re.compile("^Templates")).fill("reply")
    page.get_by_label("Dataset", exact=True).select_option("weighing/questions")
    page.get_by_label("Model", exact=True).select_option("echo")
    page.get_by_label("Metric 1").select_option("squad_f1")
    page.get_by_label("Bound 1").fill("0.8")
    page.get_by_role("button", name="Try on the last runs").click()
    expect(page.get_by_label("Bound 1")).to_have_value("0.8")
    check_layout(page, DESKTOP)
    page.get_by_role("button", name="Save thresholds").click()
    expect(page.get_by_role("status").filter(has_text="Saved. Open changes")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("greetings"))).to_contain_text("squad_f1 >= 0.8")


def test_a_threshold_that_is_set_in_the_browser_stops_a_change_until_it_is_mended(visit: Visit):
    set_threshold(visit.open("admin", f"/n/{NAMESPACE}/evaluations"))

    author = visit.open("author", f"/t/{NAME}/-/edit")
    number = save(author, lambda _text: [("Gladly:", "Say nothing at all of this:")])
    author.get_by_role("button", name=f"Propose v{number} for production").click()
    address = author.get_by_role("link", name=re.compile(r"Open change \d+")).get_attribute("href")
    assert address is not None
    reviewer = visit.open("reviewer", address)
    expect(reviewer.locator("#blockers")).to_contain_text("The check evaluation failed", timeout=SLOW)
    reviewer.reload()
    measured = reviewer.get_by_role("listitem").filter(has=reviewer.get_by_title("squad_f1 >= 0.8"))
    expect(measured).to_contain_text("Words in common")
    check_layout(reviewer, DESKTOP)

    author.goto(f"/t/{NAME}/-/edit")
    mended = save(author, lambda _text: [("Say nothing at all of this:", "Gladly, yes:")])
    put_in(author, address, mended)
    reviewer.goto(address)
    expect(reviewer.locator("#blockers")).not_to_contain_text("evaluation", timeout=SLOW)
    approve_and_publish(reviewer, mended)
