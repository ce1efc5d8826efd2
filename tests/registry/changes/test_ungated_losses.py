"""Metrics of change requests that get worse and that no threshold covers."""

import json

import pytest

from registry.changes import emergencies, gate, rules, ungated_losses
from registry.changes import services as change_services
from registry.evaluations import attachments, datasets, run_worker, start_runs

NAME, DATASET = "support/reply", "support/questions"
ROWS = "".join(
    json.dumps({"id": f"r{n}", "inputs": {"question": f"word{n}"}, "expected": f"Answer: word{n}"}) + "\n"
    for n in range(8)
)


@pytest.fixture
def evaluate(author):
    """A finished run of a version over the dataset, by the model that says back what it was asked."""
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS)

    def run(version):
        metrics = ["squad_f1", "exact_match"]
        found = start_runs.start_run(
            actor=author, template=NAME, ref=str(version.number), dataset=DATASET, metrics=metrics
        )
        while run_worker.advance_run(found.pk, seconds=5):
            pass
        return found

    return run


@pytest.fixture
def worse(save, publish, propose, evaluate):
    """A request whose version answers every row wrong, while production's answers all correctly."""
    first = save()
    publish(first)
    second = save("words that nobody expects")
    before, after = evaluate(first), evaluate(second)
    return propose(second), before, after


def read_losses(change):
    change.refresh_from_db()
    return ungated_losses.find_ungated_losses([gate.evaluate(change, None)]).get(change.number)


def test_metrics_that_get_worse_come_with_both_runs(worse):
    change, before, after = worse
    losses = read_losses(change)
    assert (losses.change, losses.run.pk, losses.baseline.pk) == (change.number, after.pk, before.pk)
    assert [metric.metric for metric in losses.metrics] == ["exact_match", "squad_f1"]


def test_a_metric_with_a_threshold_is_left_to_its_check(admin, worse):
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="answers",
        pattern="reply",
        dataset=DATASET,
        model="echo",
        gates=["squad_f1 >= 0.5"],
    )
    assert [metric.metric for metric in read_losses(worse[0]).metrics] == ["exact_match"]


def test_a_version_that_was_never_run_has_no_losses(save, publish, propose, evaluate):
    first = save()
    publish(first)
    evaluate(first)
    assert read_losses(propose(save("other words"))) is None


def test_without_a_run_of_what_is_served_there_are_no_losses(save, publish, propose, evaluate):
    publish(save())
    second = save("words that nobody expects")
    evaluate(second)
    assert read_losses(propose(second)) is None


def test_a_closed_request_has_no_losses(worse, author):
    change = worse[0]
    assert read_losses(change) is not None
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    assert read_losses(change) is None


def test_an_emergency_that_waits_for_its_approval_is_set_against_what_was_served_before(worse, admin, reviewer):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    change = worse[0]
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="The old words are wrong.")
    assert [metric.metric for metric in read_losses(change).metrics] == ["exact_match", "squad_f1"]
