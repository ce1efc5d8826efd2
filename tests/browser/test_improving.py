"""From a run of the demo model to its proposal, which is measured and taken into a draft in the editor."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, Visit
from tests.browser.test_evaluation import check_layout
from tests.browser.test_scoring import reload_until

MODEL = "Demo model, local"


def test_a_proposal_is_asked_for_measured_and_taken_into_a_draft(visit: Visit):
    page = visit.open("author", "/runs/new?template=support/refunds/answer&ref=1&dataset=support/refunds/questions")
    page.get_by_label("Model", exact=False).first.select_option(MODEL)
    page.get_by_label("Compare with").select_option("")
    page.get_by_role("button", name="Start the run").click()
    page.wait_for_url(re.compile(r"/runs/\d+"))
    reload_until(page, re.compile("Suggest an improvement"))
    page.get_by_role("link", name="Suggest an improvement").click()
    expect(page.get_by_text("of 200 rows failed or are below a threshold")).to_be_visible()
    page.get_by_label("Guidance").fill("Keep it short")
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        check_layout(page, size)
    page.get_by_role("button", name="Ask the model").click()
    page.wait_for_url(re.compile(r"/improvements/\d+"))
    expect(page.get_by_role("heading", name="Before and after")).to_be_visible(timeout=90_000)
    expect(page.get_by_text("Your guidance: “Keep it short”")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Rows that the model did not see")).to_be_visible()
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        check_layout(page, size)
    page.get_by_label("Name of the draft").fill("Fewer words")
    page.get_by_role("button", name="Take into a draft").click()
    page.wait_for_url(re.compile(r"/-/edit\?draft=Fewer"))
    expect(page.locator("main")).to_contain_text("Answer in as few words as you can.")
