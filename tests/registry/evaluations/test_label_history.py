"""Lines of what each label served: runs of its versions by day, with what they cost, and nobody else's."""

import json
from datetime import timedelta

import pytest

from registry.evaluations import attachments, datasets, label_history, run_worker, start_runs
from registry.evaluations.models import Run
from registry.templates import labels
from registry.templates.label_models import LabelMove

ROWS = "".join(json.dumps({"id": f"r{n}", "inputs": {"question": "a"}, "expected": "Answer: a"}) + "\n" for n in (1, 2))
NAME, SCORE = "support/reply", "squad_f1 of answer"


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


def move(author, label, version, expected=None):
    labels.move_label(actor=author, name=NAME, label=label, version=version, expected=expected)


def measure(author, version, dataset="support/questions"):
    run = start_runs.start_run(actor=author, template=NAME, ref=str(version), dataset=dataset, model="echo")
    while run_worker.advance_run(run.pk, seconds=5):
        pass
    return run


def shift(days):
    """Make everything so far so many days older."""
    for model in (Run, LabelMove):
        for row in model.objects.all():
            model.objects.filter(pk=row.pk).update(created_at=row.created_at - timedelta(days=days))


def find_line(actor, label, name=SCORE):
    lines = label_history.list_label_lines(actor, NAME)
    return next((line for line in lines if (line.label, line.name) == (label, name)), None)


def test_a_line_follows_a_label_over_its_versions_and_days(measured, author, reader):
    measure(author, 1)
    move(author, "canary", 1)
    shift(2)
    again = measure(author, 1)
    shift(1)
    measure(author, 2)
    move(author, "canary", 2, expected=1)
    line = find_line(reader, "canary")
    days = [point.day for point in line.points]
    assert [point.version for point in line.points] == [1, 1, 2]
    assert [(day - days[0]).days for day in days] == [0, 2, 3]
    assert line.points[1].run == again.number
    assert (line.evaluation, line.floor, line.unit) == ("answers", 0.1, "")


def test_the_newest_run_before_a_label_comes_counts_for_the_day_on_which_it_came(measured, author):
    measure(author, 1)
    newest = measure(author, 1)
    shift(3)
    move(author, "canary", 1)
    (point,) = find_line(author, "canary").points
    assert point.run == newest.number
    assert point.day == LabelMove.objects.get(label="canary").created_at.date()


def test_a_run_of_a_version_after_the_label_left_it_does_not_count(measured, author):
    first = measure(author, 1)
    move(author, "canary", 1)
    move(author, "canary", 2, expected=1)
    shift(1)
    measure(author, 1)
    assert [point.run for point in find_line(author, "canary").points] == [first.number]


def test_what_a_row_took_has_lines_too(measured, author):
    measure(author, 1)
    move(author, "canary", 1)
    assert find_line(author, "canary", "latency a row").unit == "s"


def test_a_run_over_other_rows_is_not_of_the_evaluation(measured, author):
    datasets.save_dataset(actor=author, name="support/others", text=ROWS)
    move(author, "canary", 1)
    measure(author, 1, dataset="support/others")
    assert label_history.list_label_lines(author, NAME) == []


def test_a_label_can_be_left_out_and_an_outsider_gets_nothing(measured, author, outsider):
    measure(author, 1)
    move(author, "canary", 1)
    assert label_history.list_label_lines(author, NAME, without="canary") == []
    assert label_history.list_label_lines(outsider, NAME) == []
    assert label_history.list_label_lines(author, "support/none") == []
