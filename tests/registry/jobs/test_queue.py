"""Jobs as rows: queued once, claimed once, requeued when their worker dies."""

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.jobs import claims, queue
from registry.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def silence(job, seconds=60):
    Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - timedelta(seconds=seconds))


def test_a_job_is_claimed_once():
    claims.enqueue("mirror.repack")
    assert claims.claim_job().kind == "mirror.repack"
    assert claims.claim_job() is None


def test_jobs_are_claimed_in_the_order_they_came():
    for subject in ("first", "second"):
        claims.enqueue("mirror.repack", subject=subject)
    assert [claims.claim_job().subject, claims.claim_job().subject] == ["first", "second"]


def test_asking_twice_while_it_waits_makes_one_job():
    assert claims.enqueue("mirror.repack").pk == claims.enqueue("mirror.repack").pk


def test_asking_again_wakes_the_worker_again(django_capture_on_commit_callbacks):
    calls = []
    queue.subscribe(lambda: calls.append("wake"))
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            queue.enqueue("mirror.repack")
    assert calls == ["wake", "wake"]


def test_asking_again_while_it_runs_makes_another():
    first = claims.enqueue("mirror.repack")
    claims.claim_job()
    assert claims.enqueue("mirror.repack").pk != first.pk


def test_a_job_that_lost_its_worker_is_queued_again():
    job = claims.enqueue("mirror.repack")
    silence(claims.claim_job())
    assert claims.requeue_silent_jobs() == 1
    assert claims.claim_job().pk == job.pk
    assert Job.objects.get().attempts == 2


def test_a_running_job_that_gives_signs_of_life_is_left_alone():
    claims.enqueue("mirror.repack")
    job = claims.claim_job()
    silence(job)
    claims.Progress(job.pk).beat()
    assert claims.requeue_silent_jobs() == 0


def test_a_job_that_kills_its_worker_each_time_is_given_up():
    claims.enqueue("mirror.repack")
    for _ in range(claims.MAX_ATTEMPTS):
        silence(claims.claim_job())
        claims.requeue_silent_jobs()
    assert claims.claim_job() is None
    assert "lost 5 times" in Job.objects.get().error


def test_a_lost_job_is_replaced_by_a_newer_one_of_its_subject():
    claims.enqueue("mirror.repack")
    lost = claims.claim_job()
    newer = claims.enqueue("mirror.repack")
    silence(lost)
    claims.requeue_silent_jobs()
    assert claims.claim_job().pk == newer.pk
    assert Job.objects.get(pk=lost.pk).state == Job.FAILED


def test_the_progress_of_a_job_can_be_read_while_it_runs():
    claims.enqueue("mirror.repack")
    job = claims.claim_job()
    claims.Progress(job.pk).report(3, 10)
    job.refresh_from_db()
    assert (job.done, job.total) == (3, 10)


def test_a_finished_job_stays_finished_though_its_worker_was_thought_dead():
    claims.enqueue("mirror.repack")
    job = claims.claim_job()
    silence(job)
    claims.requeue_silent_jobs()
    claims.finish_job(job)
    assert Job.objects.get().state == Job.QUEUED


def test_a_worker_that_was_thought_dead_does_not_close_the_job_of_its_successor():
    claims.enqueue("mirror.repack")
    lost = claims.claim_job()
    silence(lost)
    claims.requeue_silent_jobs()
    claims.claim_job()
    claims.finish_job(lost, "too late")
    assert Job.objects.get().state == Job.RUNNING


def test_a_job_that_did_its_slice_goes_behind_those_that_wait():
    first = claims.enqueue("evaluation.run", subject="run 1")
    second = claims.enqueue("mirror.repack")
    claims.requeue_job(claims.claim_job())
    assert [claims.claim_job().pk, claims.claim_job().pk] == [second.pk, first.pk]
    assert Job.objects.get(pk=first.pk).attempts == 1


def test_a_slice_whose_job_was_asked_for_again_makes_way_for_that_one():
    first = claims.enqueue("evaluation.run", subject="run 1")
    claimed = claims.claim_job()
    again = claims.enqueue("evaluation.run", subject="run 1")
    claims.requeue_job(claimed)
    assert (Job.objects.get(pk=first.pk).state, claims.claim_job().pk) == (Job.DONE, again.pk)


def test_a_kind_can_be_left_to_others():
    claims.enqueue("evaluation.run", subject="run 1")
    assert claims.claim_job(without=("evaluation.run",)) is None
    assert claims.claim_job() is not None
