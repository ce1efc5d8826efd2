"""The page of several runs side by side: averages, filters, order, the panel of one row, and runs under way."""

import re

import pytest

from tests.frontend.conftest import words
from tests.support.finished_runs import WORSE, dataset_rows, save_rows, start_run


@pytest.fixture
def two(reply):
    """Version 1, which says what is expected, and version 3, which says too much."""
    save_rows(reply)
    reply.save(WORSE)
    return start_run(reply, "1"), start_run(reply, "3")


def matrix(browser, runs, role="reader", **query):
    first, *others = runs
    return words(browser(role).get(f"/runs/{first.pk}/matrix", {"with": [run.pk for run in others], **query}))


def test_one_run_is_a_matrix_of_one_column(browser, two):
    page = matrix(browser, two[:1])
    assert "Words in common" in page
    assert "Regressions" not in page
    assert "case-5" in page


def test_rows_stand_beside_each_other_with_what_got_worse(browser, two):
    page = matrix(browser, two)
    assert page.count("worse than the first run") >= 6
    assert "Boot 0? and more words than that" in page
    assert "Regressions 6" in re.sub(r"\s+", " ", page)


def test_the_first_run_is_the_one_that_others_are_compared_with(browser, two):
    assert "better than the first run" in matrix(browser, two[::-1])
    assert "worse than the first run" not in matrix(browser, two[::-1])


@pytest.mark.parametrize(("only", "rows"), [("regressions", 6), ("improvements", 0), ("failed", 0), ("unscored", 0)])
def test_rows_are_filtered(browser, two, only, rows):
    page = matrix(browser, two, only=only)
    assert page.count("<tr data-row") == rows
    assert ("No rows here" in page) is (rows == 0)


def test_a_row_opens_with_its_replies_and_a_link_to_the_evidence(browser, two):
    page = matrix(browser, two, row=2).partition('id="panel"')[2]
    assert "Boot 2?" in page
    assert "3 of 6" in page
    assert f"/runs/{two[1].pk}/rows/2?against={two[0].pk}" in page
    assert "<ins" in page


def test_a_run_under_way_shows_the_rows_that_are_there_and_asks_again(browser, reply, two):
    waiting = start_run(reply, "2", finish=False)
    page = matrix(browser, [two[0], waiting])
    assert "not asked yet" in page
    assert 'hx-trigger="every 3s"' in page
    assert "Waiting, 0 of 6" in re.sub(r"\s+", " ", page)


def test_runs_that_can_be_added_are_offered(browser, two):
    assert f'<option value="{two[1].pk}">' in matrix(browser, two[:1])
    assert "Add column" not in matrix(browser, two)


def test_runs_over_other_rows_are_not_put_side_by_side(browser, reply, two):
    save_rows(reply, dataset_rows(7), two[0].dataset_version.digest)
    other = start_run(reply, "1")
    answer = browser("reader").get(f"/runs/{two[0].pk}/matrix", {"with": other.pk})
    assert answer.status_code == 409
    assert "went over different rows" in words(answer)


@pytest.mark.parametrize("query", [{"only": "odd"}, {"order": "odd"}, {"by": "odd"}, {"with": [11, 12, 13, 14, 15]}])
def test_what_is_not_known_is_refused(browser, two, query):
    assert browser("reader").get(f"/runs/{two[0].pk}/matrix", query).status_code == 422


def test_a_run_of_others_is_not_found(browser, two):
    assert browser("outsider").get(f"/runs/{two[0].pk}/matrix").status_code == 404
    assert browser("reader").get(f"/runs/{two[0].pk}/matrix", {"row": 99}).status_code == 404
    assert browser("reader").get(f"/runs/{two[0].pk}/matrix", {"with": 999}).status_code == 404
