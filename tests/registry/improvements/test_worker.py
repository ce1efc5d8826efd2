"""The worker on improvements: stopping one, killed workers, and automatic ends."""

import threading
from unittest.mock import Mock

import pytest
from django.db import connection

from promptuary.renderer.errors import DocumentError
from registry.connections.models import Spending
from registry.core.errors import Busy
from registry.evaluations.models import Run
from registry.improvements import failing_rows, model_asking, proposals, queries, services, worker
from registry.improvements.models import Improvement
from registry.improvements.proposals import Proposal
from registry.jobs import claims, queue
from registry.jobs.models import Job
from registry.tasks import tasks
from registry.templates.models import Version
from tests.support.improvement_desk import BETTER, NAME, set_cap
from tests.support.improving_model_server import propose
from tests.support.spending import spend_one_dollar


@pytest.fixture
def place(desk):
    with desk(propose(BETTER)) as place:
        Job.objects.all().delete()  # that of the run, which is done already
        yield place


def test_a_start_queues_one_job_that_the_worker_does(place):
    improvement = place.start()
    job = Job.objects.get(kind=queue.IMPROVEMENT)
    assert (job.subject, job.state) == (f"improvement {improvement.number}", Job.QUEUED)
    for _ in range(10):
        tasks.run_jobs()
    stored = queries.find_own_improvement(place.author, improvement.number)
    assert (stored.stage, stored.calls) == ("done", 1)


def test_one_that_was_stopped_before_its_turn_asks_nothing(place):
    improvement = place.start()
    services.stop_improvement(actor=place.author, number=improvement.number)
    assert place.measure(improvement).stage == "stopped"
    assert not place.server.asked_prompts


def test_one_that_is_stopped_while_it_is_measured_cancels_the_run(place):
    improvement = place.ask(place.start())
    call_count = len(place.server.questions)
    stopped = services.stop_improvement(actor=place.author, number=improvement.number)
    assert (stopped.stage, stopped.measurement.state) == ("stopped", "cancelled")
    assert place.measure(improvement).stage == "stopped"
    assert len(place.server.questions) == call_count


@pytest.mark.slow
def test_one_that_is_stopped_while_the_model_writes_is_counted_and_not_used(transactional_db, desk):
    hold = threading.Event()
    with desk(propose(BETTER), hold=hold) as place:
        improvement = place.start()

        def work():
            worker.advance_improvement(improvement.number)
            connection.close()

        thread = threading.Thread(target=work)
        thread.start()
        assert place.server.is_asked.wait(60)
        services.stop_improvement(actor=place.author, number=improvement.number)
        hold.set()
        thread.join(60)
        stored = queries.find_own_improvement(place.author, improvement.number)
        assert (stored.stage, stored.document, stored.measurement) == ("stopped", "", None)
        assert (stored.calls, stored.prompt_tokens, stored.completion_tokens) == (1, 100, 100)


class Killed(BaseException):
    """Simulates a killed process: nothing after it runs."""


class KilledModel:
    """A model whose caller is killed while waiting."""

    name = "helper"

    def complete(self, prompt, settings, *, before_try):
        before_try(())
        raise Killed


def kill_while_asked(place, improvement):
    """Send the prompt of an improvement like a worker that is killed before it gets a reply."""
    endpoint = worker._find_endpoint(improvement)
    inputs = worker._make_inputs(improvement)
    request = model_asking.render_asking(improvement.prompt, inputs)
    killed_endpoint = type(
        "Held", (), {"__getattr__": lambda _, name: getattr(endpoint, name), "open": lambda _: KilledModel()}
    )
    with pytest.raises(Killed):
        model_asking.ask_model(improvement, killed_endpoint(), request)


def test_a_call_whose_worker_is_killed_is_counted_and_asked_again(place):
    improvement = place.start()
    spent = Spending.objects.get(model="helper").prompt_tokens
    assert worker._begin(improvement)
    kill_while_asked(place, improvement)
    killed = Improvement.objects.get(pk=improvement.pk)
    assert (killed.stage, killed.calls) == ("asking", 1)
    assert Spending.objects.get(model="helper").prompt_tokens == spent + killed.prompt_tokens > spent
    stored = place.measure(improvement)
    assert (stored.stage, stored.calls) == ("done", 2)


def test_an_answer_without_a_text_is_counted_with_all_that_it_took(desk):
    with desk(None) as place:
        improvement = place.start()
        before = Spending.objects.get(model="helper")
        stored = place.ask(improvement)
        spent = Spending.objects.get(model="helper")
        assert (stored.stage, stored.calls, stored.prompt_tokens, stored.completion_tokens) == ("failed", 1, 100, 100)
        assert spent.completion_tokens - before.completion_tokens == 100


def test_workers_that_are_killed_again_and_again_make_no_more_calls_than_allowed(place):
    improvement = place.start()
    for _ in range(queries.MAX_CALLS):
        assert worker._begin(improvement)
        kill_while_asked(place, improvement)
    stored = place.ask(improvement)
    assert (stored.stage, stored.calls) == ("failed", queries.MAX_CALLS)
    assert "as often as it may be" in stored.reason
    assert not place.server.asked_prompts


def test_a_job_that_lost_its_worker_too_often_ends_its_improvement(place):
    improvement = place.start()
    assert worker.fail_lost_improvements() == 0
    job = Job.objects.get(kind=queue.IMPROVEMENT)
    claimed = claims.claim_job()
    assert claimed.pk == job.pk
    Job.objects.filter(pk=job.pk).update(attempts=claims.MAX_ATTEMPTS, heartbeat_at=job.created_at - 2 * claims.SILENCE)
    claims.requeue_silent_jobs()
    assert worker.fail_lost_improvements() == 1
    assert "lost too often" in queries.find_own_improvement(place.author, improvement.number).reason


def test_an_internal_error_ends_the_improvement_with_a_reason(place):
    improvement = place.start()
    Improvement.objects.filter(pk=improvement.pk).update(shown_rows=["no number"])
    tasks.run_jobs()
    stored = queries.find_own_improvement(place.author, improvement.number)
    assert stored.stage == "failed"
    assert "fault of Promptuary" in stored.reason


@pytest.fixture
def busy_check(monkeypatch):
    """A renderer that is too busy for the check of a proposal, so many times; then it is free."""
    check, left = proposals.check_proposal, list[int]()

    def check_or_refuse(*arguments):
        if left:
            left.pop()
            raise Busy("Too many calls are waiting.")
        return check(*arguments)

    monkeypatch.setattr(proposals, "check_proposal", check_or_refuse)
    return lambda times: left.extend(range(times))


def test_a_reply_that_came_while_the_renderer_was_busy_is_checked_and_not_asked_for_again(place, busy_check):
    improvement = place.start()
    busy_check(4)
    stored = place.measure(improvement)
    assert (stored.stage, stored.document, stored.calls) == ("done", BETTER, 1)
    assert len(place.server.asked_prompts) == 1


def test_the_last_reply_is_checked_too_where_the_renderer_was_busy(desk, busy_check):
    with desk("no", "no", propose(BETTER)) as place:
        improvement = place.start()
        assert [worker.advance_improvement(improvement.number) for _ in range(2)] == [True, True]
        busy_check(4)
        stored = place.measure(improvement)
        assert (stored.stage, stored.document, stored.calls) == ("done", BETTER, queries.MAX_CALLS)
        assert len(place.server.asked_prompts) == queries.MAX_CALLS


def test_a_model_to_measure_by_that_is_another_by_now_ends_it_before_the_call(place):
    improvement = place.start()
    Run.objects.filter(pk=place.run.pk).update(model_digest="sha256:other")
    stored = place.ask(improvement)
    assert (stored.stage, stored.calls) == ("failed", 0)
    assert f"not what it was when run {place.run.number} asked it" in stored.reason
    assert not place.server.asked_prompts


def test_a_version_that_can_not_be_read_any_more_ends_it_before_the_call(place, monkeypatch):
    improvement = place.start()

    def refuse(document):
        raise DocumentError("this key is not known", code="PT101")

    monkeypatch.setattr(queries, "parse_document", refuse)
    stored = place.ask(improvement)
    assert (stored.stage, stored.calls) == ("failed", 0)
    assert stored.reason == f"{NAME}@1 can't be read as a template: this key is not known."


def test_no_rule_is_skipped_where_the_version_can_not_be_read(place, monkeypatch):
    changed = BETTER.replace("temperature: 0", "temperature: 1")
    monkeypatch.setattr(Version, "document", "---\ninputs: [\n---\n- x")
    with pytest.raises(DocumentError):
        proposals.check_proposal(place.author, place.run.version, Proposal(changed, "It is better.", ()))


def test_failing_rows_are_found_once_a_plan_and_once_a_call(place, monkeypatch):
    find = Mock(wraps=failing_rows._find_floors)
    monkeypatch.setattr(failing_rows, "_find_floors", find)
    improvement = place.start()
    assert find.call_count == 1
    worker.advance_improvement(improvement.number)
    assert find.call_count == 2


def test_an_improvement_that_a_cap_refuses_is_not_a_call(place, admin):
    improvement = place.start()
    spend_one_dollar(improvement.person)
    set_cap(admin, "1")
    stored = place.ask(improvement)
    assert (stored.stage, stored.calls, stored.prompt_tokens) == ("failed", 0, 0)
    assert "daily limit of author is reached" in stored.reason
    assert not place.server.asked_prompts
