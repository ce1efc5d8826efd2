"""The results that thresholds would have had on the last runs."""

import json

import pytest

from registry.core.errors import Invalid, NotFound
from registry.evaluations import datasets, gate_trials, run_worker, start_runs
from registry.evaluations.models import Attachment
from registry.journal.models import Event

NAME, DATASET = "support/reply", "support/questions"
ROWS = "".join(
    json.dumps({"id": f"r{n}", "inputs": {"question": f"word{n}"}, "expected": f"Answer: word{n}"}) + "\n"
    for n in range(4)
)


@pytest.fixture
def evaluate(author):
    """A finished run of a version over the dataset, by the model that says back what it was asked."""
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS)

    def run(version, metrics=("squad_f1",)):
        found = start_runs.start_run(
            actor=author, template=NAME, ref=str(version.number), dataset=DATASET, metrics=list(metrics)
        )
        while run_worker.advance_run(found.pk, seconds=5):
            pass
        return found.pk

    return run


@pytest.fixture
def two(save, publish, evaluate):
    """The run of version 1, which is live and correct on all rows, and that of version 2, which is wrong on all."""
    first = save()
    publish(first)
    second = save("words that nobody expects")
    return evaluate(first), evaluate(second)


@pytest.fixture
def try_gates(admin):
    def run(*gates, actor=None, **changes):
        fields = {"namespace": "support", "pattern": "reply", "dataset": DATASET, "model": "echo", **changes}
        return gate_trials.try_gates(actor=actor or admin, gates=gates, **fields)

    return run


def results(trials):
    return [(trial.run.pk, trial.passed) for trial in trials]


def test_a_floor_is_held_against_each_run_the_newest_first(two, try_gates):
    assert results(try_gates("squad_f1 >= 0.99")) == [(two[1], False), (two[0], True)]


def test_a_fall_is_measured_from_what_is_live(two, try_gates):
    newest, live = try_gates("squad_f1 - 0.02")
    assert (newest.passed, live.passed) == (False, None)
    assert "after 1.00" in newest.outcomes[0].finding
    assert live.outcomes[0].finding == "this is what is live"


def test_the_live_version_is_judged_by_fixed_limits_only(two, try_gates):
    _, reached = try_gates("squad_f1 - 0.02", "squad_f1 >= 0.99")
    assert (reached.passed, reached.compares_only) == (True, False)
    _, undecided = try_gates("squad_f1 - 0.02", "chrf >= 0.5")
    assert (undecided.passed, undecided.compares_only) == (None, False)
    _, compared = try_gates("squad_f1 - 0.02")
    assert (compared.passed, compared.compares_only) == (None, True)


def test_a_fall_is_ignored_without_a_run_of_the_live_version(save, publish, evaluate, try_gates):
    publish(save())
    evaluate(save("other words"))
    (trial,) = try_gates("squad_f1 - 0.02")
    assert (trial.passed, trial.outcomes[0].finding) == (None, "what is live has no run over these rows")


def test_uncomputed_metrics_and_scores_by_people_are_ignored(two, try_gates):
    for gate in ("chrf >= 0.5", "reviewed_by_people >= 0.5"):
        assert {trial.passed for trial in try_gates(gate)} == {None}


def test_one_missed_threshold_fails_a_run_whatever_the_others_say(two, try_gates):
    assert try_gates("squad_f1 >= 0.99", "chrf >= 0.5")[0].passed is False


def test_only_runs_that_would_be_measured_are_looked_at(two, try_gates):
    assert try_gates("squad_f1 >= 0.5", pattern="refunds/*") == []
    assert try_gates("squad_f1 >= 0.5", model="other") == []


def test_nothing_is_stored(two, try_gates):
    before = Event.objects.count()
    try_gates("squad_f1 >= 0.5")
    assert (Event.objects.count(), Attachment.objects.count()) == (before, 0)


@pytest.mark.parametrize("gates", [[], ["squad_f1"], ["made_up >= 0.5"]])
def test_thresholds_that_cannot_be_read_are_refused(two, try_gates, gates):
    with pytest.raises(Invalid) as refusal:
        try_gates(*gates)
    assert "gates" in refusal.value.fields


def test_an_outsider_learns_nothing(two, outsider, try_gates):
    with pytest.raises(NotFound):
        try_gates("squad_f1 >= 0.5", actor=outsider)
