"""The operator's list of models."""

import pytest

from promptuary.evaluation.models import prompt_digest
from registry.connections import queries as connection_queries
from registry.core.errors import Conflict, Invalid

pytestmark = pytest.mark.django_db


class Question:
    messages = [{"role": "user", "content": "who?"}]


@pytest.fixture
def write(settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "models.yml"

    def write(text):
        settings.MODELS_PATH.write_text(text, encoding="utf-8")

    return write


def test_without_a_list_there_is_the_one_that_echoes(settings, tmp_path):
    settings.MODELS_PATH = tmp_path / "none.yml"
    assert [one.name for one in connection_queries.list_endpoints("support")] == ["echo"]
    assert connection_queries.find_endpoint("echo", "support").open().complete(Question(), {}).text == "who?"


def test_a_model_is_for_the_namespaces_it_names(write):
    write("small: {base_url: 'http://127.0.0.1:9/v1', namespaces: [support]}\n")
    assert [one.name for one in connection_queries.list_endpoints("support")] == ["small", "echo"]
    with pytest.raises(Invalid, match="demo has no model 'small'; it has echo"):
        connection_queries.find_endpoint("small", "demo")


def test_a_price_is_of_a_million_tokens(write):
    write("s: {base_url: 'https://x.example/v1', price: {prompt: 0.15, completion: 0.6}}\n")
    price = connection_queries.find_endpoint("s", "support").price
    assert (float(price.compute_cost(1_000_000, 500_000)), price.currency) == (0.45, "USD")


def test_recorded_replies_answer_by_prompt(write, tmp_path):
    (tmp_path / "r.jsonl").write_text(f'{{"prompt": "{prompt_digest(Question())}", "reply": "Ada"}}\n')
    write("replayed: {replies: r.jsonl}\n")
    assert connection_queries.find_endpoint("replayed", "support").open().complete(Question(), {}).text == "Ada"


def test_a_digest_changes_with_what_answers_and_not_with_the_credential(write):
    write("s: {base_url: 'https://x.example/v1', key_env: A}\n")
    first = connection_queries.find_endpoint("s", "support").digest
    write("s: {base_url: 'https://x.example/v1', key_env: BB}\n")
    assert connection_queries.find_endpoint("s", "support").digest == first
    write("s: {base_url: 'https://y.example/v1', key_env: BB}\n")
    assert connection_queries.find_endpoint("s", "support").digest != first


def test_a_missing_credential_is_named_by_its_variable(write, monkeypatch):
    monkeypatch.delenv("NOT_THERE", raising=False)
    write("s: {base_url: 'https://x.example/v1', key_env: NOT_THERE}\n")
    with pytest.raises(Conflict, match="NOT_THERE"):
        connection_queries.find_endpoint("s", "support").open()


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("[]\n", "mapping"),
        ("a: {\n", "models.yml"),
        ("s: {}\n", "either base_url or replies"),
        ("s: {base_url: 'ftp://x'}\n", "base_url"),
        ("s: {base_url: 'https://user:secret@x.example'}\n", "base_url"),
        ("s: {base_url: 'https://x.example', keys: x}\n", "keys"),
        ("s: {base_url: 'https://x.example', concurrency: 99}\n", "concurrency"),
        ("s: {base_url: 'https://x.example', price: {prompt: many}}\n", r"price\.prompt must be"),
        ("s: {base_url: 'https://x.example', price: {prompt: 1}}\n", r"price\.completion must be"),
        ("s: {base_url: 'https://x.example', price: {prompt: -1, completion: 1}}\n", r"price\.prompt must be"),
        ("s: {base_url: 'https://x.example', price: 3}\n", "price must be a mapping"),
        ("s: {base_url: 'https://x.example', timeout: long}\n", "timeout must be"),
        ("s: {base_url: 'https://x.example', per_second: -1}\n", "per_second must be"),
        ("s: {base_url: 'https://x.example', namespaces: support}\n", "namespaces must be a list"),
        ("echo: {base_url: 'https://x.example'}\n", "echo"),
    ],
)
def test_a_list_that_can_not_be_used_is_reported(write, text, expected_text):
    write(text)
    with pytest.raises(Conflict, match=expected_text):
        connection_queries.list_endpoints("support")


def test_a_model_may_speak_another_protocol(write):
    write("s: {base_url: 'https://x.example/v1', protocol: anthropic}\n")
    assert connection_queries.find_endpoint("s", "support").protocol == "anthropic"
