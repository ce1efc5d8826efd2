"""A gate on scores by people: what it waits for, whose scores count, and its decision by the recorded event."""

import json

import pytest
from django.db import transaction

from registry import mirror
from registry.changes import rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest, CountedScores
from registry.core.errors import Invalid
from registry.evaluations import attachments, datasets, person_scores
from registry.evaluations.models import PersonScore, Run
from registry.jobs import queue
from registry.jobs.models import Job
from registry.journal.models import Event
from tests.registry.changes.test_evaluation_check import DATASET, NAME, ROWS, work
from tests.registry.mirror.test_restore import empty_the_database

GATE = "reviewed_by_people >= 0.75"


@pytest.fixture
def attach(admin, author):
    def attach(*gates, **options):
        datasets.save_dataset(actor=author, name=DATASET, text=ROWS)
        values = {"pattern": "reply", "dataset": DATASET, "model": "echo", "scores_needed": 4, **options}
        return attachments.attach_evaluation(actor=admin, namespace="support", name="people", gates=gates, **values)

    return attach


@pytest.fixture
def change(author, admin, save, attach):
    rules.set_rules(actor=admin, namespace="support", required_checks=["evaluation"])
    attach(GATE)
    return change_services.propose_change(
        actor=author, name=NAME, label="production", version=save().number, message=""
    )


@pytest.fixture
def score(change):
    """The replies of the request's run scored by somebody, from row 0 on."""
    work(change)

    def score(actor, *scores):
        run = Run.objects.get()
        for index, value in enumerate(scores):
            person_scores.set_score(actor=actor, number=run.number, index=index, score=value)
        return work(change)

    return score


def test_it_waits_for_enough_scores_and_says_where_to_give_them(change, score, reviewer):
    state = score(reviewer, "5", "5", "5")
    number = Run.objects.get().number
    assert (state.outcome, state.is_blocking) == (None, True)
    assert state.summary == "people has 3 of 4 scores by people who did not contribute."
    assert state.action == f"Score the replies of run {number}: /runs/{number}/score."


@pytest.mark.parametrize(
    ("scores", "outcome", "mean"),
    [(("5", "4", "4", "3"), "passed", "0.75"), (("5", "bad", "good", "3"), "failed", "0.625")],
)
def test_it_is_decided_on_the_mean(score, reviewer, scores, outcome, mean):
    state = score(reviewer, *scores)
    assert state.outcome == outcome
    assert f"{mean} from 4 scores by 1 person, at least 0.75 is asked for" in state.summary


def test_scores_of_contributors_are_not_counted(score, author):
    assert score(author, "5", "5", "5", "5", "5").outcome is None
    assert not CountedScores.objects.exists()


def test_a_score_through_a_key_is_not_counted(score, change, reviewer):
    work(change)
    run = Run.objects.get()
    for index in range(4):
        person_scores.set_score(actor=reviewer, number=run.number, index=index, score="5")
    PersonScore.objects.update(by_key=True)
    assert work(change).outcome is None


def test_the_event_names_who_scored_what(score, change, reviewer):
    score(reviewer, "5", "4", "4", "3")
    event = json.loads(Event.objects.get(kind="scores.counted").text)["body"]
    row = CountedScores.objects.get()
    assert row.scores == [(0, "reviewer", "5"), (1, "reviewer", "4"), (2, "reviewer", "4"), (3, "reviewer", "3")]
    assert (event["scores"], event["count"], event["evaluation"]) == (row.digest, 4, "people")


def test_more_scores_that_decide_alike_record_nothing_new(score, reviewer, admin):
    score(reviewer, "5", "5", "5", "5")
    assert score(admin, "5", "5").outcome == "passed"
    assert CountedScores.objects.count() == 1


def test_scores_that_decide_differently_are_recorded_and_decide(score, reviewer, admin):
    score(reviewer, "5", "5", "5", "5")
    assert score(admin, "bad", "bad", "bad", "bad").outcome == "failed"
    assert [row.number for row in CountedScores.objects.order_by("number")] == [1, 2]


def test_the_decision_stays_where_scores_are_taken_back(score, change, reviewer):
    score(reviewer, "5", "5", "5", "5")
    person_scores.remove_score(actor=reviewer, number=Run.objects.get().number, index=0)
    assert work(change).outcome == "passed"


def test_scores_of_somebody_who_contributes_later_no_longer_count(score, change, reviewer, admin):
    score(reviewer, "5", "5", "5", "5")
    assert work(change).outcome == "passed"
    change_services.withdraw_change(actor=reviewer, number=change.number, reason="Not needed")
    change_services.reopen_change(actor=reviewer, number=change.number)
    change.refresh_from_db()
    assert work(change).outcome is None


def test_a_new_head_needs_new_scores(score, change, author, reviewer, save):
    score(reviewer, "5", "5", "5", "5")
    change_services.set_head(actor=author, number=change.number, version=save("in another way").number)
    change.refresh_from_db()
    assert work(change).outcome is None


def test_a_computed_gate_that_fails_is_shown_immediately(change, attach, save):
    attach(GATE, "squad_f1 >= 2")
    state = work(change)
    assert (state.outcome, "squad_f1 >= 2" in state.summary) == ("failed", True)


def test_a_score_asks_for_the_checks_again(change, reviewer):
    work(change)
    Job.objects.all().delete()
    person_scores.set_score(actor=reviewer, number=Run.objects.get().number, index=0, score="5")
    assert Job.objects.filter(kind=queue.CHECKS, subject=f"change {change.number}").count() == 1


def test_without_such_a_gate_a_score_asks_for_nothing(change, attach, reviewer):
    work(change)
    attach("squad_f1 >= 0.5")
    Job.objects.all().delete()
    person_scores.set_score(actor=reviewer, number=Run.objects.get().number, index=0, score="5")
    assert not Job.objects.exists()


@pytest.mark.parametrize("text", ["reviewed_by_people - 0.02", "reviewed_by_people >= 4", "reviewed_by_people[x] >= 1"])
def test_only_a_floor_from_0_to_1_is_a_gate_on_scores(attach, text):
    with pytest.raises(Invalid, match="scores by people take a floor"):
        attach(text)


@pytest.mark.parametrize("count", [0, -1, 100_001])
def test_a_number_of_scores_that_makes_no_sense_is_refused(attach, count):
    with pytest.raises(Invalid, match="scores_needed"):
        attach(GATE, scores_needed=count)


def test_the_gate_is_a_function_of_the_events(score, change, reviewer, settings, tmp_path):
    """After a restore there are no scores and no runs, and the gate's result is the same."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    before = score(reviewer, "5", "4", "4", "3")
    mirror.catch_up()
    assert mirror.verify() == []
    with transaction.atomic():
        empty_the_database()
    mirror.restore(settings.MIRROR_PATH)
    after = work(ChangeRequest.objects.get(number=change.number))
    assert (PersonScore.objects.count(), Run.objects.filter(state="done").count()) == (0, 0)
    assert (after.outcome, after.summary, after.key) == (before.outcome, before.summary, before.key)
