"""People's scores: who may give them, for what, disagreements, and the rows left to score."""

import json

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound, TooLarge
from registry.evaluations import datasets, person_scores, run_worker, start_runs
from registry.evaluations import person_score_queries as queries
from registry.evaluations.models import PersonScore, Run, RunRow
from registry.redaction import repeated_texts

NAME, DATASET = "support/reply", "support/questions"
ROWS = "".join(
    json.dumps({"id": f"r{n}", "inputs": {"question": f"word{n}"}, "expected": "x"}) + "\n" for n in range(4)
)


@pytest.fixture
def start(author, save):
    def start(*, finish=True):
        save()
        datasets.save_dataset(actor=author, name=DATASET, text=ROWS)
        run = start_runs.start_run(actor=author, template=NAME, dataset=DATASET)
        while finish and run_worker.advance_run(run.pk, seconds=5):
            pass
        run.refresh_from_db()
        return run

    return start


@pytest.fixture
def run(start):
    return start()


@pytest.mark.parametrize(
    ("score", "grade", "share"), [("bad", 1, 0.0), ("good", 5, 1.0), ("1", 1, 0.0), ("3", 3, 0.5), ("5", 5, 1.0)]
)
def test_a_score_is_kept_and_counts_as_a_grade(run, reviewer, score, grade, share):
    given = person_scores.set_score(actor=reviewer, number=run.number, index=2, score=score, comment="Why.")
    assert (given.grade, queries.share_of_grade(given.grade)) == (grade, share)
    assert (given.comment, given.by_key) == ("Why.", False)


def test_a_second_score_of_the_same_person_takes_the_place_of_the_first(run, author):
    person_scores.set_score(actor=author, number=run.number, index=0, score="2")
    person_scores.set_score(actor=author, number=run.number, index=0, score="good")
    assert [row.score for row in PersonScore.objects.all()] == ["good"]


def test_a_score_is_removed_by_its_person_only(run, author, reviewer):
    person_scores.set_score(actor=author, number=run.number, index=0, score="2")
    person_scores.remove_score(actor=reviewer, number=run.number, index=0)
    assert PersonScore.objects.count() == 1
    person_scores.remove_score(actor=author, number=run.number, index=0)
    assert PersonScore.objects.count() == 0


def test_readers_and_outsiders_do_not_score(run, reader, outsider):
    with pytest.raises(NotAllowed, match="need the role author"):
        person_scores.set_score(actor=reader, number=run.number, index=0, score="5")
    with pytest.raises(NotFound):
        person_scores.set_score(actor=outsider, number=run.number, index=0, score="5")


@pytest.mark.parametrize("score", ["", "0", "6", "fine", "GOOD"])
def test_other_scores_are_refused(run, author, score):
    with pytest.raises(Invalid, match="good, bad, or 1 to 5"):
        person_scores.set_score(actor=author, number=run.number, index=0, score=score)


def test_a_run_that_waits_for_its_turn_is_not_scored(start, author):
    run = start(finish=False)
    with pytest.raises(Conflict, match="its replies are scored once they come"):
        person_scores.set_score(actor=author, number=run.number, index=0, score="5")


@pytest.mark.parametrize("state", [Run.RUNNING, Run.FAILED, Run.CANCELLED])
def test_replies_of_a_run_that_is_not_done_are_scored(run, author, state):
    Run.objects.update(state=state)
    RunRow.objects.filter(run=run, index=3).delete()
    assert person_scores.set_score(actor=author, number=run.number, index=0, score="5").grade == 5
    with pytest.raises(Invalid, match="row 4 of run"):
        person_scores.set_score(actor=author, number=run.number, index=3, score="5")
    person_scores.remove_score(actor=author, number=run.number, index=0)
    assert not PersonScore.objects.exists()


def test_a_row_without_a_reply_is_not_scored(run, author):
    RunRow.objects.filter(run=run, index=1).update(is_failed=True)
    with pytest.raises(Invalid, match="row 2 of run"):
        person_scores.set_score(actor=author, number=run.number, index=1, score="5")
    with pytest.raises(NotFound):
        person_scores.set_score(actor=author, number=run.number, index=9, score="5")


def test_a_comment_that_repeats_a_redacted_text_is_named_with_its_row_counted_from_1(run, author):
    person_scores.set_score(actor=author, number=run.number, index=2, score="5", comment="It says zebra-4711")
    named = list(repeated_texts.list_remaining_copies(["zebra-4711"]))
    assert f"the comment of {author.person.username} on row 3 of run {run.number}" in named


def test_a_comment_that_is_too_long_is_refused(run, author):
    with pytest.raises(TooLarge, match="comment"):
        person_scores.set_score(actor=author, number=run.number, index=0, score="5", comment="x" * 4001)


def test_the_metric_is_the_mean_of_all_scores(run, author, reviewer):
    for actor, score in ((author, "5"), (reviewer, "2")):
        person_scores.set_score(actor=actor, number=run.number, index=0, score=score)
    reading = queries.read_people_metric(queries.list_person_scores([run]))
    assert (reading.mean, reading.count, reading.raters) == (0.625, 2, 2)


@pytest.mark.parametrize(("first", "second", "differs"), [("2", "4", True), ("good", "bad", True), ("4", "5", False)])
def test_two_grades_apart_differ_and_come_again(run, author, reviewer, first, second, differs):
    for index in range(4):
        person_scores.set_score(actor=author, number=run.number, index=index, score=first)
    assert queries.build_score_queue(author.person, [run]).waiting == ()
    person_scores.set_score(actor=reviewer, number=run.number, index=2, score=second)
    queue = queries.build_score_queue(author.person, [run])
    assert (queue.waiting, queue.differing) == (((2,), {2}) if differs else ((), frozenset()))
    assert (queue.scored, queue.total) == (4, 4)


def test_the_queue_has_the_rows_that_one_has_not_scored(run, author, reviewer):
    person_scores.set_score(actor=author, number=run.number, index=1, score="4")
    queue = queries.build_score_queue(author.person, [run])
    assert (queue.waiting, queue.scored, queue.total) == ((0, 2, 3), 1, 4)
    assert queries.build_score_queue(reviewer.person, [run]).waiting == (0, 1, 2, 3)
    assert [queue.find_next(index) for index in (None, 0, 1, 3)] == [0, 2, 2, 0]


def test_the_hidden_order_is_the_same_each_time_and_differs_by_person(save, run, start):
    other = start()
    orders = {
        person: [[one.pk for one in queries.shuffle_columns([run, other], index, person)] for index in range(40)]
        for person in ("ada", "ben")
    }
    assert orders["ada"] == [
        [one.pk for one in queries.shuffle_columns([other, run], index, "ada")] for index in range(40)
    ]
    assert orders["ada"] != orders["ben"]
    assert 5 < sum(order[0] == run.pk for order in orders["ada"]) < 35
