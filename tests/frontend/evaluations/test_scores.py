"""The pages where people score replies: immediate saving, hidden versions, the queue, and other people's view."""

import re

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.evaluations import person_scores
from registry.evaluations.models import PersonScore, Run, RunRow
from tests.frontend.conftest import read_html
from tests.support.finished_runs import WORSE, save_rows, start_run


@pytest.fixture
def two(reply):
    save_rows(reply)
    reply.save(WORSE)
    return start_run(reply, "1"), start_run(reply, "3")


def address(runs):
    return f"/runs/{runs[0].pk}/score"


def fields(runs, row=0, **values):
    return {"row": row, "with": [run.pk for run in runs[1:]], **values}


def scores(**filters):
    rows = PersonScore.objects.filter(**filters).order_by("run", "index", "person__username")
    return [(row.run_id, row.index, row.person.username, row.score, row.comment) for row in rows]


def test_a_press_saves_immediately_and_a_second_one_removes(browser, two):
    reviewer = browser("reviewer")
    run = two[0]
    answer = reviewer.post(address(two[:1]), fields(two[:1], 2, press="0:4"))
    assert (answer.status_code, answer["Location"]) == (302, f"/runs/{run.pk}/score?row=2#score-0")
    assert scores() == [(run.pk, 2, "reviewer", "4", "")]
    reviewer.post(address(two[:1]), fields(two[:1], 2, press="0:good"))
    assert scores() == [(run.pk, 2, "reviewer", "good", "")]
    reviewer.post(address(two[:1]), fields(two[:1], 2, press="0:good"))
    assert scores() == []


def test_a_comment_is_saved_with_the_score_and_changed_alone(browser, two):
    reviewer = browser("reviewer")
    reviewer.post(address(two[:1]), fields(two[:1], press="0:2", **{"comment-0": "Breaks the rule."}))
    reviewer.post(address(two[:1]), fields(two[:1], do="save", **{"comment-0": "Breaks the first rule."}))
    assert scores() == [(two[0].pk, 0, "reviewer", "2", "Breaks the first rule.")]


def test_replies_are_scored_while_the_run_goes_on(browser, two):
    Run.objects.filter(pk=two[1].pk).update(state=Run.RUNNING, done=3)
    RunRow.objects.filter(run=two[1], index__gte=3).delete()
    reviewer = browser("reviewer")
    for page in (f"/runs/{two[0].pk}/matrix?with={two[1].pk}&row=2", f"/runs/{two[1].pk}/rows/2", address(two)):
        assert 'name="press"' in read_html(reviewer.get(page, {} if "?" in page else {"with": two[1].pk}))
    reviewer.post(address(two), fields(two, 2, press="1:good"))
    assert scores() == [(two[1].pk, 2, "reviewer", "good", "")]
    assert "No reply to score" in read_html(reviewer.get(f"/runs/{two[1].pk}/rows/4"))


def test_which_version_is_which_stays_hidden_while_a_reply_is_awaited(browser, two):
    Run.objects.filter(pk=two[1].pk).update(state=Run.RUNNING, done=0)
    RunRow.objects.filter(run=two[1]).delete()
    reviewer = browser("reviewer")
    person_scores.set_score(actor=Actor(User.objects.get(username="reviewer")), number=two[0].pk, index=0, score="good")
    fields = {"with": two[1].pk, "hide": 1, "row": 0}
    assert "v1 echo" not in read_html(reviewer.get(address(two), fields))
    Run.objects.filter(pk=two[1].pk).update(state=Run.FAILED)
    assert "v1 echo" in read_html(reviewer.get(address(two), fields))


def test_a_comment_without_a_score_is_refused_and_shown_again(browser, two):
    answer = browser("reviewer").post(address(two[:1]), fields(two[:1], do="save", **{"comment-0": "A thought."}))
    assert answer.status_code == 422
    assert "give a score with it" in read_html(answer)
    assert "A thought." in read_html(answer)


def test_save_and_next_leads_to_the_next_row_without_a_score(browser, two):
    reviewer = browser("reviewer")
    reviewer.post(address(two[:1]), fields(two[:1], 1, press="0:4"))
    answer = reviewer.post(address(two[:1]), fields(two[:1], 0, do="next"))
    assert answer["Location"] == f"/runs/{two[0].pk}/score?row=2"


def test_the_queue_tells_how_far_one_is_and_ends(browser, two):
    reviewer = browser("reviewer")
    assert "0 of 6 rows scored by you" in read_html(reviewer.get(address(two[:1])))
    for index in range(6):
        reviewer.post(address(two[:1]), fields(two[:1], index, press="0:good"))
    page = read_html(reviewer.get(address(two[:1])))
    assert "6 of 6 rows scored by you" in page
    assert "You scored every row." in page


def test_hidden_versions_are_a_and_b_until_both_are_scored(browser, two):
    reviewer = browser("reviewer")
    query = {"with": two[1].pk, "hide": 1, "row": 3}
    page = read_html(reviewer.get(address(two), query)).partition("<main")[2]
    assert re.search(r"<h3>\s*A\s*</h3>", page)
    assert re.search(r"<h3>\s*B\s*</h3>", page)
    assert "echo" not in page
    reviewer.post(address(two), fields(two, 3, hide=1, press="0:5"))
    assert "echo" not in read_html(reviewer.get(address(two), query)).partition("<main")[2]
    reviewer.post(address(two), fields(two, 3, hide=1, press="1:2"))
    assert re.search(r"A:\s*v[13] echo", read_html(reviewer.get(address(two), query)))
    assert {(run, score) for run, _, _, score, _ in scores()} in (
        {(two[0].pk, "5"), (two[1].pk, "2")},
        {(two[0].pk, "2"), (two[1].pk, "5")},
    )


def test_a_hidden_press_scores_the_reply_that_stood_there(browser, two):
    reviewer = browser("reviewer")
    page = read_html(reviewer.get(address(two), {"with": two[1].pk, "hide": 1, "row": 0}))
    first = page.partition('id="score-0"')[2].partition('id="score-1"')[0]
    shown = two[1] if "and more words than that" in first else two[0]
    reviewer.post(address(two), fields(two, 0, hide=1, press="0:3"))
    assert scores() == [(shown.pk, 0, "reviewer", "3", "")]


def test_others_see_who_scored_and_that_scores_differ(browser, two):
    for role, score in (("reviewer", "5"), ("admin", "2")):
        browser(role).post(
            address(two[:1]), fields(two[:1], 1, press=f"0:{score}", **{"comment-0": f"So says {role}."})
        )
    page = read_html(browser("reader").get(f"/runs/{two[0].pk}/matrix", {"row": 1}))
    assert "Scores differ" in page
    assert "So says reviewer." in page
    assert 'name="press"' not in page
    row = read_html(browser("reviewer").get(f"/runs/{two[0].pk}/rows/1"))
    assert "So says admin." in row
    assert 'data-score="5"' in row


def test_a_run_shows_the_metric_and_the_agreement_with_n(browser, two):
    for role, given in (("reviewer", ["5", "4", "2"]), ("admin", ["5", "5", "1"])):
        for index, score in enumerate(given):
            browser(role).post(address(two[:1]), fields(two[:1], index, press=f"0:{score}"))
    page = re.sub(r"\s+", " ", read_html(browser("reader").get(f"/runs/{two[0].pk}")))
    assert "<b>0.67</b> from 6 scores by 2 people" in page
    assert re.search(r"Too few replies .* by: Cohen&#x27;s kappa 0\.\d\d, 2 people, n = 3", page)
    assert "Reviewed by people" in read_html(browser("reader").get(f"/runs/{two[0].pk}/matrix"))


def test_scores_of_contributors_are_shown_and_marked(browser, two):
    browser("author").post(address(two[:1]), fields(two[:1], 0, press="0:5"))
    page = read_html(browser("reader").get(f"/runs/{two[0].pk}/matrix", {"row": 0}))
    assert "contributed, so no gate counts it" in page
    assert "1 of which no gate counts" in re.sub(r"\s+", " ", read_html(browser("reader").get(f"/runs/{two[0].pk}")))
    assert "You contributed to this version" in read_html(browser("author").get(address(two[:1])))


def test_from_the_matrix_one_comes_back_to_the_matrix(browser, two):
    back = f"/runs/{two[0].pk}/matrix?with={two[1].pk}&row=0#score-form"
    reviewer = browser("reviewer")
    assert reviewer.post(address(two), fields(two, press="1:4", back=back))["Location"] == back
    away = reviewer.post(address(two), fields(two, press="1:3", back="https://elsewhere.example/"))
    assert away["Location"].startswith(f"/runs/{two[0].pk}/score")


def test_in_the_matrix_save_and_next_leads_to_the_next_row_shown(browser, two):
    reviewer, matrix = browser("reviewer"), f"/runs/{two[0].pk}/matrix"
    page = reviewer.get(matrix, {"with": two[1].pk, "row": 0}).content.decode()
    following = re.search(r'name="following" value="([^"]+)"', page)[1].replace("&amp;", "&")
    assert following == f"{matrix}?with={two[1].pk}&row=1#panel"
    assert f'href="{following}">Skip</a>' in page.replace("&amp;", "&")
    there = {"press": "1:4", "back": f"{matrix}?row=0", "do": "next"}
    assert reviewer.post(address(two), fields(two, **there, following=following))["Location"] == following


def test_in_the_matrix_the_last_row_says_that_it_was_the_last(browser, two):
    reviewer, matrix = browser("reviewer"), f"/runs/{two[0].pk}/matrix"
    last = two[0].total - 1
    page = reviewer.get(matrix, {"with": two[1].pk, "row": last}).content.decode()
    assert 'name="following" value=""' in page
    assert ">Skip</a>" not in page
    back = f"{matrix}?row={last}"
    answer = reviewer.post(address(two), fields(two, do="next", back=back, following=""), follow=True)
    assert answer.redirect_chain[0][0] == back
    assert "This was the last of the rows shown." in read_html(answer)


def test_the_next_row_is_not_an_address_elsewhere(browser, two):
    back = f"/runs/{two[0].pk}/matrix?row=0"
    given = {"do": "next", "back": back, "following": "https://elsewhere.example/"}
    assert browser("reviewer").post(address(two), fields(two, **given))["Location"] == back


@pytest.mark.parametrize("press", ["0:6", "0:fine"])
def test_an_invalid_score_is_refused(browser, two, press):
    assert browser("reviewer").post(address(two[:1]), fields(two[:1], press=press)).status_code == 422


@pytest.mark.parametrize(("row", "status"), [("x", 422), (99, 404)])
def test_an_invalid_row_is_refused(browser, two, row, status):
    assert browser("reviewer").post(address(two[:1]), fields(two[:1], row, press="0:4")).status_code == status


def test_a_row_without_a_reply_has_nothing_to_press(browser, two):
    RunRow.objects.filter(run=two[0], index=0).update(is_failed=True)
    assert "No reply to score." in read_html(browser("reviewer").get(address(two[:1]), {"row": 0}))


def test_a_run_under_way_has_no_rows_to_score(browser, reply, two):
    waiting = start_run(reply, "2", finish=False)
    assert browser("reviewer").get(address([waiting])).status_code == 409
