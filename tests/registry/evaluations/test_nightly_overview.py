"""The home page's charts: a template's metric over the last nights, the most relevant to the person first."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import rules
from registry.evaluations import attachments, datasets, nightly_overview, nightly_runs, run_worker
from registry.evaluations.models import Run
from registry.templates.models import Template

EVENING = datetime(2026, 3, 4, 23, tzinfo=UTC)
TODAY = EVENING.date()
ROWS = "".join(json.dumps({"id": f"r{n}", "inputs": {"question": "a"}, "expected": "Answer: a"}) + "\n" for n in (1, 2))


@pytest.fixture
def measured(save, publish, author, admin):
    """Two live templates of the author after two nights: neither answers what is expected."""
    publish(save("words"))
    publish(save("words", name="support/other"))
    datasets.save_dataset(actor=author, name="support/questions", text=ROWS)
    attach(admin, gates=["squad_f1 - 0.5"])
    measure(-1), measure(0)


def attach(admin, **changes):
    fields = {"pattern": "*", "dataset": "support/questions", "model": "echo", "nightly": True, "metrics": ["chrf"]}
    return attachments.attach_evaluation(actor=admin, namespace="support", name="answers", **{**fields, **changes})


def measure(night):
    nightly_runs.start_nightly_runs(EVENING + timedelta(days=night))
    for number in Run.objects.exclude(night=None).exclude(state=Run.DONE).values_list("pk", flat=True):
        while run_worker.advance_run(number, seconds=5):
            pass


def names(actor, failing=(), **options):
    return [row.template.name for row in nightly_overview.list_template_lines(actor, failing, TODAY, **options)]


def test_each_template_has_one_line_of_all_its_nights(measured, author):
    rows = nightly_overview.list_template_lines(author, (), TODAY)
    assert [(row.template.name, len(row.line.points), row.is_owned) for row in rows] == [
        ("support/other", 2, True),
        ("support/reply", 2, True),
    ]
    assert all(row.line.floor is None and not row.line.is_missed for row in rows)


def test_failing_templates_come_first_then_owned_ones(measured, author, reader, admin):
    reply = Template.objects.get(name="support/reply")
    assert names(reader, {reply.pk})[0] == "support/reply"
    rules.set_rules(actor=admin, namespace="support", owners=[{"pattern": "reply", "people": ["author", "reader"]}])
    assert names(reader) == ["support/reply", "support/other"]
    assert names(reader, limit=1) == ["support/reply"]


def test_a_metric_below_its_threshold_is_the_line_that_is_shown(measured, author, admin):
    attach(admin, gates=["squad_f1 >= 0.9"])
    measure(1)
    rows = nightly_overview.list_template_lines(author, (), TODAY + timedelta(days=1))
    assert {row.line.name.partition(" ")[0] for row in rows} == {"Words"}  # in common
    assert all(row.line.is_missed and row.line.floor == 0.9 for row in rows)


def test_old_nights_and_unreadable_templates_are_left_out(measured, author, outsider):
    assert names(outsider) == []
    assert nightly_overview.list_template_lines(author, (), TODAY + timedelta(days=nightly_overview.NIGHTS)) == []


def test_two_templates_cost_as_much_as_one(measured, author, django_assert_num_queries):
    with django_assert_num_queries(6):
        assert len(names(author)) == 2
    with django_assert_num_queries(6):
        assert len(names(author, limit=1)) == 1
