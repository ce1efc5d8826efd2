"""Old evaluation runs: deleted by age, except those that a change, a label, a gate or a failure refers to."""

import json
import logging
from datetime import date, timedelta

import pytest

from registry.changes import old_runs
from registry.changes import services as change_services
from registry.changes.models import CountedScores
from registry.evaluations import datasets, person_scores, run_worker, start_runs
from registry.evaluations.live_models import LiveFailure
from registry.evaluations.models import PersonScore, Run, RunRow
from registry.journal import log
from registry.tasks import tasks

NAME, DATASET = "support/reply", "support/questions"
ROWS = "".join(json.dumps({"id": f"r{n}", "inputs": {"question": f"w{n}"}}) + "\n" for n in range(2))
DAYS = 365


@pytest.fixture
def finish(author):
    """A finished run of a version that ended so many days ago."""
    datasets.save_dataset(actor=author, name=DATASET, text=ROWS)

    def run(version, days=DAYS + 1, **facts):
        started = start_runs.start_run(actor=author, template=NAME, ref=str(version.number), dataset=DATASET)
        while run_worker.advance_run(started.pk, seconds=5):
            pass
        facts["finished_at"] = log.now() - timedelta(days=days)
        Run.objects.filter(pk=started.pk).update(**facts)
        return started.pk

    return run


def kept():
    return set(Run.objects.values_list("pk", flat=True))


def test_a_run_that_nothing_refers_to_goes_with_its_rows_and_scores(save, finish, reviewer, caplog):
    old, young = finish(save()), finish(save("later"), DAYS - 1)
    person_scores.set_score(actor=reviewer, number=old, index=0, score="good")
    with caplog.at_level(logging.INFO, logger=old_runs.__name__):
        assert old_runs.delete_old_runs() == 1
    assert kept() == {young}
    assert not RunRow.objects.filter(run=old).exists()
    assert not PersonScore.objects.exists()
    sentence = f"deleted 1 evaluation runs older than 365 days, with 2 rows and 1 scores by people: {old}"
    assert sentence in caplog.text
    assert old_runs.delete_old_runs() == 0


def test_runs_of_a_label_or_of_an_open_or_published_change_stay(save, finish, publish, propose, author):
    live, proposed, withdrawn = save("live"), save("proposed"), save("withdrawn")
    publish(live)
    superseded = finish(live)
    runs = {superseded, finish(proposed)}
    propose(proposed)
    gone = finish(withdrawn)
    change_services.withdraw_change(actor=author, number=propose(withdrawn).number, reason="Not needed")
    assert old_runs.delete_old_runs() == 1
    assert kept() == runs
    assert gone not in kept()


def test_runs_that_a_change_asked_for_stay_while_it_is_not_withdrawn(save, finish, propose, author):
    change = propose(save("head"))
    earlier = finish(save("an earlier head"), change=change.number)
    assert old_runs.delete_old_runs() == 0
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    assert old_runs.delete_old_runs() == 1
    assert earlier not in kept()


def test_a_run_under_way_stays_however_old(save, finish):
    number = finish(save(), state=Run.RUNNING)
    assert old_runs.delete_old_runs() == 0
    assert kept() == {number}


def test_nightly_runs_go_by_age_but_for_one_that_a_failure_is_of(save, finish, publish):
    live = save()
    publish(live)
    nights = [finish(live, night=date(2025, 1, day), evaluation="answers") for day in (1, 2)]
    LiveFailure.objects.create(
        template=live.template,
        version=live,
        evaluation="answers",
        label="production",
        run=nights[1],
        findings=[],
        since=log.now(),
    )
    assert old_runs.delete_old_runs() == 1
    assert kept() == {nights[1]}


def test_a_run_whose_scores_decided_a_gate_stays(save, finish, propose, author):
    version = save()
    number = finish(version)
    change = propose(version)
    CountedScores.objects.create(
        change=change,
        evaluation="kind",
        number=1,
        version=version,
        run=number,
        rows_digest="",
        model_digest="",
        digest="",
        text="[]",
        created_at=log.now(),
    )
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    assert old_runs.delete_old_runs() == 0


def test_the_setting_decides_and_zero_keeps_all(save, finish, settings):
    number = finish(save(), 40)
    settings.PROMPTUARY_RUN_DAYS = 0
    assert old_runs.delete_old_runs() == 0
    settings.PROMPTUARY_RUN_DAYS = 30
    tasks.run_upkeep()
    assert number not in kept()


def test_one_pass_takes_a_batch_the_oldest_first(save, finish, monkeypatch):
    monkeypatch.setattr(old_runs, "_BATCH", 1)
    younger, older = finish(save("a"), 400), finish(save("b"), 500)
    assert old_runs.delete_old_runs() == 1
    assert kept() == {younger}
    assert older not in kept()
