"""The worker's work when it is woken."""

import shutil
from datetime import timedelta

import pytest
from django.utils import timezone

from registry import mirror
from registry.accounts import actor
from registry.jobs import claims
from registry.jobs.models import Job
from registry.journal.models import Commit, Event
from registry.mirror import fast_import as mirror_fast_import
from registry.mirror.commit_message import Entry
from registry.mirror.repository import Repository
from registry.namespaces import services
from registry.tasks import tasks as tasks_tasks

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


@pytest.fixture(autouse=True)
def mirror_path(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    return settings.MIRROR_PATH


def make_namespace():
    return services.create_namespace(actor=actor.build_operator_actor(), name="support")


def test_being_woken_brings_the_mirror_up_to_the_journal():
    make_namespace()
    tasks_tasks.catch_up()
    assert Commit.objects.count() == Event.objects.count() == 1


def test_the_clock_finds_what_no_wake_up_reported():
    make_namespace()
    claims.enqueue("mirror.repack")
    tasks_tasks.recover_lost_work()
    assert mirror.read_status().behind == 0
    assert Job.objects.get().state == Job.DONE


def test_a_stopped_mirror_is_logged_and_ends_no_worker(mirror_path, caplog):
    repository = Repository(mirror_path)
    repository.create()
    unknown = Entry(number=99, at=0, author="author", subject="x", record="{}", chain="sha256:x")
    repository.run_fast_import(mirror_fast_import.build_stream([unknown], {}, {}))
    make_namespace()
    for _ in range(2):
        tasks_tasks.catch_up()
    assert caplog.text.count("the mirror has stopped") == 1


def test_a_mirror_that_was_removed_is_written_again(mirror_path):
    make_namespace()
    tasks_tasks.catch_up()
    shutil.rmtree(mirror_path)
    tasks_tasks.recover_lost_work()
    assert mirror.read_status().behind == 0


def test_repack_and_check_are_planned_when_they_are_due_and_not_twice():
    tasks_tasks.run_upkeep()
    tasks_tasks.run_upkeep()
    assert sorted(Job.objects.values_list("kind", flat=True)) == ["mirror.check", "mirror.repack"]


def test_a_week_later_they_are_planned_again():
    tasks_tasks.run_upkeep()
    Job.objects.update(created_at=timezone.now() - timedelta(days=8), state=Job.DONE)
    tasks_tasks.run_upkeep()
    assert Job.objects.count() == 4


def test_repack_and_check_run():
    make_namespace()
    tasks_tasks.catch_up()
    tasks_tasks.run_upkeep()
    tasks_tasks.run_jobs()
    assert set(Job.objects.values_list("state", "error")) == {(Job.DONE, "")}


def test_a_check_that_finds_something_fails_with_the_findings(mirror_path):
    make_namespace()
    tasks_tasks.catch_up()
    (mirror_path / "refs/heads/stray").write_text(mirror.read_status().head + "\n")
    claims.enqueue("mirror.check")
    tasks_tasks.run_jobs()
    assert "stray" in Job.objects.get().error


def test_a_job_of_an_unknown_kind_fails_and_the_next_one_runs():
    claims.enqueue("from.the.future")
    claims.enqueue("mirror.repack")
    tasks_tasks.run_jobs()
    assert dict(Job.objects.values_list("kind", "state")) == {"from.the.future": "failed", "mirror.repack": "done"}


def test_a_step_of_the_upkeep_that_fails_keeps_no_other_from_its_work(monkeypatch, caplog):
    def fail():
        raise ValueError("a row that is wrong")

    monkeypatch.setattr("registry.usage.outcomes.delete_old_outcomes", fail)
    tasks_tasks.run_upkeep()
    assert sorted(Job.objects.values_list("kind", flat=True)) == ["mirror.check", "mirror.repack"]
    assert "a row that is wrong" in caplog.text


def test_a_step_of_the_clock_that_fails_keeps_no_other_from_its_work(monkeypatch, caplog):
    def fail():
        raise ValueError("a run that is wrong")

    monkeypatch.setattr("registry.evaluations.run_worker.fail_lost_runs", fail)
    make_namespace()
    claims.enqueue("mirror.repack")
    tasks_tasks.recover_lost_work()
    assert Job.objects.get().state == Job.DONE
    assert "a run that is wrong" in caplog.text
