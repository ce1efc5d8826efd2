"""The demo's model server: answers by rules, streams, and is listed if the demo wrote the list of models."""

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from promptuary import renderer
from promptuary.evaluation.judge import read_judgement
from promptuary.evaluation.partial_reply import PartialReply
from promptuary.evaluation.streaming_models import HTTPStream, StreamRequest
from registry.accounts.actor import Actor
from registry.connections import queries
from registry.starter import demo_connection, demo_model
from tests.people import load_people

POLICY = {"role": "system", "content": "Use the policy. Refunds are made within 30 days. Gift cards are final."}
QUESTION = {"role": "user", "content": "Are gift cards refunded?"}


@pytest.fixture
def url():
    server = demo_model.make_server(0)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_it_quotes_the_sentence_that_fits_best_and_says_what_it_is():
    answer = demo_model.answer_prompt([POLICY, QUESTION])
    assert answer.startswith("“Gift cards are final.”")
    assert "no language model" in answer
    assert demo_model.answer_prompt([POLICY, QUESTION]) == answer


def test_it_chooses_one_of_the_words_that_are_listed():
    system = {"role": "system", "content": "Answer with one word: refund, exchange or refuse."}
    assert demo_model.answer_prompt([system, {"role": "user", "content": "I want an exchange"}]) == "exchange"
    assert demo_model.answer_prompt([system, {"role": "user", "content": "Hi"}]) in ("refund", "exchange", "refuse")


def test_it_gives_the_json_keys_that_are_named():
    system = {"role": "system", "content": '- late: not there\n- broken: damaged\nReturn JSON: {"kind": "", "why": ""}'}
    answer = json.loads(demo_model.answer_prompt([system, {"role": "user", "content": "My broken boots"}]))
    assert (list(answer), answer["kind"]) == (["kind", "why"], "broken")


def test_it_judges_by_words_in_common_as_the_starters_judge_asks():
    document = Path(demo_model.__file__).parent / "demo/judge-answer-support.yml.j2"
    judge = renderer.load(document.read_text(encoding="utf-8"))
    documents = ["The boots have a warranty of twelve months. Returns go to Leeds."]
    response = "The warranty is twelve months. Cranes are banned everywhere."
    fields = {"documents": documents, "question": "How long is the warranty?", "response": response}
    reply = demo_model.answer_prompt([{"role": "user", "content": judge.render(fields).text}])
    judgement = read_judgement(reply, documents, response)
    assert judgement["error"] is None
    assert judgement["scores"]["faithfulness"] == 0.5
    assert json.loads(reply)["all_relevant_sentence_keys"] == ["0a"]
    assert "no language model" in reply


@pytest.mark.parametrize("messages", [[], [{"role": "user"}], [{"role": "user", "content": [{"type": "image_url"}]}]])
def test_it_answers_anything(messages):
    assert "no language model" in demo_model.answer_prompt(messages)


def test_the_openai_package_reads_it_whole(url):
    import openai  # noqa: PLC0415 here: it takes half a second, which each process of a run would pay

    client: Any = openai.OpenAI(api_key="k", base_url=url, max_retries=0)
    answer = client.chat.completions.create(model="m", messages=[POLICY, QUESTION], max_tokens=3)
    assert answer.choices[0].message.content == "“Gift cards are"
    assert (answer.choices[0].finish_reason, answer.usage.completion_tokens) == ("length", 3)
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + 3


def test_it_streams_twenty_tokens_a_second(url):
    reply, began = PartialReply(), time.monotonic()

    async def collect():
        request = StreamRequest([POLICY, QUESTION], {"max_tokens": 10})
        return [piece async for piece in HTTPStream("m", url).stream(request, reply)]

    assert len(asyncio.run(collect())) == reply.completion_tokens == 10
    assert time.monotonic() - began >= 10 / demo_model.TOKENS_A_SECOND


def tool(name, description, **fields):
    parameters = {"type": "object", "properties": fields, "required": list(fields)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    tool("calculate", "Work out an expression", expression={"type": "string"}),
    tool("search", "Find cards that were bought", query={"type": "string"}, most={"type": "integer"}),
]


def test_a_tool_is_asked_for_until_the_assistant_has_spoken(url):
    import openai  # noqa: PLC0415 here: it takes half a second, which each process of a run would pay

    client: Any = openai.OpenAI(api_key="k", base_url=url, max_retries=0)
    answer = client.chat.completions.create(model="m", messages=[POLICY, QUESTION], tools=TOOLS).choices[0]
    (call,) = answer.message.tool_calls
    assert (answer.finish_reason, call.function.name) == ("tool_calls", "search")
    assert json.loads(call.function.arguments) == {"query": QUESTION["content"], "most": 1}
    said = [POLICY, QUESTION, {"role": "assistant", "content": "I searched."}, QUESTION]
    answer = client.chat.completions.create(model="m", messages=said, tools=TOOLS).choices[0]
    assert (answer.finish_reason, answer.message.tool_calls) == ("stop", None)
    cut = client.chat.completions.create(model="m", messages=[QUESTION], tools=TOOLS, max_tokens=1).choices[0]
    assert (cut.finish_reason, cut.message.tool_calls) == ("length", None)


@pytest.mark.parametrize("tools", [None, [], ["none"], [{"type": "web_search"}]])
def test_without_a_function_no_tool_is_asked_for(tools):
    assert demo_model.choose_call([QUESTION], tools) is None


def test_a_streamed_reply_has_the_call_too(url):
    reply = PartialReply()

    async def collect():
        request = StreamRequest([QUESTION], {}, tuple(TOOLS))
        return [piece async for piece in HTTPStream("m", url).stream(request, reply)]

    asyncio.run(collect())
    assert (reply.finish_reason, [call.name for call in reply.tool_calls.values()]) == ("tool_calls", ["search"])


def test_a_body_that_is_not_a_completion_is_refused(url):
    import openai  # noqa: PLC0415 here: it takes half a second, which each process of a run would pay

    client: Any = openai.OpenAI(api_key="k", base_url=url, max_retries=0)
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="m", messages="no")
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="m", input="no")


@pytest.mark.django_db
def test_each_start_lists_it_at_its_port_and_keeps_what_else_is_there(settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("recorded-answers: {replies: recorded-answers.jsonl}\n")
    (tmp_path / "recorded-answers.jsonl").write_text("")
    assert demo_connection.write_demo_model(9001)
    assert demo_connection.write_demo_model(9002)
    models = {endpoint.name: endpoint for endpoint in queries.list_endpoints("support")}
    assert list(models) == ["Demo model, local", "recorded-answers", "echo"]
    assert models[demo_connection.DEMO_MODEL].base_url == "http://127.0.0.1:9002/v1"
    assert models[demo_connection.DEMO_MODEL].price.currency == "USD"


def test_the_operators_own_list_stays_as_it_is(settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    settings.MODELS_PATH.write_text("mine: {base_url: 'http://127.0.0.1:1/v1'}\n")
    assert not demo_connection.write_demo_model(9001)
    assert settings.MODELS_PATH.read_text() == "mine: {base_url: 'http://127.0.0.1:1/v1'}\n"


def test_without_a_list_it_is_the_first_model(settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"
    assert demo_connection.write_demo_model(9001)
    assert settings.MODELS_PATH.read_text().startswith('"Demo model, local": ')


@pytest.mark.django_db
def test_the_demos_namespaces_get_a_cap_once():
    admin = Actor(load_people()["admin"])
    demo_connection.cap_demo_spending(admin)
    demo_connection.cap_demo_spending(admin)
    assert queries.find_spending_caps(admin, "support").person_day == 5


def test_another_port_than_the_servers_is_chosen(settings):
    assert settings.PORT < demo_connection.choose_demo_port() <= settings.PORT + 50
