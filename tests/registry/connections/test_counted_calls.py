"""Counted calls: each attempt is counted before it is made, and corrected once its usage is known."""

import itertools
import json
import threading
from decimal import Decimal

import pytest

from promptuary.evaluation import ModelError, Reply
from registry.connections import queries, services, spending
from registry.connections.counted_calls import CountedCall, ask_with_tries
from registry.connections.models import Spending
from registry.core.errors import TooMany
from registry.evaluations import datasets, run_worker, start_runs
from registry.evaluations.call_pool import CallPool
from tests.support.fake_model_server import ModelServer
from tests.support.parallel_runs import finish_runs_side_by_side

PRICES = {"prompt_price": "1000", "completion_price": "1000"}  # 0.11 for 100 tokens and 10
FAULTS = ("broken", "busy", "malformed", "good")


class FaultyServer(ModelServer):
    """Answers 503, 429, half an answer and a whole one in turn, whatever it is asked; counts each with status 200."""

    def __init__(self, faults=FAULTS):
        super().__init__({"policy": "30 days"})
        self._faults, self.billed, self.requests = itertools.cycle(faults), 0, 0
        self.counting = threading.Lock()

    def answer(self, messages):
        with self.counting:
            self.requests += 1
            fault = next(self._faults)
            self.billed += fault in ("malformed", "good")
            self.asked[0], self.script = 0, {0: fault}
            return super().answer(messages)


@pytest.fixture
def call(support, admin, connect):
    connect(**PRICES)
    endpoint = queries.find_endpoint("small", "support")
    return CountedCall(support, admin.person, endpoint, "a prompt of words")


def counted():
    row = Spending.objects.get()
    return row.calls, row.prompt_tokens, row.completion_tokens


def test_a_try_is_counted_before_it_is_made(call):
    call.count_try()
    assert counted() == (1, 6, 0)  # estimated from above


def test_tokens_that_the_provider_did_not_count_are_estimated_from_above(call):
    call.count_try()
    assert call.settle([Reply("a reply")]) == (0, 0, 3)
    assert counted() == (1, 6, 3)


def test_the_providers_count_replaces_the_estimate(call):
    call.count_try()
    call.settle([Reply("a reply", 100, 10)])
    assert counted() == (1, 100, 10)


def test_a_try_that_was_refused_costs_nothing(call):
    call.count_try()
    call.count_try()
    call.settle([])
    assert counted() == (0, 0, 0)
    assert Spending.objects.get().cost == 0


def test_a_try_is_refused_where_those_before_reached_the_cap(call, admin):
    services.set_caps(actor=admin, namespace="support", person_day="0.01", namespace_month=None)
    call.count_try()
    call.count_try()
    with pytest.raises(TooMany, match="daily limit of admin is reached"):
        call.count_try()
    assert counted() == (2, 12, 0)


def test_the_tokens_of_a_try_count_before_the_next_try(call, admin):
    services.set_caps(actor=admin, namespace="support", person_day="0.01", namespace_month=None)
    call.count_try()
    call.settle([Reply("half a reply", 6, 4)])
    with pytest.raises(TooMany, match="daily limit of admin is reached"):
        call.count_try()
    call.settle([Reply("half a reply", 6, 4)])
    assert counted() == (1, 6, 4)


def test_tries_of_one_call_are_refused_in_the_middle_with_what_they_took(support, admin, connect, server):
    server.script[1] = "malformed"
    connect(**PRICES)
    endpoint = queries.find_endpoint("small", "support")
    permissions = iter([None, TooMany("The limit is reached.", retry_after=1)])

    def permit(_spent):
        if refusal := next(permissions):
            raise refusal

    prompt = type("Asked", (), {"messages": [{"role": "user", "content": "policy"}]})()
    with pytest.raises(ModelError, match="The limit is reached") as caught:
        ask_with_tries(endpoint, endpoint.open(), prompt, {}, permit)
    assert isinstance(caught.value.__cause__, TooMany)
    assert (len(caught.value.spent), server.asked[1]) == (1, 1)


@pytest.fixture
def start(author, save):
    save()

    def start(count):
        rows = "".join(json.dumps({"inputs": {"question": f"policy {number}"}}) + "\n" for number in range(count))
        datasets.save_dataset(actor=author, name="support/questions", text=rows)
        return start_runs.start_run(actor=author, template="support/reply", dataset="support/questions", model="small")

    return start


@pytest.fixture
def quick(monkeypatch, settings):
    """No pause between two tries, and room for 20 runs."""
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr(start_runs, "MAX_UNFINISHED", 20)
    monkeypatch.setattr("promptuary.evaluation.http_models._pause", lambda error: 0.0 if error.retryable else False)


def test_a_request_that_is_not_answered_in_time_stays_counted(start, connect, server):
    server.script[1] = "silent"  # for 1.5 s
    connect(**PRICES, timeout=1)
    run = start(1)
    while run_worker.advance_run(run.pk, seconds=0):
        pass
    calls, prompt_tokens, _ = counted()
    assert (calls, server.asked[1]) == (2, 2)
    assert prompt_tokens > 100  # of the answered try, and of the other


def test_a_call_whose_worker_is_killed_stays_counted(start, connect, monkeypatch):
    connect(**PRICES)
    monkeypatch.setattr(CallPool, "_settle", lambda _pool, _end: None)
    run = start(1)
    run_worker.advance_run(run.pk, seconds=0)
    calls, prompt_tokens, completion_tokens = counted()
    assert (calls, completion_tokens) == (1, 0)
    assert prompt_tokens > 0


@pytest.mark.parametrize("faults", [("malformed",), ("malformed", "broken"), ("busy", "malformed")])
def test_tries_that_are_billed_pass_a_cap_by_those_in_flight_at_most(start, connect, admin, quick, faults):
    with FaultyServer(faults) as server:
        connect(**PRICES, base_url=server.url, concurrency=4)
        services.set_caps(actor=admin, namespace="support", person_day="0.1", namespace_month=None)
        run = start(12)
        while run_worker.advance_run(run.pk, seconds=0):
            pass
        run.refresh_from_db()
    spent = Spending.objects.get()
    assert "daily limit of author is reached" in run.error
    assert spent.cost < Decimal("0.1") + 4 * spent.cost / spent.calls
    assert spent.calls == server.billed


@pytest.mark.slow
@pytest.mark.dialect
def test_twenty_runs_of_a_faulty_server_pass_a_cap_by_the_tries_in_flight_at_most(
    transactional_db, start, connect, admin, author, support, quick
):
    with FaultyServer() as server:
        connect(**PRICES, base_url=server.url, concurrency=2)
        services.set_caps(actor=admin, namespace="support", person_day="2", namespace_month=None)
        finish_runs_side_by_side([start(10) for _ in range(20)])
    spent = Spending.objects.get()
    dearest = Decimal("0.11")  # a whole reply
    assert Decimal(2) <= spent.cost < Decimal(2) + 20 * 2 * dearest
    assert spent.calls == server.billed < server.requests
    with pytest.raises(TooMany, match="daily limit of author is reached"):
        spending.require_within_caps(support, author.person, queries.find_endpoint("small", "support"))
