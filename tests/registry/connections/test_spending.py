"""Spending: counted as replies arrive, and capped before each call."""

import json
from datetime import date
from decimal import Decimal

import pytest

from registry.accounts.models import User
from registry.connections import queries, services, spending
from registry.connections.models import Spending
from registry.core.errors import Conflict, Invalid, NotAllowed, TooMany
from registry.evaluations import datasets, run_estimates, run_worker, start_runs
from registry.evaluations.models import Run
from registry.namespaces.models import Namespace
from registry.templates import save as template_save
from tests.support.parallel_runs import finish_runs_side_by_side
from tests.support.spending import spend_one_dollar

PRICES = {"prompt_price": "1000", "completion_price": "1000"}  # a tenth of a unit for 100 tokens


@pytest.fixture
def cap(admin, support):
    def cap_spending(person_day=None, namespace_month=None, currency="USD"):
        amounts = {"person_day": person_day, "namespace_month": namespace_month, "currency": currency}
        return services.set_caps(actor=admin, namespace="support", **amounts)

    return cap_spending


@pytest.fixture
def ask(admin, connect):
    """Try the connection: 100 tokens and 10, which cost 0.11."""
    row = connect(**PRICES)
    return lambda actor=admin: services.try_connection(actor=actor, connection_id=row.id)


def test_a_call_is_counted_by_person_model_and_day(admin, ask):
    ask()
    ask()
    row = Spending.objects.get()
    assert (row.person, row.model, row.calls, row.prompt_tokens) == (admin.person, "small", 2, 200)
    assert row.cost == Decimal("0.22")


def test_a_persons_cap_of_the_day_stops_the_next_call(ask, cap, server):
    cap(person_day="0.2")
    ask()
    ask()
    with pytest.raises(TooMany, match=r"daily limit of admin is reached: 0\.22 of 0\.20 USD") as caught:
        ask()
    assert caught.value.facts["retry_after"] in range(1, 24 * 3600 + 2)
    assert sum(server.answered.values()) == 2


def test_a_namespaces_cap_of_the_month_stops_everybody(ask, cap, support, reviewer):
    cap(namespace_month="0.1")
    ask()
    with pytest.raises(TooMany, match="monthly limit of support"):
        spending.require_within_caps(support, reviewer.person, queries.find_endpoint("small", "support"))


def test_spending_of_an_earlier_month_does_not_count(ask, cap):
    cap(namespace_month="0.1")
    ask()
    Spending.objects.update(day=date(2001, 1, 31))
    ask()


def test_where_a_cap_is_set_a_model_without_a_price_is_not_asked(admin, connect, cap):
    row = connect()
    cap(person_day="1")
    with pytest.raises(Conflict, match="has no price"):
        services.try_connection(actor=admin, connection_id=row.id)


def test_where_a_cap_is_set_a_price_in_another_currency_is_not_counted(admin, connect, cap):
    row = connect(**PRICES, currency="EUR")
    cap(person_day="1")
    with pytest.raises(Conflict, match="in USD; the price of small is in EUR"):
        services.try_connection(actor=admin, connection_id=row.id)


def test_every_model_that_the_caps_refuse_is_named_with_its_reason(admin, reviewer, support, connect, ask, cap):
    connect(name="unpriced")
    endpoints = queries.list_endpoints("support")
    assert spending.find_refusals(support, admin.person, endpoints) == {}
    cap(person_day="0.1")
    assert set(spending.find_refusals(support, admin.person, endpoints)) == {"unpriced"}
    ask()
    refusals = spending.find_refusals(support, admin.person, endpoints)
    assert "daily limit of admin" in refusals["small"].message
    assert "unpriced has no price" in refusals["unpriced"].message
    assert set(spending.find_refusals(support, reviewer.person, endpoints)) == {"unpriced"}


def test_the_model_that_echoes_costs_nothing(support, admin, cap):
    cap(person_day="0")
    spending.require_within_caps(support, admin.person, queries.find_endpoint("echo", "support"))


def test_only_admins_set_caps_and_see_what_was_spent(author, support):
    with pytest.raises(NotAllowed):
        services.set_caps(actor=author, namespace="support", person_day="1", namespace_month=None)
    with pytest.raises(NotAllowed):
        spending.list_spending(author, "support")


@pytest.mark.parametrize(("person_day", "written"), [("0.1", "0.22 of 0.10"), ("0.000052", "0.22 of 0.000052")])
def test_the_sentence_of_a_reached_cap_rounds_no_amount(cap, ask, person_day, written):
    ask()
    ask()
    cap(person_day=person_day)
    with pytest.raises(TooMany, match=f"The daily limit of admin is reached: {written} USD"):
        ask()


@pytest.mark.parametrize("caps", [{"person_day": "0"}, {"namespace_month": "0"}])
def test_a_cap_of_0_switches_calls_off_and_promises_no_reset(cap, ask, support, author, caps):
    cap(**caps)
    with pytest.raises(Conflict, match="which switches calls of models off") as caught:
        ask()
    assert "reset" not in caught.value.message
    echo, small = queries.find_endpoint("echo", "support"), queries.find_endpoint("small", "support")
    assert set(spending.find_refusals(support, author.person, [echo, small])) == {"small"}


def test_a_cap_is_an_amount(cap):
    with pytest.raises(Invalid, match="person_day"):
        cap(person_day="a little")


def test_the_month_is_listed_by_model(admin, ask):
    ask()
    (row,) = spending.list_spending(admin, "support")
    assert (row.model, row.calls, row.cost, row.currency) == ("small", 1, Decimal("0.11"), "USD")


@pytest.fixture
def start(author, save, connect):
    """Start a run over 40 rows that call the connection, 4 at a time."""
    save()
    rows = "".join(json.dumps({"inputs": {"question": f"policy {number}"}}) + "\n" for number in range(40))
    datasets.save_dataset(actor=author, name="support/questions", text=rows)
    connect(**PRICES)

    def start(**options):
        chosen = {"dataset": "support/questions", "model": "small", **options}
        return start_runs.start_run(actor=author, template="support/reply", **chosen)

    return start


def estimate(actor):
    return run_estimates.estimate_run(actor=actor, template="support/reply", dataset="support/questions", model="small")


def test_a_run_that_reaches_the_cap_stops_and_says_so(start, cap, server):
    cap(person_day="1")  # 10 calls
    run = start()
    while run_worker.advance_run(run.pk, seconds=0):
        pass
    run.refresh_from_db()
    assert run.state == "failed"
    assert "daily limit of author is reached" in run.error
    assert 10 <= sum(server.answered.values()) <= 10 + 4  # and those in flight


def test_a_run_is_refused_before_it_starts_where_a_cap_is_reached(start, cap, author, server):
    spend_one_dollar(author.person)
    cap(person_day="1")
    for begin in (start, lambda: estimate(author)):
        with pytest.raises(TooMany, match="daily limit of author is reached"):
            begin()
    cap(person_day="1", currency="EUR")
    with pytest.raises(Conflict, match="the price of small is in USD"):
        start()
    assert not Run.objects.exists()
    assert not server.answered


def test_a_run_whose_judge_may_not_be_asked_is_refused(start, cap, author):
    template_save.save_version(
        actor=author,
        name="support/judge",
        document="---\nformat: text\n---\n{{ documents }} {{ response }}",
        message="",
    )
    spend_one_dollar(author.person)
    cap(person_day="1")
    with pytest.raises(TooMany, match="daily limit of author is reached"):
        start(model="echo", judge="support/judge@1", judge_model="small")
    assert start(model="echo").state == "queued"


def test_a_run_that_reached_the_cap_is_run_again_once_there_is_room(start, cap, author):
    cap(person_day="1")
    run = start()
    while run_worker.advance_run(run.pk, seconds=0):
        pass
    with pytest.raises(TooMany, match="daily limit of author is reached"):
        start_runs.rerun_failures(actor=author, number=run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    cap(person_day="100")
    assert start_runs.rerun_failures(actor=author, number=run.pk).state == "queued"


@pytest.mark.slow
@pytest.mark.dialect
def test_runs_side_by_side_pass_a_cap_by_the_calls_in_flight_at_most(transactional_db, start, cap, server):
    cap(person_day="2")  # 19 calls
    finish_runs_side_by_side([start() for _ in range(5)])
    assert 19 <= sum(server.answered.values()) <= 19 + 5 * 4
    counted = Spending.objects.get()
    assert counted.calls == sum(server.answered.values())
    assert (Namespace.objects.count(), User.objects.filter(username="author").count()) == (1, 1)
