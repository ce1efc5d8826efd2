"""Several runs started together: all over the same rows or none, their total cost, and each refusal."""

import json
from decimal import Decimal

import pytest

from registry.core.errors import Invalid, NotAllowed, TooMany
from registry.evaluations import datasets, start_runs
from registry.evaluations.models import Run
from registry.evaluations.run_estimates import join_estimates
from registry.evaluations.start_together import RunColumn, estimate_runs, start_runs_together
from registry.jobs.models import Job

NAME, DATASET = "support/reply", "support/questions"
ROWS = "".join(
    json.dumps({"inputs": {"question": f"word{n}"}, "expected": f"Answer: word{n}"}) + "\n" for n in range(4)
)


@pytest.fixture
def versions(author, save):
    """Two versions and four rows."""
    found = save(), save("in another way")
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS)
    return found


@pytest.fixture
def models(settings, tmp_path):
    """Two models of the operator with prices."""
    settings.MODELS_PATH = tmp_path / "models.yml"
    facts = "{base_url: 'http://127.0.0.1:9/v1', price: {prompt: 1, completion: 2}}"
    settings.MODELS_PATH.write_text("".join(f"{name}: {facts}\n" for name in ("small", "large")))


def start(actor, *columns, **more):
    chosen = [RunColumn(*column) for column in columns]
    return start_runs_together(actor=actor, template=NAME, columns=chosen, dataset=DATASET, **more)


def test_each_column_is_a_run_over_the_same_rows(author, versions, models):
    runs = start(author, ("1", "echo"), ("2", "echo"), ("2", "small"), metrics=["chrf"])
    assert [(run.version.number, run.model) for run in runs] == [(1, "echo"), (2, "echo"), (2, "small")]
    assert len({run.rows_digest for run in runs}) == 1
    assert {tuple(run.metrics) for run in runs} == {("chrf",)}
    assert Job.objects.filter(kind="evaluation.run").count() == 3


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        ([], "columns"),
        ([("1", "echo")] * 6, "columns"),
        ([("1", "echo"), ("1", "echo")], "columns"),
        ([("2", "echo"), ("latest", "echo")], "columns"),
        ([("1", "echo"), ("2", "huge")], "columns.1.model"),
    ],
)
def test_a_column_that_cannot_run_is_named_and_nothing_is_started(author, versions, columns, field):
    with pytest.raises(Invalid) as caught:
        start(author, *columns)
    assert list(caught.value.fields) == [field]
    assert not Run.objects.exists()
    assert not Job.objects.filter(kind="evaluation.run").exists()


def test_where_there_is_no_room_for_all_none_is_started(author, versions, monkeypatch):
    monkeypatch.setattr(start_runs, "MAX_UNFINISHED", 1)
    with pytest.raises(TooMany):
        start(author, ("1", "echo"), ("2", "echo"))
    assert not Run.objects.exists()


def test_a_reader_starts_none(reader, versions):
    with pytest.raises(NotAllowed):
        start(reader, ("1", "echo"), ("2", "echo"))


def test_the_expected_cost_of_all_is_known_before(author, versions, models):
    columns = [RunColumn("1", "small"), RunColumn("2", "large")]
    costs = estimate_runs(actor=author, template=NAME, columns=columns, dataset=DATASET)
    together = join_estimates(costs)
    assert together.rows == 8
    assert together.cost == sum((one.cost for one in costs if one.cost), Decimal(0)) > 0
    mixed = estimate_runs(actor=author, template=NAME, columns=[*columns, RunColumn("1", "echo")], dataset=DATASET)
    assert join_estimates(mixed).cost is None
    assert not Run.objects.exists()
