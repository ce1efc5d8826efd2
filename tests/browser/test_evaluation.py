"""An evaluation from a file of cases to the evidence of one row,
and what it is like without script or with keys alone."""

import json
import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import DESKTOP, PHONE, Visit
from tests.support.accessibility import list_barriers

NAME = "support/refunds/reply"
SLOW = 60_000  # the worker of a busy machine takes its time


def write_cases(count: int) -> bytes:
    """Rows that fit the demo's template; the echo model says the question, so every second row is right."""
    lines = []
    for n in range(count):
        inputs = {"customer": {"name": "Nord"}, "excerpts": ["Unworn goods only."], "question": f"Boots {n}?"}
        answer = f"Boots {n if n % 2 else 99}?"
        lines.append(json.dumps({"id": f"case-{n}", "inputs": inputs, "expected": {"answer": answer}}))
    return "\n".join(lines).encode()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_cases_become_a_run_whose_rows_show_their_evidence(visit: Visit, viewport):
    page = visit.open("author", "/d/new?in=support", viewport=viewport)
    name = f"cases-{viewport['width']}"
    page.get_by_role("textbox", name=re.compile("^Name")).fill(name)
    page.get_by_label("From a file").set_input_files(
        {"name": "cases.jsonl", "mimeType": "application/json", "buffer": write_cases(24)}
    )
    page.get_by_label("Check against template").fill(NAME)
    page.get_by_role("button", name="Save as version 1").click()
    expect(page.locator("h1")).to_contain_text(name)
    expect(page.get_by_role("rowheader", name="case-0", exact=True)).to_be_visible()
    check_layout(page, viewport)

    page.goto(f"/runs/new?template={NAME}&dataset=support/{name}")
    check_layout(page, viewport)
    page.locator("#id_model").select_option("echo")
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("region", name="Progress")).to_contain_text(re.compile("Done"), timeout=SLOW)
    expect(page.get_by_role("row", name=re.compile("Words in common"))).to_contain_text(
        re.compile("No clear difference|0\\.5"), timeout=SLOW
    )
    check_layout(page, viewport)

    page.get_by_role("link", name="All 24 rows").click()
    page.get_by_role("link", name="case-1", exact=True).click()
    expect(page.locator("main")).to_contain_text("What the model read")
    expect(page.locator("main")).to_contain_text("Boots 1?")
    check_layout(page, viewport)


def test_a_run_is_started_and_followed_without_any_script(visit: Visit):
    page = visit.open("author", f"/runs/new?template={NAME}", java_script_enabled=False)
    page.get_by_label("Rows").select_option("")
    page.get_by_label("Compare with").select_option("")
    page.locator("#id_model").select_option("echo")
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("region", name="Progress")).to_contain_text(re.compile("Done"), timeout=SLOW)
    expect(page.locator("main")).to_contain_text("the rows have no expected values")


def check_layout(page: Page, viewport: ViewportSize) -> None:
    """Check that axe finds no barrier and nothing overflows the window."""
    assert list_barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
