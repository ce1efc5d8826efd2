"""The page of several runs side by side: averages, filters, order, the panel of a row, and unfinished runs."""

import html
import json
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.evaluations.models import Run, RunRow
from registry.journal import log
from tests.frontend.conftest import read_html
from tests.support.finished_runs import WORSE, dataset_rows, save_rows, start_run


@pytest.fixture
def two(reply):
    """Version 1, which says what is expected, and version 3, which says too much."""
    save_rows(reply)
    reply.save(WORSE)
    return start_run(reply, "1"), start_run(reply, "3")


def matrix(browser, runs, role="reader", **query):
    first, *others = runs
    return read_html(browser(role).get(f"/runs/{first.pk}/matrix", {"with": [run.pk for run in others], **query}))


def test_one_run_is_a_matrix_of_one_column(browser, two):
    page = matrix(browser, two[:1])
    assert "Words in common" in page
    assert "Regressions" not in page
    assert "case-5" in page


def test_two_runs_of_one_version_and_model_are_distinguished_by_their_number(browser, reply, two):
    first, again = two[0], start_run(reply, "1", metrics=["contains"])
    page = re.sub(r"\s+", " ", matrix(browser, [first, again]))
    for run in (first, again):
        assert f"against v1 echo, run {run.pk}" in page
    assert f"run {first.pk}" not in re.sub(r"\s+", " ", matrix(browser, two)).partition("against v1 echo")[2][:40]


def test_rows_are_next_to_each_other_with_what_got_worse(browser, two):
    page = matrix(browser, two)
    assert page.count("worse than the baseline") >= 6
    assert "Boot 0? and more words than that" in page
    assert "Regressions 6" in re.sub(r"\s+", " ", page)


def test_the_first_run_is_the_baseline_unless_another_is_chosen(browser, two):
    assert "better than the baseline" in matrix(browser, two[::-1])
    assert "worse than the baseline" not in matrix(browser, two[::-1])
    chosen = matrix(browser, two, baseline=two[1].pk)
    assert "better than the baseline" in chosen
    assert "worse than the baseline" not in chosen
    assert f"Each run is compared with run {two[1].pk}" in chosen
    assert f"baseline={two[1].pk}&amp;only=improvements" in chosen
    assert f'<option value="{two[1].pk}" selected>' in chosen
    assert f"?against={two[1].pk}" in matrix(browser, two, baseline=two[1].pk, row=2)


def test_a_sentence_says_how_many_rows_got_worse(browser, two):
    page = re.sub(r"<[^>]+>", "", matrix(browser, two))
    assert "6 of 6 rows got worse on at least one metric than with v1 echo. Better: 0." in page
    page = re.sub(r"<[^>]+>", "", matrix(browser, two, by="squad_f1 answer", baseline=two[1].pk))
    assert "0 of 6 rows got worse on “Words in common” than with v3 echo. Better: 6." in page
    assert "got worse" not in matrix(browser, two[:1])


def test_columns_say_what_is_live_and_what_is_proposed(browser, reply, two):
    assert "proposed</a>" not in matrix(browser, two)
    change = reply.propose(3)
    page = matrix(browser, two)
    assert page.count("pill-protected") == 1
    assert page.index("pill-protected") < page.index(f'<a class="note" href="/changes/{change.number}">proposed</a>')


def test_averages_are_shown_with_cost_and_latency_of_a_reply(browser, two):
    RunRow.objects.filter(run=two[0]).update(milliseconds=2500, is_cached=False)
    RunRow.objects.filter(run=two[0], index=0).update(milliseconds=0, is_cached=True)  # known before: no latency
    Run.objects.filter(pk=two[0].pk).update(cost="0.0246", currency="USD")
    page = matrix(browser, two)
    assert "0.0041 USD, 2.5 s" in page
    assert "cost not known" in page


def test_figures_that_differ_look_different(browser, two):
    for run, score in zip(two, (0.97, 0.975), strict=True):
        RunRow.objects.filter(run=run).update(scores_text=json.dumps({"squad_f1 answer": score}))
        Run.objects.filter(pk=run.pk).update(
            scores_text=json.dumps({"squad_f1": {"answer": {"score": score, "scored": 6, "of": 6}}})
        )
    page = matrix(browser, two)
    assert "<b>0.970</b>" in page
    assert "<b>0.975</b>" in page
    assert "+0.005" in page
    assert "Words in common 0.975" in re.sub(r"\s+", " ", page)
    panel = re.sub(r"<[^>]+>|\s+", " ", matrix(browser, two, row=2))
    assert "0.970" in panel


def test_equal_reasons_for_failing_are_listed_once_and_lead_to_their_rows(browser, two):
    for index, message in ((0, "timed out"), (3, "timed out"), (4, "the reply is empty")):
        problem = {"problem": {"step": "model", "kind": "x", "message": message}}
        RunRow.objects.filter(run=two[1], index=index).update(
            is_failed=True, scores_text="{}", result=json.dumps(problem)
        )
    page = matrix(browser, two)
    assert '2 × <span class="bad">Timed out.' in page
    assert '1 × <span class="bad">The reply is empty.' in page
    address = html.unescape(re.search(r'href="([^"]*reason=[^"]*)">Show these 2 rows', page)[1])
    rows = read_html(browser("reader").get(address))
    assert rows.count("<tr data-row") == 2
    assert "Show all failed rows" in rows
    assert matrix(browser, two, only="failed", reason="gone").count("<tr data-row") == 0


def test_as_many_queries_for_many_rows_as_for_few(browser, reply, two):
    def count(runs):
        matrix(browser, runs)  # comparisons of finished runs are kept
        with CaptureQueriesContext(connection) as queries:
            matrix(browser, runs)
        return len(queries)

    few = count(two)
    save_rows(reply, dataset_rows(40), two[0].dataset_version.digest)
    assert count((start_run(reply, "1"), start_run(reply, "3"))) <= few


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
    assert "Words in common" in page
    assert '<th scope="col">Baseline</th>' in page
    assert "What the model read, and all evidence" in page
    assert "Said but not expected: &quot;and, more, words, than, that&quot;." in page


def test_a_row_of_a_later_page_opens_there_and_its_neighbours_are_on_other_pages(browser, reply):
    save_rows(reply, dataset_rows(60))
    page = matrix(browser, [start_run(reply, "1")], row=50)
    table, _, panel = page.partition('id="panel"')
    assert ("Boot 50?" in table, "Boot 49?" in table) == (True, False)
    assert "51 of 60" in panel
    assert "row=49#panel" in panel
    assert "row=51#panel" in panel


def test_only_authors_get_a_link_to_edit_the_row_in_the_dataset(browser, two):
    link = "/d/support/refunds/gold/-/edit?search=case-2"
    page = matrix(browser, two, "author", row=2)
    assert link in page
    assert "the runs shown keep version 1" in page
    assert link not in matrix(browser, two, row=2)


def test_a_narrow_page_shows_the_chosen_run_and_the_baseline(browser, two):
    first, second = two
    page = matrix(browser, two)
    assert "matrix-shows-2" in page
    assert f'<a href="/runs/{first.pk}/matrix?with={second.pk}&amp;column={first.pk}"' in page
    page = matrix(browser, two, column=first.pk, row=2)
    assert "matrix-shows-1" in page
    assert page.count('class="matrix-reply is-on-phone"') == 1  # the baseline alone
    page = matrix(browser, two, column=second.pk, row=2)
    assert page.count('class="matrix-reply is-on-phone"') == 2
    assert "Column shown" not in matrix(browser, two[:1])


def test_of_more_than_three_runs_a_narrow_page_has_a_select_with_the_rest(browser, reply, two):
    runs = [*two, start_run(reply, "1", finish=False)]
    assert matrix(browser, runs).count('id="column-tab-') == 3
    runs.append(start_run(reply, "2", finish=False))
    page = matrix(browser, runs, order="drop")
    assert page.count('id="column-tab-') == 2
    form = page[page.index('class="matrix-more"') :]
    form = form[: form.index("</form>")]
    assert [f'name="with" value="{run.pk}"' in form for run in runs] == [False, True, True, True]
    assert 'name="order" value="drop"' in form
    assert re.findall(r'<option value="(\d*)"\s*(selected)?', form) == [("", "")] + [
        (str(run.pk), "") for run in runs[2:]
    ]
    page = matrix(browser, runs, column=runs[3].pk)
    assert "matrix-shows-4" in page
    options = re.findall(r'<option value="(\d*)"\s*(selected)?', page[page.index('class="matrix-more"') :])[:2]
    assert options == [(str(runs[2].pk), ""), (str(runs[3].pk), "selected")]


def test_runs_are_exported_from_the_page(browser, two):
    page = matrix(browser, two)
    for run in two:
        assert f"/runs/{run.pk}/export.csv" in page
        assert f"/runs/{run.pk}/export.jsonl" in page


def test_all_runs_under_way_are_stopped_together(browser, reply, two):
    waiting = [start_run(reply, "2", finish=False), start_run(reply, "3", finish=False)]
    address = f"/runs/{waiting[0].pk}/matrix/stop?with={waiting[1].pk}"
    assert address in matrix(browser, waiting, "author")
    assert "/matrix/stop" not in matrix(browser, waiting, "reader")
    assert "/matrix/stop" not in matrix(browser, two, "author")
    answer = browser("author").post(address, follow=True)
    assert answer.redirect_chain == [(f"/runs/{waiting[0].pk}/matrix?with={waiting[1].pk}", 302)]
    assert "2 runs are cancelled; what came so far is kept." in read_html(answer)
    assert {run.state for run in Run.objects.filter(pk__in=[run.pk for run in waiting])} == {Run.CANCELLED}
    assert "No run was under way any more." in read_html(browser("author").post(address, follow=True))


def test_a_run_under_way_shows_the_rows_that_are_there_and_asks_again(browser, reply, two):
    waiting = start_run(reply, "2", finish=False)
    page = matrix(browser, [two[0], waiting])
    assert "not asked yet" in page
    assert 'hx-trigger="every 3s"' in page
    assert "Waiting, 0 of 6" in re.sub(r"\s+", " ", page)


def test_runs_under_way_tell_how_far_they_are_together(browser, reply, two):
    begun = log.now() - timedelta(seconds=300)
    costs = {"cost": Decimal("0.3"), "currency": "USD"}
    Run.objects.filter(pk=two[0].pk).update(**costs)
    Run.objects.filter(pk=two[1].pk).update(state=Run.RUNNING, done=5, failed=1, started_at=begun, **costs)
    page = re.sub(r"\s+", " ", matrix(browser, two))
    assert "<b>11</b> of 12" in page
    assert "about 60 s left" in page
    assert "0.6000 of about 0.6600 USD" in page
    assert 'aria-label="11 of 12 rows, 1 of them failed"' in page
    Run.objects.filter(pk=two[1].pk).update(currency="EUR")
    assert "of about" not in matrix(browser, two)
    Run.objects.update(state=Run.DONE)
    assert "of them failed" not in matrix(browser, two)


def test_failed_rows_of_a_column_are_asked_again_from_there(browser, two):
    RunRow.objects.filter(run=two[1], index=0).update(is_failed=True)
    Run.objects.filter(pk=two[1].pk).update(failed=1)
    assert "Retry" not in matrix(browser, two, "reader")
    page = matrix(browser, two, "author")
    form = page[page.index(f'<form method="post" action="/runs/{two[1].pk}">') :]
    back = re.search(r'name="back" value="([^"]+)"', form).group(1).replace("&amp;", "&")
    answer = browser("author").post(f"/runs/{two[1].pk}", {"do": "rerun", "back": back})
    assert answer["Location"] == back
    assert back.startswith(f"/runs/{two[0].pk}/matrix?with={two[1].pk}")
    assert Run.objects.get(pk=two[1].pk).state == Run.QUEUED


def test_after_an_act_no_page_of_another_site_is_opened(browser, two):
    answer = browser("author").post(f"/runs/{two[1].pk}", {"do": "odd", "back": "https://elsewhere.example/"})
    assert answer["Location"] == f"/runs/{two[1].pk}"


def test_runs_that_can_be_added_are_offered(browser, two):
    assert f'<option value="{two[1].pk}">' in matrix(browser, two[:1])
    assert "Add column" not in matrix(browser, two)


def test_runs_over_other_rows_are_not_put_side_by_side(browser, reply, two):
    save_rows(reply, dataset_rows(7), two[0].dataset_version.digest)
    run = start_run(reply, "1")
    answer = browser("reader").get(f"/runs/{two[0].pk}/matrix", {"with": run.pk})
    assert answer.status_code == 409
    assert "went over different rows" in read_html(answer)


@pytest.mark.parametrize(
    "query", [{"only": "odd"}, {"order": "odd"}, {"by": "odd"}, {"baseline": 99}, {"with": [11, 12, 13, 14, 15]}]
)
def test_unknown_filters_are_refused(browser, two, query):
    assert browser("reader").get(f"/runs/{two[0].pk}/matrix", query).status_code == 422


def test_a_run_of_others_is_not_found(browser, two):
    assert browser("outsider").get(f"/runs/{two[0].pk}/matrix").status_code == 404
    assert browser("reader").get(f"/runs/{two[0].pk}/matrix", {"row": 99}).status_code == 404
    assert browser("reader").get(f"/runs/{two[0].pk}/matrix", {"with": 999}).status_code == 404
