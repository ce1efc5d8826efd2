"""People's scores in the API: adding and removing one's own, all of a run, and keys."""

import pytest

from tests.api.conftest import problem
from tests.api.test_runs import author, run

__all__ = ["author", "run"]


@pytest.fixture
def number(run):
    return run()


def test_a_score_is_given_changed_and_removed(caller, number):
    reviewer = caller("reviewer")
    made = reviewer.put(f"runs/{number}/rows/1/score", {"score": "4", "comment": "Nearly."})
    assert made.status_code == 200, made.content
    assert (made.json()["person"], made.json()["score"], made.json()["comment"]) == ("reviewer", "4", "Nearly.")
    reviewer.put(f"runs/{number}/rows/1/score", {"score": "good"})
    listed = reviewer.get(f"runs/{number}/scores").json()
    assert [(row["index"], row["score"], row["comment"]) for row in listed["scores"]] == [(1, "good", "")]
    assert reviewer.call("DELETE", f"runs/{number}/rows/1/score").status_code == 204
    assert reviewer.get(f"runs/{number}/scores").json() == {
        "mean": None,
        "count": 0,
        "raters": 0,
        "agreement": None,
        "differing": [],
        "scores": [],
    }


def test_scores_come_with_the_mean_the_agreement_and_where_people_differ(caller, number):
    for role, scores in (("reviewer", ["5", "4", "2"]), ("admin", ["5", "5", "5"])):
        for index, score in enumerate(scores):
            caller(role).put(f"runs/{number}/rows/{index}/score", {"score": score})
    body = caller("reader").get(f"runs/{number}/scores").json()
    assert (body["mean"], body["count"], body["raters"], body["differing"]) == (pytest.approx(5 / 6), 6, 2, [2])
    assert (body["agreement"]["measure"], body["agreement"]["items"]) == ("cohen_kappa", 3)


def test_scores_by_contributors_and_through_keys_say_that_no_gate_counts_them(cast, caller, number):
    for role, by_session in (("author", True), ("reviewer", True), ("admin", False)):
        caller(role, session=by_session).put(f"runs/{number}/rows/0/score", {"score": "5"})
    rows = caller("reader").get(f"runs/{number}/scores").json()["scores"]
    assert {row["person"]: (row["by_key"], row["counted"]) for row in rows} == {
        "admin": (True, False),
        "author": (False, False),
        "reviewer": (False, True),
    }


@pytest.mark.parametrize("body", [{"score": "6"}, {"score": True}, {}, {"score": "4", "more": 1}])
def test_something_that_is_not_a_score_is_refused(caller, number, body):
    assert caller("reviewer").put(f"runs/{number}/rows/0/score", body).status_code == 400


def test_a_wrong_score_is_answered_with_the_scores_there_are(caller, number):
    refusal = caller("reviewer").put(f"runs/{number}/rows/0/score", {"score": "great"})
    assert refusal.status_code == 400
    assert "one of good, bad, 1, 2, 3, 4, 5." in refusal.content.decode()


def test_rows_and_runs_that_cannot_be_scored_are_refused(author, caller, number):
    reviewer = caller("reviewer")
    problem(reviewer.put(f"runs/{number}/rows/99/score", {"score": "4"}), 404, "not-found")
    waiting = author.post("runs", {"template": "support/refunds/reply", "dataset": "support/questions"}).json()[
        "number"
    ]
    problem(reviewer.put(f"runs/{waiting}/rows/0/score", {"score": "4"}), 409, "conflict")
