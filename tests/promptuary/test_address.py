"""Addresses to which a key may be sent."""

import pytest

from promptuary import AsyncPromptuary, Promptuary
from promptuary._config import ClientConfig
from promptuary.errors import ConfigurationError

LOOPBACK = [
    "http://127.0.0.1:8000",
    "http://127.8.9.1",
    "http://localhost:8000",
    "http://[::1]:8000",
    "http://LOCALHOST",
]
ELSEWHERE = [
    "http://registry.example",
    "http://10.0.0.7:8000",
    "http://localhost.example",
    "http://127.0.0.1.example",
    "http://0.0.0.0:8000",
    "HTTP://registry.example",
]


@pytest.mark.parametrize("url", [*LOOPBACK, "https://registry.example"])
def test_a_key_goes_over_https_and_to_this_machine(url):
    assert ClientConfig.read(url, "pb_a_b").key == "pb_a_b"


@pytest.mark.parametrize("url", ELSEWHERE)
@pytest.mark.parametrize("client", [Promptuary, AsyncPromptuary])
def test_a_key_does_not_go_over_plain_http_to_another_machine(url, client):
    with pytest.raises(ConfigurationError, match="plain http") as refused:
        client(url, "pb_a_secret")
    assert "pb_a_secret" not in str(refused.value)


def test_a_key_from_the_environment_neither(monkeypatch):
    monkeypatch.setenv("PROMPTUARY_KEY", "pb_a_b")
    with pytest.raises(ConfigurationError, match="allow_http=True"):
        Promptuary("http://registry.example")


def test_it_can_be_permitted_by_argument_and_by_environment(monkeypatch):
    assert ClientConfig.read(ELSEWHERE[0], "pb_a_b", allow_http=True).url == ELSEWHERE[0]
    monkeypatch.setenv("PROMPTUARY_ALLOW_HTTP", "1")
    assert ClientConfig.read(ELSEWHERE[0], "pb_a_b").url == ELSEWHERE[0]
    with pytest.raises(ConfigurationError):
        ClientConfig.read(ELSEWHERE[0], "pb_a_b", allow_http=False)


def test_without_a_key_there_is_nothing_to_protect(monkeypatch):
    monkeypatch.delenv("PROMPTUARY_KEY", raising=False)
    assert ClientConfig.read(ELSEWHERE[0], None).url == ELSEWHERE[0]
