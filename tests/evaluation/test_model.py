"""Models: the HTTP one with failing servers, recorded replies, the cache."""

import json
import os

import httpx
import pytest

from promptuary import renderer
from promptuary.evaluation import CachingModel, EchoModel, HTTPModel, ModelError, RecordedModel, Reply, prompt_digest
from promptuary.evaluation.http_models import Pace
from promptuary.evaluation.protocols import list_refused_settings

GOOD = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}


@pytest.fixture
def prompt():
    return renderer.load("- name: question\n  role: user\n  content: {{ q }}\n").render({"q": "who?"})


def model(answers, base_url="http://127.0.0.1:9/v1", **options):
    answers = iter(answers)
    requests = []

    def answer(request):
        requests.append(request)
        reply = next(answers)
        if isinstance(reply, Exception):
            raise reply
        return reply

    made = HTTPModel("small", base_url, key="secret", transport=lambda **_: httpx.MockTransport(answer), **options)
    return made, requests


def test_a_reply_is_read_with_its_counts(prompt):
    made, requests = model([httpx.Response(200, json=GOOD)])
    reply = made.complete(prompt, {"temperature": 0})
    assert (reply.text, reply.prompt_tokens, reply.finish_reason) == ("hello", 3, "stop")
    assert requests[0].url.path == "/v1/chat/completions"
    assert requests[0].headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    "fault",
    [
        httpx.Response(429, headers={"retry-after": "0"}),
        httpx.Response(503),
        httpx.Response(529),
        httpx.ReadTimeout("slow"),
        httpx.ConnectError("refused"),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"choices": []}),
    ],
)
def test_a_passing_fault_is_tried_again(prompt, fault):
    made, requests = model([fault, httpx.Response(200, json=GOOD)])
    assert made.complete(prompt, {}).text == "hello"
    assert len(requests) == 2


def test_tries_that_failed_are_reported_with_the_answer(prompt):
    made, _ = model([httpx.Response(503, text="busy"), httpx.ReadTimeout("slow"), httpx.Response(200, json=GOOD)])
    assert made.complete(prompt, {}).faults == (
        "small answered 503: busy",
        "small at 127.0.0.1:9 did not answer in time",
    )


TEXTLESS = {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4}, (9, 4)),
        ({"input_tokens": 9, "output_tokens": 4}, (9, 4)),
        ({"prompt_tokens": "9", "completion_tokens": True}, (None, None)),
        (None, (None, None)),
    ],
)
def test_a_response_without_a_text_has_its_token_counts(prompt, usage, counts):
    made, requests = model([httpx.Response(200, json={**TEXTLESS, "usage": usage})])
    with pytest.raises(ModelError, match="sent no text") as caught:
        made.complete(prompt, {})
    (spent,) = caught.value.spent
    assert (spent.prompt_tokens, spent.completion_tokens, len(requests)) == (*counts, 1)


@pytest.mark.parametrize("reason", ["content_filter", "refusal", "safety"])
def test_an_empty_reply_that_was_kept_back_is_not_a_reply(prompt, reason):
    answer = {"choices": [{"message": {"content": ""}, "finish_reason": reason}], "usage": {"prompt_tokens": 9}}
    made, requests = model([httpx.Response(200, json=answer)])
    with pytest.raises(ModelError, match=rf"sent no text \(finish reason: {reason}\)") as caught:
        made.complete(prompt, {})
    assert (caught.value.spent[0].prompt_tokens, len(requests)) == (9, 1)


def test_an_empty_reply_that_ended_by_itself_is_a_reply(prompt):
    made, _ = model([httpx.Response(200, json={"choices": [{"message": {"content": ""}, "finish_reason": "stop"}]})])
    assert made.complete(prompt, {}).text == ""


def test_tokens_of_malformed_replies_are_summed_over_all_tries(prompt):
    malformed = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}
    answers = [httpx.Response(200, json=malformed), httpx.Response(503), httpx.Response(200, text="<html>")]
    made, _ = model([*answers, httpx.Response(200, json=GOOD)])
    assert [reply.prompt_tokens for reply in made.complete(prompt, {}).spent] == [9, None]
    made, _ = model([*answers, httpx.Response(400)])
    with pytest.raises(ModelError, match="400") as caught:
        made.complete(prompt, {})
    assert [reply.text for reply in caught.value.spent] == [answers[0].text, "<html>"]


def test_tries_that_failed_are_reported_with_the_last_error(prompt):
    made, _ = model([httpx.Response(503, text="busy"), httpx.Response(400, text="no")], attempts=2)
    with pytest.raises(ModelError, match="400: no") as caught:
        made.complete(prompt, {})
    assert caught.value.faults == ("small answered 503: busy",)


def test_a_refusal_is_reported_immediately_with_the_servers_words(prompt):
    made, requests = model([httpx.Response(400, text="no such model")])
    with pytest.raises(ModelError, match="400: no such model"):
        made.complete(prompt, {})
    assert len(requests) == 1


def test_a_fault_that_stays_is_reported_after_the_last_try(prompt):
    made, requests = model([httpx.Response(429, headers={"retry-after": "0"})] * 3, attempts=3)
    with pytest.raises(ModelError, match="429"):
        made.complete(prompt, {})
    assert len(requests) == 3


def test_the_pace_spreads_calls_evenly():
    slept: list[float] = []
    pace = Pace(4, clock=lambda: 100.0, sleep=slept.append)
    for _ in range(3):
        pace.wait()
    assert slept == [0.25, 0.5]


def test_a_recorded_reply_is_found_by_what_the_prompt_says(prompt):
    recorded = RecordedModel({prompt_digest(prompt): "the keeper"})
    assert recorded.complete(prompt, {}).text == "the keeper"
    other = renderer.load("- name: a\n  content: b\n").render({})
    with pytest.raises(ModelError, match="no reply was recorded"):
        recorded.complete(other, {})


def test_the_echo_says_the_last_message(prompt):
    assert EchoModel().complete(prompt, {}).text == "who?"


def test_a_kept_reply_is_not_asked_for_again_unless_settings_differ(prompt, tmp_path):
    made, requests = model([httpx.Response(200, json=GOOD)] * 2)
    cache = CachingModel(made, tmp_path)
    assert [cache.complete(prompt, {}).cached for _ in range(3)] == [False, True, True]
    cache.complete(prompt, {"temperature": 1})
    assert len(requests) == 2


def test_kept_replies_are_their_owners_only_with_any_umask(prompt, tmp_path):
    made, _asked = model([httpx.Response(200, json=GOOD)])
    before = os.umask(0o000)
    try:
        CachingModel(made, tmp_path / "replies").complete(prompt, {})
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")} == {0o700, 0o600}


def test_a_spoilt_cache_file_is_asked_for_again(prompt, tmp_path):
    made, requests = model([httpx.Response(200, json=GOOD)] * 2)
    cache = CachingModel(made, tmp_path)
    cache.complete(prompt, {})
    next(tmp_path.iterdir()).write_text("{")
    assert cache.complete(prompt, {}).text == "hello"
    assert len(requests) == 2


def test_responses_are_asked_and_read_in_their_form(prompt):
    content = {
        "output": [
            {"type": "reasoning", "summary": []},
            {
                "type": "message",
                "content": [{"type": "output_text", "text": "hel"}, {"type": "output_text", "text": "lo"}],
            },
        ],
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
    made, requests = model([httpx.Response(200, json=content)], protocol="responses")
    assert made.complete(prompt, {"max_tokens": 9}) == Reply("hello", 3, 2, "stop")
    body = json.loads(requests[0].content)
    assert (requests[0].url.path, body["max_output_tokens"], body["store"]) == ("/v1/responses", 9, False)
    assert body["input"] == [{"role": "user", "content": "who?"}]


def test_a_response_cut_at_its_limit_is_marked(prompt):
    content = {
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "hel"}]}],
        "incomplete_details": {"reason": "max_output_tokens"},
    }
    made, _ = model([httpx.Response(200, json=content)], protocol="responses")
    assert made.complete(prompt, {}).finish_reason == "length"


def test_anthropics_messages_are_asked_and_read_in_their_form(prompt):
    content = {
        "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "hello"}],
        "usage": {"input_tokens": 3, "output_tokens": 2},
        "stop_reason": "max_tokens",
    }
    made, requests = model([httpx.Response(200, json=content)], protocol="anthropic")
    assert made.complete(prompt, {"stop": "END"}) == Reply("hello", 3, 2, "length")
    body = json.loads(requests[0].content)
    assert (requests[0].url.path, requests[0].headers["x-api-key"]) == ("/v1/messages", "secret")
    assert (body["max_tokens"], body["stop_sequences"]) == (4096, ["END"])
    assert "authorization" not in requests[0].headers


REPLIES = {
    "openai": GOOD,
    "responses": {"output": [{"type": "message", "content": [{"type": "output_text", "text": "hello"}]}]},
    "anthropic": {"content": [{"type": "text", "text": "hello"}]},
}


@pytest.mark.parametrize("setting", ["max_tokens", "max_completion_tokens", "max_output_tokens"])
@pytest.mark.parametrize(
    ("protocol", "base_url", "names"),
    [
        ("openai", "http://127.0.0.1:9/v1", {"max_output_tokens": "max_tokens"}),  # the other two are known there
        (
            "openai",
            "https://api.openai.com/v1",
            dict.fromkeys(("max_output_tokens", "max_tokens"), "max_completion_tokens"),
        ),
        (
            "responses",
            "https://api.openai.com/v1",
            dict.fromkeys(("max_completion_tokens", "max_tokens"), "max_output_tokens"),
        ),
        (
            "anthropic",
            "https://a.example/v1",
            dict.fromkeys(("max_completion_tokens", "max_output_tokens"), "max_tokens"),
        ),
    ],
)
def test_the_longest_reply_is_asked_for_in_the_servers_word(prompt, protocol, base_url, names, setting):
    made, requests = model([httpx.Response(200, json=REPLIES[protocol])], protocol=protocol, base_url=base_url)
    assert made.complete(prompt, {setting: 9}).text == "hello"
    body = json.loads(requests[0].content)
    assert {name: value for name, value in body.items() if name.startswith("max_")} == {names.get(setting, setting): 9}
    assert list_refused_settings(protocol, {setting: 9}) == []


def test_a_servers_own_word_for_the_longest_reply_goes_before_others(prompt):
    made, requests = model([httpx.Response(200, json=REPLIES["anthropic"])], protocol="anthropic")
    made.complete(prompt, {"max_output_tokens": 8, "max_tokens": 9})
    body = json.loads(requests[0].content)
    assert (body["max_tokens"], "max_output_tokens" in body) == (9, False)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (httpx.ConnectError("refused"), "Shop model can't be reached: there is no connection to 127.0.0.1 on port 9"),
        (httpx.ReadTimeout("slow"), "Shop model at 127.0.0.1:9 did not answer in time"),
        (httpx.Response(401, text="no"), "Shop model answered 401: no"),
    ],
)
def test_an_error_names_the_connection_and_the_host(prompt, fault, sentence):
    made, _ = model([fault], title="Shop model", attempts=1)
    with pytest.raises(ModelError, match=f"^{sentence}$"):
        made.complete(prompt, {})


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        (httpx.Response(400, json={"error": {"message": "No such model.", "code": "x"}}), "No such model."),
        (httpx.Response(400, json={"type": "error", "error": {"message": "too\n long"}}), "too long"),
        (httpx.Response(400, json={"error": "refused"}), "refused"),
        (httpx.Response(400, json={"detail": "one field"}), "one field"),
        (httpx.Response(400, json=["odd"]), '["odd"]'),
        (httpx.Response(400, json={"error": {"code": 7}}), '{"error":{"code":7}}'),
        (httpx.Response(400, text="<html>\n<h1>400 Bad Request</h1></html>"), "400 Bad Request"),
        (httpx.Response(400, text="1 < 2 > 0"), "1 < 2 > 0"),
        (httpx.Response(400, text="x" * 900), "x" * 300),
        (httpx.Response(400, text="[" * 100_000), "[" * 300),
    ],
)
def test_the_reason_of_a_refusal_is_what_the_provider_says(prompt, refusal, reason):
    made, _ = model([refusal])
    with pytest.raises(ModelError) as caught:
        made.complete(prompt, {})
    assert (str(caught.value), caught.value.reason) == (f"small answered 400: {reason}", reason)


def test_a_refusal_without_a_word_is_its_status_alone(prompt):
    made, _ = model([httpx.Response(404)])
    with pytest.raises(ModelError, match=r"^small answered 404$") as caught:
        made.complete(prompt, {})
    assert caught.value.reason == ""


def test_a_prompt_that_a_provider_has_no_form_for_is_not_a_call():
    only_system = renderer.load("- name: a\n  role: system\n  content: b\n").render({})
    made, requests = model([], protocol="anthropic")
    with pytest.raises(ModelError, match="user's message first"):
        made.complete(only_system, {})
    assert not requests
