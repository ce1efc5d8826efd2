"""Readings of metrics: worse, better or unclear relative to the served version, with their threshold."""

import json

import pytest

from registry.evaluations import attachments, datasets, run_worker, start_runs
from registry.evaluations.metric_readings import VersionPair, read_metrics

NAME, DATASET = "support/reply", "support/questions"
ROWS = "".join(
    json.dumps({"id": f"r{n}", "inputs": {"question": f"word{n}"}, "expected": f"Answer: word{n}"}) + "\n"
    for n in range(8)
)


@pytest.fixture
def evaluate(author):
    """A finished run of a version over the dataset, by the model that says back what it was asked."""

    def run(version, metrics=("squad_f1", "exact_match")):
        datasets.save_dataset(actor=author, name=DATASET, text=ROWS)
        found = start_runs.start_run(
            actor=author, template=NAME, ref=str(version.number), dataset=DATASET, metrics=list(metrics)
        )
        while run_worker.advance_run(found.pk, seconds=5):
            pass
        found.refresh_from_db()
        return found

    return run


def read(version, serves):
    pair = VersionPair(version.template, version, serves.digest if serves else None)
    return read_metrics([pair]).get(version.template_id)


def test_a_version_that_was_never_run_has_no_readings(save):
    assert read(save("one"), None) is None


def test_without_a_run_of_what_is_served_nothing_is_clear(save, evaluate):
    first, second = save(), save("words that nobody expects")
    run = evaluate(second)
    readings = read(second, first)
    assert (readings.run.number, readings.baseline) == (run.number, None)
    assert {metric.reading for metric in readings.metrics} == {"unclear"}


def test_a_metric_that_falls_on_every_row_is_worse(save, evaluate):
    first, second = save(), save("words that nobody expects")
    before, after = evaluate(first), evaluate(second)
    readings = read(second, first)
    assert (readings.run.number, readings.baseline.number) == (after.number, before.number)
    assert {metric.metric: metric.reading for metric in readings.metrics} == {
        "exact_match": "worse",
        "squad_f1": "worse",
    }
    assert (readings.count("worse"), readings.worse_without_gate) == (2, 2)
    metric = readings.metrics[0]
    assert (metric.before, metric.after, metric.difference) == (1.0, 0.0, -1.0)


def test_the_way_back_is_better_and_the_same_text_is_unclear(save, evaluate):
    first, second = save(), save("words that nobody expects")
    evaluate(first)
    evaluate(second)
    assert {metric.reading for metric in read(first, second).metrics} == {"better"}
    assert read(first, first).baseline is None


def test_the_threshold_of_an_attached_evaluation_is_next_to_its_metric(admin, save, evaluate):
    first, second = save(), save("words that nobody expects")
    evaluate(first)
    evaluate(second)
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="answers",
        gates=["squad_f1 >= 0.99"],
        pattern="reply",
        dataset=DATASET,
        model="echo",
    )
    metrics = {metric.metric: metric for metric in read(second, first).metrics}
    assert (metrics["squad_f1"].gate, metrics["squad_f1"].passes) == ("squad_f1 >= 0.99", False)
    assert (metrics["exact_match"].gate, metrics["exact_match"].passes) == ("", None)
    assert read(second, first).worse_without_gate == 1


def test_worse_metrics_come_first(save, evaluate):
    first, second = save(), save("words that nobody expects")
    evaluate(first, ("exact_match",))
    evaluate(second, ("contains", "exact_match"))
    assert [(metric.metric, metric.reading) for metric in read(second, first).metrics] == [
        ("exact_match", "worse"),
        ("contains", "unclear"),
    ]
