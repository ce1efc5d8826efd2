"""Charts of what each label served: only runs of its versions, by day, with their cost."""

import json
from datetime import timedelta

import pytest

from registry.evaluations import attachments, datasets, label_history, run_worker, start_runs
from registry.evaluations.models import Run
from registry.journal import log
from registry.templates.label_models import LabelMove
from registry.templates.models import Template, Version

ROWS = "".join(json.dumps({"id": f"r{n}", "inputs": {"question": "a"}, "expected": "Answer: a"}) + "\n" for n in (1, 2))
NAME, SCORE = "support/reply", "Words in common"


@pytest.fixture
def measured(save, author, admin):
    """Two versions and an evaluation that measures them."""
    save("words")
    save("other words")
    datasets.save_dataset(actor=author, name="support/questions", text=ROWS)
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="answers",
        pattern="*",
        dataset="support/questions",
        model="echo",
        gates=["squad_f1 >= 0.1"],
    )


def move(author, version, days_ago=0):
    """Move `canary` at a given time, which is written with the row because rows are immutable."""
    LabelMove.objects.create(
        template=Template.objects.get(name=NAME),
        label="canary",
        after=Version.objects.get(template__name=NAME, number=version),
        how="moved",
        person=author.person,
        created_at=log.now() - timedelta(days=days_ago),
    )


def measure(author, version, days_ago=0, dataset="support/questions"):
    run = start_runs.start_run(actor=author, template=NAME, ref=str(version), dataset=dataset, model="echo")
    while run_worker.advance_run(run.pk, seconds=5):
        pass
    Run.objects.filter(pk=run.pk).update(created_at=log.now() - timedelta(days=days_ago))
    return run


def find_line(actor, label, name=SCORE):
    lines = label_history.list_label_lines(actor, NAME)
    return next((line for line in lines if (line.label, line.name) == (label, name)), None)


def test_a_line_follows_a_label_over_its_versions_and_days(measured, author, reader):
    move(author, 1, days_ago=6)
    move(author, 2, days_ago=2)
    runs = [measure(author, 1, days_ago=8), measure(author, 1, days_ago=4), measure(author, 2, days_ago=1)]
    line = find_line(reader, "canary")
    assert [(point.run, point.version) for point in line.points] == [
        (run.number, version) for run, version in zip(runs, (1, 1, 2), strict=True)
    ]
    today = log.now().date()
    assert [(today - point.day).days for point in line.points] == [6, 4, 1]
    assert (line.evaluation, line.floor, line.unit) == ("answers", 0.1, "")


def test_the_newest_run_before_a_label_comes_counts_for_the_day_on_which_it_came(measured, author):
    measure(author, 1, days_ago=5)
    newest = measure(author, 1, days_ago=4)
    move(author, 1, days_ago=2)
    (point,) = find_line(author, "canary").points
    assert (point.run, (log.now().date() - point.day).days) == (newest.number, 2)


def test_of_several_runs_on_one_day_the_newest_counts(measured, author):
    move(author, 1, days_ago=3)
    measure(author, 1, days_ago=1)
    newest = measure(author, 1, days_ago=1)
    assert [point.run for point in find_line(author, "canary").points] == [newest.number]


def test_a_run_of_a_version_after_the_label_left_it_does_not_count(measured, author):
    first = measure(author, 1, days_ago=6)
    move(author, 1, days_ago=4)
    move(author, 2, days_ago=2)
    measure(author, 1)
    assert [point.run for point in find_line(author, "canary").points] == [first.number]


def test_latency_per_row_has_a_line(measured, author):
    measure(author, 1)
    move(author, 1)
    assert find_line(author, "canary", "latency a row").unit == "s"


def test_a_run_over_other_rows_is_not_of_the_evaluation(measured, author):
    datasets.save_dataset(actor=author, name="support/others", text=ROWS)
    move(author, 1)
    measure(author, 1, dataset="support/others")
    assert label_history.list_label_lines(author, NAME) == []


def test_a_label_can_be_left_out_and_an_outsider_gets_nothing(measured, author, outsider):
    measure(author, 1)
    move(author, 1)
    assert label_history.list_label_lines(author, NAME, without="canary") == []
    assert label_history.list_label_lines(outsider, NAME) == []
    assert label_history.list_label_lines(author, "support/none") == []
