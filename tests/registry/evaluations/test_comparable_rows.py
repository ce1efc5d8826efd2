"""Runs over dataset versions that differ only in names and tags are compared like runs over one version."""

import json

import pytest

from registry.core.errors import Conflict
from registry.evaluations import attachments, datasets, exports, run_matrix, run_queries
from registry.evaluations.attachment_queries import list_plans_of_template
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.metric_readings import VersionPair, read_metrics
from tests.registry.evaluations.test_run_worker import DATASET, finish, questions, start  # noqa: F401

ROWS = [{"id": f"r{n}", "inputs": {"question": f"q{n}"}, "expected": f"Answer: q{n}"} for n in range(80)]
RENAMED = [{**row, "id": f"other {row['id']}", "tags": ["late"]} for row in ROWS]
OTHERS = [*ROWS[:-1], {**ROWS[-1], "expected": "Another answer"}]


@pytest.fixture
def save_rows(author):
    """The next version of the dataset, with these rows."""

    def save_rows(rows):
        base = DatasetVersion.objects.order_by("-number").values_list("digest", flat=True).first()
        text = "".join(json.dumps(row) + "\n" for row in rows)
        return datasets.save_dataset(actor=author, name=DATASET, text=text, base=base).version

    return save_rows


@pytest.fixture
def runs(start, save_rows):  # noqa: F811  # the fixture
    """A run over the first version, one over the same rows by other names, and one that expects something else."""
    first = finish(start())
    renamed = save_rows(RENAMED)
    second = finish(start())
    assert second.dataset_version == renamed
    save_rows(OTHERS)
    return first, second, finish(start())


def test_they_have_digests_and_keys_of_their_own(runs):
    assert len({run.rows_digest for run in runs}) == len({run.key for run in runs}) == 3
    assert len({run.dataset_version.content_digest for run in runs}) == 2


def test_runs_over_them_are_found_compared_and_shown_next_to_each_other(runs, author):
    first, second, third = (run_queries.load_run(run.number) for run in runs)
    assert [run.number for run in run_queries.list_comparable_runs(first)] == [second.number]
    assert run_queries.list_comparable_runs(third) == []
    assert run_queries.compare_runs(first, second, "squad_f1").comparison.difference == 0
    matrix = run_matrix.build_run_matrix(run_matrix.read_matrix_runs(author, first.number, [second.number]))
    assert {change for row in matrix.page.items for change in row.cells[1].changes.values()} == {0.0}
    with pytest.raises(Conflict):
        run_queries.compare_runs(second, third, "squad_f1")
    with pytest.raises(Conflict):
        run_matrix.read_matrix_runs(author, second.number, [third.number])


def test_a_report_sets_one_against_the_other(runs, tmp_path):
    first, second, third = (run_queries.load_run(run.number) for run in runs)
    report = exports.write_export(second, "html", tmp_path, baseline=first).read_text()
    assert "No row got worse" in report
    with pytest.raises(Conflict):
        exports.write_export(third, "html", tmp_path, baseline=first)


def test_a_metric_is_read_against_a_run_of_what_is_served_by_other_names(start, save, save_rows):  # noqa: F811
    served = finish(start())
    save_rows(RENAMED)
    version = save("words that nobody expects")
    finish(start(ref=str(version.number)))
    readings = read_metrics([VersionPair(version.template, version, served.version.digest)])[version.template_id]
    assert readings.baseline == served
    assert {metric.reading for metric in readings.metrics} == {"worse"}


def test_thresholds_of_an_evaluation_hold_for_runs_of_both(runs, admin):
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="answers",
        pattern="*",
        dataset=DATASET,
        dataset_version=1,
        model="echo",
        gates=["squad_f1 >= 2"],
    )
    (plan,) = list_plans_of_template(runs[0].template)
    assert [plan.measures(run) for run in runs] == [True, True, False]
    assert plan.rows_digest == runs[0].rows_digest
    pair = VersionPair(runs[1].template, runs[1].version, None)
    runs[2].delete()
    (gated,) = [one for one in read_metrics([pair])[runs[1].template_id].metrics if one.gate]
    assert gated.passes is False


def test_a_version_that_an_earlier_release_wrote_is_compared_all_the_same(runs):
    first, second, third = (run_queries.load_run(run.number) for run in runs)
    for run in (first, second, third):  # saved ones are never changed, so only these objects have none
        run.dataset_version.content_digest = ""
    assert first.shares_rows_with(second)
    assert not first.shares_rows_with(third)
    assert run_queries.list_comparable_runs(first) == []
