"""One prompt from its draft to its approval: tried on a model, compared, measured, scored by a person, and proposed.

A small server of its own asks the demo's model server, which runs beside the test.
"""

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from registry.starter.demo_model import make_server
from tests.browser.conftest import DESKTOP, PHONE, Server, Visit
from tests.browser.test_evaluation import SLOW, check_layout
from tests.browser.test_playground import DONE, RECORD_TEXTS, fill_inputs
from tests.browser.test_release import take_picture
from tests.support.run_page import RunPage
from tests.support.small_site import NAME, open_small_site

MODEL, DATASET = "local model", "support/questions"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    model = make_server(0)
    threading.Thread(target=model.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        with open_small_site(tmp_path_factory.mktemp("journey")) as site:
            entry = {"base_url": f"http://127.0.0.1:{model.server_port}/v1", "price": {"prompt": 1, "completion": 2}}
            (site.home / "models.yml").write_text(json.dumps({MODEL: entry}), encoding="utf-8")
            yield site
    finally:
        model.shutdown()
        model.server_close()


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[Any]]:
    return {}


def try_draft(author: Page) -> None:
    """Another text is asked of the model beside what is live and an older version, and its reply becomes a row."""
    author.get_by_role("link", name="Edit a draft").click()
    author.locator("form.is-live").wait_for()
    author.keyboard.press("Alt+2")
    run = RunPage(author).ready()
    run.replace("in two days", "today and by name")
    fill_inputs(run, '{"name": "Ada"}')
    author.get_by_role("button", name="Add column").click()
    run.columns.nth(2).get_by_label("What this column runs").select_option("2")
    draft = run.column("This draft")
    draft.verdict.evaluate(RECORD_TEXTS)
    run.run()
    expect(draft.body.locator(".play-text")).to_contain_text("Answer Ada")
    for title in ("This draft", "production", "v2"):
        expect(run.column(title).verdict).to_have_text(DONE)
    assert "Writing" in author.evaluate("window.texts")
    expect(draft.body).to_contain_text("today and by name")
    expect(run.column("production").body).to_contain_text("at once")
    expect(run.column("v2").body).to_contain_text("in two days")
    take_picture(author, "journey-compared")

    draft.button("Add as dataset row").click()
    dialog = author.get_by_role("dialog", name="Add as dataset row")
    dialog.get_by_label("Name of the new dataset").fill(DATASET.partition("/")[2])
    dialog.get_by_label("Name of the row").fill("ada")
    take_picture(author, "journey-row")
    dialog.get_by_role("button", name="Add row").click()
    expect(author.get_by_role("link", name="Open the dataset")).to_be_visible()
    run.message.fill("Answer today")
    author.get_by_role("button", name="Save as v3").click()
    expect(run.outcome).to_contain_text("Saved as version 3")


def measure(author: Page) -> str:
    """Run version 3 over the row; return the address of the run."""
    author.get_by_role("link", name="Evaluate v3").click()
    expect(author.get_by_label("Rows")).to_have_value(DATASET)
    author.get_by_role("button", name="Start the run").click()
    expect(author.get_by_role("region", name="Progress")).to_contain_text(re.compile("Done"), timeout=SLOW)
    return author.url


def score(reviewer: Page) -> None:
    reviewer.get_by_role("link", name="Rows to score").click()
    reviewer.get_by_role("button", name="5", exact=True).click()
    expect(reviewer.get_by_role("button", name="5", exact=True, pressed=True)).to_be_visible()
    take_picture(reviewer, "journey-score")
    reviewer.get_by_role("button", name="Save and next").click()
    expect(reviewer.get_by_text("You scored every row.")).to_be_visible()
    reviewer.get_by_role("link", name=re.compile(r"^Back to run \d+")).click()
    expect(reviewer.locator("main")).to_contain_text("1 score")


def set_gate(admin: Page) -> None:
    """A threshold on what people gave, which changes have to reach."""
    admin.get_by_role("link", name="Set thresholds").click()
    expect(admin.get_by_label("Dataset", exact=True)).to_have_value(DATASET)
    expect(admin.get_by_label("Model", exact=True)).to_have_value(MODEL)
    expect(admin.get_by_label(re.compile("^Templates"))).to_have_value("reply")
    admin.get_by_label(re.compile("^Name")).fill("kindness")
    admin.get_by_label("Metric 1").select_option("reviewed_by_people")
    admin.get_by_label("Bound 1").fill("0.75")
    admin.get_by_label("Scores by people").fill("1")
    admin.get_by_role("button", name="Try on the last runs").click()
    check_layout(admin, DESKTOP)
    take_picture(admin, "journey-gate")
    admin.get_by_role("button", name="Save thresholds").click()
    expect(admin.get_by_role("row", name=re.compile("kindness"))).to_contain_text("reviewed_by_people >= 0.75")
    admin.get_by_role("link", name="Require it in the rules").click()
    admin.get_by_label("evaluation", exact=False).first.check()
    admin.get_by_role("button", name="Save").first.click()


def test_a_draft_is_tried_compared_measured_scored_gated_proposed_and_approved(visit: Visit):
    author = visit.open("author", f"/t/{NAME}")
    try_draft(author)
    address = measure(author)
    for size in (PHONE, DESKTOP):
        author.set_viewport_size(size)
        check_layout(author, size)
    take_picture(author, "journey-run")

    score(visit.open("reviewer", address))
    set_gate(visit.open("admin", address))

    author.reload()
    author.get_by_role("link", name="Propose v3 for production").click()
    author.get_by_role("button", name="Propose v3", exact=True).click()
    author.wait_for_url(re.compile(r"/changes/\d+$"))

    reviewer = visit.open("reviewer", author.url)
    checks = reviewer.locator("#checks")
    expect(checks).to_contain_text(re.compile("1 from 1 scores by 1 person, at least 0.75"), timeout=SLOW)
    take_picture(reviewer, "journey-change")
    reviewer.get_by_role("button", name="Approve v3").first.click()
    expect(reviewer.locator("#blockers")).to_contain_text("Ready to publish")
