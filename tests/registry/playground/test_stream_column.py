"""Streaming a column: the events, what is stored, its cost, and every way in which it can end."""

import asyncio
import contextlib
import json
import socket
from datetime import timedelta
from decimal import Decimal

import pytest

from promptuary.evaluation.partial_reply import PartialReply
from registry.connections import services as connection_services
from registry.connections.models import Spending
from registry.core.database_threads import run_in_thread
from registry.core.errors import NotFound
from registry.journal import log
from registry.namespaces.models import Namespace
from registry.playground import replies, services, streams
from registry.playground.models import PlaygroundColumn
from registry.playground.serializers import describe_column
from tests.registry.playground.conftest import DRAFT, collect
from tests.support.spending import spend_one_dollar

JSON_DRAFT = DRAFT.replace("inputs:", "output: {schema: {type: object, required: [decision]}}\ninputs:")


@pytest.fixture(autouse=True)
def committed(transactional_db):
    """A committing database: the steps of a reply run in threads with their own connections."""


def names(events):
    return [name for name, _ in events]


def test_a_reply_is_streamed_stored_and_counted(start, stream, connect, server, column_of):
    connect()
    run = start()
    events = stream(run)
    assert "".join(data["text"] for name, data in events if name == "text") == "Yes, you can."
    name, column = events[-1]
    assert (name, column["state"], column["text"], column["finish_reason"]) == ("done", "done", "Yes, you can.", "stop")
    assert column["tokens"] == {"prompt": 100, "completion": 10}
    assert column["cost"] == {"amount": "0.0011", "currency": "USD"}
    assert column["output"]["kind"] == "text"
    assert column["first_token_milliseconds"] <= column["milliseconds"]
    assert describe_column(column_of(run)) == column
    spent = Spending.objects.get()
    assert (spent.calls, spent.prompt_tokens, spent.completion_tokens, spent.cost) == (1, 100, 10, Decimal("0.0011"))
    assert server.bodies[0]["max_tokens"] == 50
    assert server.headers[0]["authorization"] == "Bearer sk-test"


def test_pieces_that_come_quickly_are_sent_together(start, stream, connect, server):
    server.words, server.pause = ["word "] * 30, 0.02
    connect()
    texts = [data["text"] for name, data in stream(start()) if name == "text"]
    assert "".join(texts) == "word " * 30
    assert 1 < len(texts) < 30


@pytest.mark.parametrize("protocol", ["responses", "anthropic"])
def test_every_protocol_is_streamed(start, stream, connect, protocol):
    connect(protocol=protocol)
    assert stream(start())[-1][1]["text"] == "Yes, you can."


def test_a_reply_is_read_by_the_documents_output_rules(start, stream, connect, server):
    server.words = ['{"decision": ', '"refund"}']
    connect()
    run = start({"source": "draft", "document": JSON_DRAFT, "model": "small"})
    output = stream(run)[-1][1]["output"]
    assert (output["valid"], output["fields"]) == (
        True,
        [{"name": "decision", "value": "refund", "problem": None}],
    )


def test_a_reply_that_breaks_the_rules_is_done_with_its_problems(start, stream, connect):
    connect()
    run = start({"source": "draft", "document": JSON_DRAFT, "model": "small"})
    column = stream(run)[-1][1]
    assert column["state"] == "done"
    assert (column["output"]["valid"], "no JSON" in column["output"]["problem"]) == (False, True)


def test_tool_calls_are_shown_and_stored(start, stream, connect, server):
    server.faults = ["tool"]
    connect()
    events = stream(start())
    assert names(events)[-2:] == ["tool", "done"]
    assert events[-1][1]["tools"] == [{"name": "look_up", "arguments": '{"order": "HB-1"}'}]
    assert events[-1][1]["finish_reason"] == "tool_calls"


def test_tool_calls_of_a_model_that_does_not_stream_are_stored(start, stream, connect, server):
    server.faults = ["whole tool"]
    connect()
    events = stream(start())
    assert names(events)[-2:] == ["tool", "done"]
    assert events[-1][1]["tools"] == [{"name": "look_up", "arguments": '{"order": "HB-1"}'}]


def test_a_refusal_of_a_model_that_does_not_stream_is_reported(start, stream, connect, server):
    server.faults, server.words = ["whole refusal"], ["I can't help."]
    connect()
    column = stream(start())[-1][1]
    assert (column["text"], column["finish_reason"]) == ("I can't help.", "refusal")


def test_a_host_whose_name_is_unknown_is_named(start, stream, connect, monkeypatch):
    connect()
    run = start()

    def refuse(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert stream(run)[-1][1]["detail"] == "127.0.0.1 is not found."


def test_echo_streams_and_costs_nothing(start, stream):
    column = stream(start({"source": "draft", "document": DRAFT, "model": "echo"}))[-1][1]
    assert (column["text"], column["cost"]) == ("Answer: May I return boots?", None)
    assert not Spending.objects.exists()


@pytest.mark.parametrize(("fault", "status"), [("unavailable", 503), ("overloaded", 529)])
def test_a_model_that_answers_later_is_asked_once_more(start, stream, connect, server, monkeypatch, fault, status):
    monkeypatch.setattr(streams, "_SHORT_PAUSE", 0.01)
    server.faults = [fault]
    connect()
    events = stream(start())
    assert events[0][1]["detail"] == f"The model is busy ({status}). Retrying in 0 s."
    assert events[-1][0] == "done"
    assert Spending.objects.get().calls == 1


def test_a_busy_model_is_asked_once_more_after_its_pause(start, stream, connect, server):
    server.faults = ["busy"]
    connect()
    events = stream(start())
    assert events[0] == ("waiting", {"seconds": 0.05, "detail": "The model is busy (429). Retrying in 0 s."})
    assert events[-1][0] == "done"
    assert Spending.objects.get().calls == 1


def test_a_model_that_stays_busy_fails_and_costs_nothing(start, stream, connect, server):
    server.faults = ["busy", "busy"]
    connect()
    name, failure = stream(start())[-1]
    assert (name, failure["detail"], failure["retry_after"]) == ("failed", "The model is busy (429): no.", 0.05)
    assert Spending.objects.get().cost == 0


def test_a_model_keeps_its_own_letters_and_a_sentence_one_full_stop(start, stream, connect, server):
    server.faults = ["broken"]
    connect()
    assert stream(start())[-1][1]["detail"] == "small answered 500: no."


def test_stopping_while_a_busy_model_is_waited_for_costs_nothing(start, connect, server, author):
    server.faults, server.retry_after = ["busy"], 30
    connect()
    column_id = start().columns.get().pk

    async def stop_while_waiting():
        async with contextlib.aclosing(streams.stream_column(author, column_id)) as events:
            assert (await anext(events))[0] == "waiting"
            await run_in_thread(services.stop_column, actor=author, column_id=column_id)
            return [event async for event in events]

    name, column = asyncio.run(asyncio.wait_for(stop_while_waiting(), 10))[-1]
    assert (name, column["tokens"]) == ("stopped", {"prompt": 0, "completion": 0})
    assert Spending.objects.get().cost == 0


def test_a_rejected_key_is_shown_in_words(start, stream, connect, server):
    server.faults = ["rejected"]
    connect()
    assert "The key was rejected" in stream(start())[-1][1]["detail"]


def test_a_dead_endpoint_fails_the_column_and_costs_nothing(start, stream, connect):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    connect(base_url=f"http://127.0.0.1:{port}/v1")
    name, failure = stream(start())[-1]
    assert failure["detail"] == f"small can't be reached: nothing answers at 127.0.0.1 on port {port}."
    assert (name, failure["column"]["state"]) == ("failed", "failed")
    assert Spending.objects.get().cost == 0


def test_a_cut_stream_keeps_what_came_and_counts_it(start, stream, connect, server):
    server.faults = ["cut"]
    connect()
    name, failure = stream(start())[-1]
    assert (name, failure["column"]["text"]) == ("failed", "Yes, you")
    assert failure["column"]["tokens"]["completion"] == 3  # of eight bytes, rather too many
    assert Spending.objects.get().cost > 0


def test_a_silent_endpoint_is_left_after_the_connections_timeout(start, stream, connect, server):
    server.faults, server.pause = ["silent"], 2.0
    connect(timeout=1)
    assert "gave no answer for 1 s" in stream(start())[-1][1]["detail"]
    assert Spending.objects.get().prompt_tokens > 0


def test_a_removed_model_fails_the_column(start, stream, connect, admin):
    row = connect()
    run = start()
    connection_services.remove_connection(actor=admin, connection_id=row.id)
    assert "has no model 'small'" in stream(run)[-1][1]["detail"]


def test_a_cap_reached_meanwhile_stops_the_call_before_it_is_sent(start, stream, connect, admin, server):
    connect()
    run = start()
    spend_one_dollar(run.person)
    connection_services.set_caps(actor=admin, namespace="support", person_day="1", namespace_month=None)
    name, failure = stream(run)[-1]
    assert (name, "daily limit of author" in failure["detail"]) == ("failed", True)
    assert failure["retry_after"] > 0
    assert server.bodies == []


def test_stop_ends_the_reply_and_keeps_what_came(start, connect, server, author):
    server.words, server.pause = ["word "] * 200, 0.05
    connect()
    run = start()
    column_id = run.columns.get().pk

    async def stop_after_two_words():
        async with contextlib.aclosing(streams.stream_column(author, column_id)) as events:
            seen = [await anext(events), await anext(events)]
            await run_in_thread(services.stop_column, actor=author, column_id=column_id)
            return seen + [event async for event in events]

    name, column = asyncio.run(asyncio.wait_for(stop_after_two_words(), 10))[-1]
    assert (name, column["state"], column["problem"]) == ("stopped", "stopped", None)
    assert "word word " in column["text"]
    assert 0 < column["tokens"]["completion"] < 200
    assert Spending.objects.get().completion_tokens == column["tokens"]["completion"]


def test_stopping_before_it_began_asks_nobody(start, stream, connect, author, server):
    connect()
    run = start()
    services.stop_column(actor=author, column_id=run.columns.get().pk)
    assert names(stream(run)) == ["stopped"]
    assert server.bodies == []


def test_closing_the_page_ends_the_call(start, connect, server, author, column_of):
    server.words, server.pause = ["word "] * 200, 0.05
    connect()
    run = start()

    column_id = run.columns.get().pk

    async def leave():
        events = streams.stream_column(author, column_id)
        await anext(events)
        await events.aclose()

    asyncio.run(leave())
    column = column_of(run)
    assert (column.state, column.problem) == ("stopped", "The connection to the page ended while this was written.")
    assert column.reply.startswith("word ")
    assert column.completion_tokens > 0


def test_a_second_stream_reads_what_the_first_one_writes(start, connect, server, author):
    server.words, server.pause = ["word "] * 60, 0.05
    connect()
    column_id = start().columns.get().pk

    async def both():
        first = asyncio.create_task(collect(author, column_id))
        await asyncio.sleep(1.0)
        return await collect(author, column_id), await first

    second, first = asyncio.run(asyncio.wait_for(both(), 20))
    assert second[0][1]["replace"] is True
    assert "".join(data["text"] for name, data in second if name == "text").startswith("word word")
    assert first[-1] == second[-1]
    assert len(server.bodies) == 1


def test_a_stream_of_a_column_that_is_over_gives_its_end(start, stream, connect, server):
    connect()
    run = start()
    end = stream(run)[-1]
    assert stream(run) == [end]
    assert len(server.bodies) == 1


def test_a_killed_process_is_noticed_and_the_estimate_counted(start, stream, connect, author):
    connect()
    run = start()
    column = run.columns.get()
    endpoint = replies.find_call_endpoint(author, column.pk)
    assert replies.claim_column(author, column.pk)
    replies.send_call(author, column.pk, endpoint)
    replies.write_progress({column.pk: PartialReply("half a")})
    late = log.now() - replies.SILENCE - timedelta(seconds=1)
    PlaygroundColumn.objects.filter(pk=column.pk).update(heartbeat_at=late)
    assert replies.fail_lost_columns() == 1
    name, failure = stream(run)[-1]
    assert (name, failure["detail"]) == ("failed", "The server stopped while this was written.")
    assert (failure["column"]["text"], failure["column"]["tokens"]["completion"]) == ("half a", 50)
    assert Spending.objects.get().completion_tokens == 50


def test_another_persons_column_is_not_found(start, stream, connect, reviewer):
    connect()
    with pytest.raises(NotFound, match="of yours"):
        stream(start(), actor=reviewer)


def test_where_nothing_is_stored_the_page_still_gets_its_reply(start, stream, connect, column_of):
    connect()
    Namespace.objects.update(discard_playground_texts=True)
    run = start()
    events = stream(run)
    assert events[-1][1]["text"] == "Yes, you can."
    column = column_of(run)
    assert (column.is_emptied, column.reply, column.prompt, column.bundle, column.run.inputs) == (
        True,
        "",
        "",
        "",
        "{}",
    )
    assert column.completion_tokens == 10


def test_a_connection_takes_so_many_calls_at_the_same_time(start, connect, server, author):
    server.pause = 0.1
    connect(concurrency=2)
    columns = [start().columns.get().pk for _ in range(5)]

    async def all_at_once():
        return await asyncio.gather(*(collect(author, column_id) for column_id in columns))

    ends = asyncio.run(all_at_once())
    assert [events[-1][0] for events in ends] == ["done"] * 5
    assert server.most_open_calls == 2
    assert any(name == "waiting" for events in ends for name, _ in events)


@pytest.mark.slow
def test_twenty_runs_at_the_same_time_pass_a_cap_by_the_calls_in_flight_at_most(start, connect, server, author, admin):
    server.pause = 0.05
    connect(prompt_price="1000", completion_price="1000", concurrency=4)  # a call costs 0.11
    columns = [start().columns.get().pk for _ in range(20)]
    connection_services.set_caps(actor=admin, namespace="support", person_day="0.5", namespace_month=None)

    async def all_at_once():
        return await asyncio.gather(*(collect(author, column_id) for column_id in columns))

    ends = [events[-1] for events in asyncio.run(all_at_once())]
    assert {name for name, _ in ends} == {"done", "failed"}
    assert all("daily limit" in data["detail"] for name, data in ends if name == "failed")
    assert Spending.objects.get().cost <= Decimal("0.5") + 4 * Decimal("0.11")
    assert json.dumps(ends)


def test_characters_that_no_database_takes_lose_no_reply(start, stream, connect, server):
    server.words = ["Yes,", " \0you\ud83d", "\ude00 can."]
    connect()
    name, column = stream(start())[-1]
    assert (name, column["text"]) == ("done", "Yes, \ufffdyou\U0001f600 can.")


def test_thoughts_of_a_reply_that_is_cut_are_counted(start, stream, connect, server):
    thought = {"choices": [{"index": 0, "delta": {"reasoning_content": "Boots? " * 30}}]}
    server.faults = [[thought]]
    connect()
    name, failure = stream(start())[-1]
    assert (name, failure["column"]["text"]) == ("failed", "")
    assert failure["column"]["tokens"]["completion"] == 71  # of 210 bytes
