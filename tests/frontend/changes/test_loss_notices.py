"""Metrics that get worse without a gate, as shown to approvers of a change or a release."""

import pytest

from registry.evaluations import attachments
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from tests.frontend.conftest import OTHER, REPLY, read_html
from tests.support.finished_runs import GOLD, WORSE, save_rows, start_run


@pytest.fixture
def runs(reply):
    """Version 1 is in production and answers all rows, version 3 says too much; both were run."""
    save_rows(reply)
    reply.save(WORSE)
    return start_run(reply, "1"), start_run(reply, "3")


def test_a_change_says_which_metrics_get_worse_and_links_to_both_runs(reply, runs, browser):
    number = reply.propose(3).number
    page = read_html(browser("reviewer").get(f"/changes/{number}"))
    assert "2 metrics without a gate get worse." in page
    assert "Words in common" in page
    assert f"/runs/{runs[1].pk}?against={runs[0].pk}" in page
    assert page.index("get worse.") < page.index("Approve v3 for production")


def test_a_change_of_equal_scores_is_not_reported(reply, runs, browser):
    start_run(reply, "2")
    number = reply.propose(2).number
    assert "without a gate" not in read_html(browser("reviewer").get(f"/changes/{number}"))


def test_a_metric_that_a_gate_holds_is_not_in_the_notice(reply, runs, browser):
    attachments.attach_evaluation(
        actor=reply.actor("admin"),
        namespace="support",
        name="answers",
        pattern="refunds/reply",
        dataset=GOLD,
        model="echo",
        gates=["squad_f1 >= 0.5"],
    )
    number = reply.propose(3).number
    assert "1 metric without a gate gets worse." in read_html(browser("reviewer").get(f"/changes/{number}"))


def test_a_release_names_the_template_whose_metrics_get_worse(reply, runs, browser):
    reply.save(OTHER, name="support/refunds/summary")
    proposals.propose_release(
        actor=reply.actor("author"),
        namespace="support",
        label="production",
        title="Refund window",
        description="",
        selection=ReleaseSelection(versions={REPLY: 3, "support/refunds/summary": 1}),
    )
    page = read_html(browser("reviewer").get("/releases/1"))
    assert "refunds/reply: 2 metrics without a gate get worse." in page
    assert "refunds/summary: " not in page.partition('aria-label="Decision"')[2]
