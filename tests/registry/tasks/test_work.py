"""What the worker does when it is woken."""

import shutil

import pytest
from django.utils import timezone

from registry import access, mirror
from registry.mirror import stream
from registry.mirror.entries import Entry
from registry.mirror.repository import Repository
from registry.models import Commit, Event, Job
from registry.services import namespaces
from registry.tasks import jobs, work

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


@pytest.fixture(autouse=True)
def mirror_path(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    return settings.MIRROR_PATH


def make_namespace():
    return namespaces.create(actor=access.operator(), name="support")


def test_being_woken_brings_the_mirror_up_to_the_journal():
    make_namespace()
    work.catch_up()
    assert Commit.objects.count() == Event.objects.count() == 1


def test_the_clock_finds_what_no_wake_up_told_of():
    make_namespace()
    jobs.enqueue("mirror.repack")
    work.heal()
    assert mirror.status().behind == 0
    assert Job.objects.get().state == Job.DONE


def test_a_mirror_that_stands_still_is_logged_and_ends_no_worker(mirror_path, caplog):
    repository = Repository(mirror_path)
    repository.create()
    unknown = Entry(number=99, at=0, author="author", subject="x", record="{}", chain="sha256:x")
    repository.fast_import(stream.build([unknown], {}, {}))
    make_namespace()
    for _ in range(2):
        work.catch_up()
    assert caplog.text.count("the mirror stands still") == 1


def test_a_mirror_that_was_removed_is_written_anew(mirror_path):
    make_namespace()
    work.catch_up()
    shutil.rmtree(mirror_path)
    work.heal()
    assert mirror.status().behind == 0


def test_repack_and_check_are_planned_when_they_are_due_and_not_twice():
    work.plan_upkeep()
    work.plan_upkeep()
    assert sorted(Job.objects.values_list("kind", flat=True)) == ["mirror.check", "mirror.repack"]


def test_a_week_later_they_are_planned_again():
    work.plan_upkeep()
    Job.objects.update(created_at=timezone.now() - timezone.timedelta(days=8), state=Job.DONE)
    work.plan_upkeep()
    assert Job.objects.count() == 4


def test_repack_and_check_run():
    make_namespace()
    work.catch_up()
    work.plan_upkeep()
    work.run_jobs()
    assert set(Job.objects.values_list("state", "error")) == {(Job.DONE, "")}


def test_a_check_that_finds_something_fails_with_the_findings(mirror_path):
    make_namespace()
    work.catch_up()
    (mirror_path / "refs/heads/stray").write_text(mirror.status().head + "\n")
    jobs.enqueue("mirror.check")
    work.run_jobs()
    assert "stray" in Job.objects.get().error


def test_a_job_of_an_unknown_kind_fails_and_the_next_one_runs():
    jobs.enqueue("from.the.future")
    jobs.enqueue("mirror.repack")
    work.run_jobs()
    assert dict(Job.objects.values_list("kind", "state")) == {"from.the.future": "failed", "mirror.repack": "done"}
