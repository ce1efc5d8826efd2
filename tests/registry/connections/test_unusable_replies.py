"""Unusable replies that a provider bills: they count against the caps like others."""

import json
from decimal import Decimal

import pytest

from registry.connections import services
from registry.connections.models import Spending
from registry.core.errors import Conflict
from registry.evaluations import call_pool, datasets, run_worker, start_runs
from registry.evaluations.models import Reply, RunRow
from registry.templates import save as template_save
from registry.templates.models import Template

PRICES = {"prompt_price": "1000", "completion_price": "1000"}  # 0.11 for 100 tokens and 10
POLICY = 1  # the number of the rows' question in the server's script


def finish(run):
    while run_worker.advance_run(run.pk, seconds=0):
        pass
    run.refresh_from_db()
    return run


@pytest.fixture
def start(author, save, connect):
    """Start a run over rows that call the connection, 4 at a time, and run the worker's steps."""
    save()
    connect(**PRICES)

    def start(count, question="", **options):
        listed = ({"inputs": {"question": question or f"policy {number}"}} for number in range(count))
        rows = "".join(json.dumps(row) + "\n" for row in listed)
        datasets.save_dataset(actor=author, name="support/questions", text=rows)
        chosen = {"dataset": "support/questions", "model": "small", **options}
        return finish(start_runs.start_run(actor=author, template="support/reply", **chosen))

    return start


def test_answers_without_a_text_reach_the_cap(start, admin, server):
    server.script[POLICY] = "textless"
    services.set_caps(actor=admin, namespace="support", person_day="0.5", namespace_month=None)
    run = start(40)
    assert (run.state, run.cost) == ("failed", None)
    assert "daily limit of author is reached" in run.error
    assert 5 <= server.asked[POLICY] <= 5 + 4  # and those in flight
    assert Spending.objects.get().calls == server.asked[POLICY]


def test_a_run_tells_what_answers_without_a_text_cost(start, server):
    server.script[POLICY] = "textless"
    run = start(2)
    assert (run.state, run.failed, run.prompt_tokens, run.cost) == ("done", 2, 200, Decimal("0.22"))


def test_a_malformed_answer_is_counted_next_to_the_one_that_came_after_it(start, server):
    server.script[POLICY] = "malformed"
    run = start(1)
    spent = Spending.objects.get()
    assert (run.failed, spent.calls) == (0, 2)
    assert spent.prompt_tokens > 100
    assert spent.completion_tokens > 10


def test_a_reply_that_is_too_long_to_keep_is_counted(start, server, monkeypatch):
    monkeypatch.setattr(call_pool, "_MAX_LENGTH", 5)
    run = start(1)
    assert run.failed == 1
    assert Spending.objects.get().cost == Decimal("0.11")


def test_a_judges_answer_without_a_text_is_counted(start, author, server):
    server.script[POLICY] = "textless"
    judge = "---\nformat: text\n---\n{{ documents }} {{ question }} {{ response }}"
    template_save.save_version(actor=author, name="support/judge", document=judge, message="")
    run = start(
        1, model="echo", judge="support/judge@1", judge_model="small", judge_paths={"documents": "inputs.question"}
    )
    assert (run.failed, run.cost) == (0, Decimal("0.11"))
    assert Spending.objects.get().cost == Decimal("0.11")


def test_a_cap_is_checked_between_the_prompts_of_one_row(start, author, admin, server):
    base = Template.objects.get(name="support/reply").latest.digest
    shaped = "---\nformat: shaped\n---\n{question}"  # a prompt for each of its items
    template_save.save_version(actor=author, name="support/reply", document=shaped, message="", base=base)
    services.set_caps(actor=admin, namespace="support", person_day="0.3", namespace_month=None)
    run = start(1, question=[f"policy {number}" for number in range(8)])
    assert "daily limit of author is reached" in run.error
    assert (server.asked[POLICY], Reply.objects.count()) == (3, 3)
    services.set_caps(actor=admin, namespace="support", person_day=None, namespace_month=None)
    start_runs.rerun_failures(actor=author, number=run.pk)
    run = finish(run)
    assert (run.state, run.failed, server.asked[POLICY]) == ("done", 0, 8)
    assert len(json.loads(RunRow.objects.get().result)["replies"]) == 8


def test_a_test_of_the_connection_without_a_text_is_counted(admin, connect, server):
    server.script[0] = "textless"
    row = connect(**PRICES)
    with pytest.raises(Conflict, match="sent no text"):
        services.try_connection(actor=admin, connection_id=row.id)
    assert Spending.objects.get().cost == Decimal("0.11")
