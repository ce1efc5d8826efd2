"""Runs side by side: changes from the first, filters, order, pages, and figures during a run."""

import json
from datetime import date

import pytest

from registry.core.errors import Conflict, Invalid, NotFound
from registry.evaluations import datasets, run_matrix, run_queries, run_worker, start_runs
from registry.evaluations.models import Run, RunRow
from tests.registry.evaluations.test_run_worker import DATASET, finish, questions, start, write  # noqa: F401

TEXT = "squad_f1 answer"


@pytest.fixture
def runs(start):  # noqa: F811  # the fixture
    """Two runs of ten rows by the same version, whose scores the tests set."""
    return finish(start()), finish(start())


def set_scores(run, scores):
    for index, score in scores.items():
        RunRow.objects.filter(run=run, index=index).update(scores_text=json.dumps({TEXT: score}))


def indexes(runs, **options):
    return [row.index for row in run_matrix.build_run_matrix(runs, limit=100, **options).page.items]


def test_changes_are_those_against_the_first_run(runs):
    set_scores(runs[1], {3: 0.25, 4: 0.5})
    matrix = run_matrix.build_run_matrix(runs)
    assert matrix.page.items[3].cells[1].changes[TEXT] == -0.75
    assert matrix.page.items[3].cells[0].changes == {}
    assert (matrix.counts["regressions"], matrix.counts["improvements"]) == (2, 0)
    assert indexes(runs, only="regressions", order="drop") == [3, 4]
    assert indexes(runs[::-1], only="improvements", order="gain") == [3, 4]


def test_a_metric_narrows_regressions(runs):
    set_scores(runs[1], {3: 0.25})
    assert indexes(runs, only="regressions", metric=TEXT) == [3]
    assert indexes(runs, only="regressions", metric="squad_exact_match answer") == []


def test_a_tag_narrows_rows_and_counts(runs):
    set_scores(runs[1], {3: 0.25, 4: 0.5})
    version = runs[0].dataset_version  # a saved one is never changed, so only this object gets tags
    lines = version.text.splitlines()
    for index in (4, 7):
        lines[index] = json.dumps({**json.loads(lines[index]), "tags": ["late"]})
    version.text = "\n".join(lines)
    matrix = run_matrix.build_run_matrix(runs, tag="late")
    assert ([row.index for row in matrix.page.items], matrix.tags) == ([4, 7], ("late",))
    assert (matrix.counts["all"], matrix.counts["regressions"]) == (2, 1)


def test_any_of_the_runs_can_be_the_baseline(runs):
    set_scores(runs[1], {3: 0.25, 4: 0.5})
    matrix = run_matrix.build_run_matrix(runs, baseline=runs[1].pk, order="gain")
    assert matrix.baseline == runs[1]
    assert (matrix.counts["regressions"], matrix.counts["improvements"], matrix.compared) == (0, 2, 80)
    assert matrix.page.items[0].cells[0].changes[TEXT] == 0.75
    assert run_matrix.read_matrix_row(runs, 3, runs[1].pk).cells[1].changes == {}


def test_rows_that_failed_alike_are_grouped_and_found_by_their_reason(runs):
    for run, index, message in ((0, 1, "slow"), (1, 1, "slow"), (1, 5, "slow"), (1, 2, "empty")):
        result = json.dumps({"problem": {"step": "model", "kind": "x", "message": message}})
        RunRow.objects.filter(run=runs[run], index=index).update(is_failed=True, scores_text="{}", result=result)
    failures = run_matrix.build_run_matrix(runs).failures
    assert [(reason.message, reason.count) for reason in failures] == [("slow", 2), ("empty", 1)]
    assert indexes(runs, only="failed", reason=failures[0].key) == [1, 5]
    assert indexes(runs, reason="unknown") == []


def test_rows_without_a_score_are_those_not_scored(runs):
    set_scores(runs[1], {7: None})
    assert indexes(runs, only="unscored") == [7]


def test_failed_rows_are_left_out_of_the_means(runs):
    RunRow.objects.filter(run=runs[1], index=0).update(is_failed=True, scores_text="{}")
    set_scores(runs[1], {1: 0.0})
    matrix = run_matrix.build_run_matrix(runs)
    mean, count = matrix.means[runs[1].number][TEXT]
    assert (round(mean, 4), count) == (round(78 / 79, 4), 79)
    assert matrix.counts["failed"] == 1


def test_pages_follow_each_other_in_the_order(runs):
    first = run_matrix.build_run_matrix(runs, limit=50)
    second = run_matrix.build_run_matrix(runs, limit=50, cursor=first.page.next)
    assert [row.index for row in (*first.page.items, *second.page.items)] == list(range(80))
    assert second.page.next is None


def test_the_page_with_an_opened_row_is_read(runs):
    matrix = run_matrix.build_run_matrix(runs, limit=50, opened=60)
    assert [row.index for row in matrix.page.items] == list(range(50, 80))
    assert matrix.indexes == tuple(range(80))
    assert run_matrix.build_run_matrix(runs, limit=50, opened=49).page.items[0].index == 0
    assert run_matrix.build_run_matrix(runs, limit=50, opened=900).page.items[0].index == 0
    filtered = run_matrix.build_run_matrix(runs, limit=50, only="failed", opened=60)
    assert (filtered.page.items, filtered.indexes) == ([], ())


def test_a_run_under_way_has_the_scores_of_its_rows_so_far(start):  # noqa: F811
    run = start()
    assert run_worker.advance_run(run.pk, seconds=0)
    run.refresh_from_db()
    matrix = run_matrix.build_run_matrix([run])
    assert matrix.means[run.number][TEXT] == (1.0, 64)
    assert matrix.counts["unscored"] == 16
    assert run.scores == {}


def test_one_row_is_read_with_all_its_cells(runs):
    row = run_matrix.read_matrix_row(runs, 5)
    assert (row.row.id, len(row.cells)) == ("r5", 2)
    with pytest.raises(NotFound):
        run_matrix.read_matrix_row(runs, 80)


def test_runs_of_other_rows_and_too_many_are_refused(reader, author, runs, start):  # noqa: F811
    datasets.save_dataset(actor=author, name="support/other", text=write(3))
    run = start_runs.start_run(actor=author, template="support/reply", dataset="support/other")
    with pytest.raises(Conflict):
        run_matrix.read_matrix_runs(reader, runs[0].pk, [run.pk])
    with pytest.raises(Invalid):
        run_matrix.read_matrix_runs(reader, runs[0].pk, range(100, 106))
    assert run_matrix.read_matrix_runs(reader, runs[0].pk, [runs[1].pk, runs[0].pk]) == runs


@pytest.mark.parametrize("options", [{"only": "odd"}, {"order": "odd"}, {"metric": "odd"}, {"baseline": 999}])
def test_unknown_options_are_refused(runs, options):
    with pytest.raises(Invalid):
        run_matrix.build_run_matrix(runs, **options)


def test_nightly_runs_are_offered_after_all_others(runs):
    first, second = runs
    Run.objects.filter(pk=second.pk).update(night=date(2026, 3, 4), evaluation="answers")
    third = Run.objects.get(pk=first.pk)
    third.pk, third.night = None, None
    third.save(force_insert=True)
    numbers = [run.pk for run in run_queries.list_comparable_runs(first)]
    assert numbers == [third.pk, second.pk]
    newest = Run.objects.get(pk=second.pk)
    newest.pk, newest.night = None, date(2026, 3, 5)
    newest.save(force_insert=True)
    assert [run.pk for run in run_queries.list_comparable_runs(first)] == [third.pk, newest.pk, second.pk]
