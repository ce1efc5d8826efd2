"""Jobs as rows: queued once, claimed once, queued again when their worker dies."""

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.models import Job
from registry.tasks import jobs

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def silence(job, seconds=60):
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=seconds))


def test_a_job_is_claimed_once():
    jobs.enqueue("mirror.repack")
    assert jobs.claim().kind == "mirror.repack"
    assert jobs.claim() is None


def test_jobs_are_claimed_in_the_order_they_came():
    for subject in ("first", "second"):
        jobs.enqueue("mirror.repack", subject=subject)
    assert [jobs.claim().subject, jobs.claim().subject] == ["first", "second"]


def test_asking_twice_while_it_waits_makes_one_job():
    assert jobs.enqueue("mirror.repack").pk == jobs.enqueue("mirror.repack").pk


def test_asking_again_while_it_runs_makes_another():
    first = jobs.enqueue("mirror.repack")
    jobs.claim()
    assert jobs.enqueue("mirror.repack").pk != first.pk


def test_a_job_that_lost_its_worker_is_queued_again():
    job = jobs.enqueue("mirror.repack")
    silence(jobs.claim())
    assert jobs.requeue_silent() == 1
    assert jobs.claim().pk == job.pk
    assert Job.objects.get().attempts == 2


def test_a_running_job_that_gives_signs_of_life_is_left_alone():
    jobs.enqueue("mirror.repack")
    job = jobs.claim()
    silence(job)
    jobs.Progress(job.pk).beat()
    assert jobs.requeue_silent() == 0


def test_a_job_that_kills_its_worker_each_time_is_given_up():
    jobs.enqueue("mirror.repack")
    for _ in range(jobs.MOST_ATTEMPTS):
        silence(jobs.claim())
        jobs.requeue_silent()
    assert jobs.claim() is None
    assert "lost 5 times" in Job.objects.get().error


def test_a_lost_job_gives_way_to_a_newer_one_of_its_subject():
    jobs.enqueue("mirror.repack")
    lost = jobs.claim()
    newer = jobs.enqueue("mirror.repack")
    silence(lost)
    jobs.requeue_silent()
    assert jobs.claim().pk == newer.pk
    assert Job.objects.get(pk=lost.pk).state == Job.FAILED


def test_the_progress_of_a_job_can_be_read_while_it_runs():
    jobs.enqueue("mirror.repack")
    job = jobs.claim()
    jobs.Progress(job.pk).report(3, 10)
    job.refresh_from_db()
    assert (job.done, job.total) == (3, 10)


def test_a_finished_job_stays_finished_though_its_worker_was_thought_dead():
    jobs.enqueue("mirror.repack")
    job = jobs.claim()
    silence(job)
    jobs.requeue_silent()
    jobs.finish(job)
    assert Job.objects.get().state == Job.QUEUED


def test_a_worker_that_was_thought_dead_does_not_close_the_job_of_its_successor():
    jobs.enqueue("mirror.repack")
    lost = jobs.claim()
    silence(lost)
    jobs.requeue_silent()
    jobs.claim()
    jobs.finish(lost, "too late")
    assert Job.objects.get().state == Job.RUNNING


def test_a_job_that_did_its_slice_goes_behind_those_that_wait():
    first = jobs.enqueue("evaluation.run", subject="run 1")
    second = jobs.enqueue("mirror.repack")
    jobs.put_back(jobs.claim())
    assert [jobs.claim().pk, jobs.claim().pk] == [second.pk, first.pk]
    assert Job.objects.get(pk=first.pk).attempts == 1


def test_a_slice_whose_job_was_asked_for_again_makes_way_for_that_one():
    first = jobs.enqueue("evaluation.run", subject="run 1")
    claimed = jobs.claim()
    again = jobs.enqueue("evaluation.run", subject="run 1")
    jobs.put_back(claimed)
    assert (Job.objects.get(pk=first.pk).state, jobs.claim().pk) == (Job.DONE, again.pk)


def test_a_kind_can_be_left_to_others():
    jobs.enqueue("evaluation.run", subject="run 1")
    assert jobs.claim(without=("evaluation.run",)) is None
    assert jobs.claim() is not None
