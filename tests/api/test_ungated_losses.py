"""Metrics that get worse without a gate, in API responses about changes and releases."""

import pytest

from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from tests.api.conftest import DOCUMENT, REPLY, Caller
from tests.support.finished_runs import save_rows, start_run

WORSE = DOCUMENT.replace("{{ question }}", "{{ question }} and more words than that")


@pytest.fixture
def runs(cast):
    """Version 1 is in production and answers all rows, version 2 says too much; both were run."""
    cast.save(WORSE, base=cast.save().version.digest)
    cast.publish(1)
    save_rows(cast)
    return start_run(cast, "1"), start_run(cast, "2")


def test_a_change_has_the_metrics_with_both_runs(cast, caller, runs):
    number = cast.propose(2).number
    losses = caller("reader").get(f"changes/{number}").json()["ungated_losses"]
    assert (losses["change"], losses["run"], losses["baseline_run"]) == (number, runs[1].pk, runs[0].pk)
    names = {metric["metric"]: metric["reading"] for metric in losses["metrics"]}
    assert names == {"squad_f1": "worse", "squad_exact_match": "worse"}


def test_a_change_without_runs_has_none(cast, caller):
    cast.save()
    assert caller("reader").get(f"changes/{cast.propose(1).number}").json()["ungated_losses"] is None


def test_a_key_that_may_not_read_gets_no_scores(cast, runs):
    number = cast.propose(2).number
    answer = Caller(key=cast.key(scope="", verbs=["propose"])).post(f"changes/{number}/version", {"version": 2})
    assert answer.json()["number"] == number
    assert answer.json()["ungated_losses"] is None


def test_a_release_has_those_of_its_templates(cast, caller, runs):
    release = proposals.propose_release(
        actor=cast.actor("author"),
        namespace="support",
        label="production",
        title="Refund window",
        description="",
        selection=ReleaseSelection(versions={REPLY: 2}),
    ).release
    answer = caller("reader").get(f"namespaces/support/releases/{release.number}").json()
    assert [losses["change"] for losses in answer["ungated_losses"]] == [answer["members"][0]["change"]]
