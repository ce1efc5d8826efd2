"""Promptuary.get: refs, pins and labels, and the verification of each."""

import hashlib
import json

import pytest
import rfc8785

from promptuary import BadAnswer, ConfigurationError, DigestMismatch, NotAllowed, NotFound, Promptuary
from promptuary._transport import Answer
from promptuary.renderer import EngineError
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER, URL


def test_production_is_what_a_service_gets_unless_it_says_otherwise(world):
    template = world.client().get(NAME)
    assert (template.name, template.version, template.document.text) == (NAME, 1, DOCUMENT)


@pytest.mark.parametrize("ref", [2, "2", "latest", "digest"], ids=["number", "text", "label", "digest"])
def test_a_template_comes_by_number_label_or_digest(world, ref):
    client = world.client()
    if ref == "digest":
        ref = client.get(NAME, 2).digest
    template = client.get(NAME, ref)
    assert (template.version, template.document.text) == (2, OTHER)


def test_the_prompt_carries_the_name_the_version_and_the_digest(world):
    client = world.client()
    prompt = client.render(NAME, {"question": "Why?"}, ref=1)
    assert prompt.messages == [{"role": "user", "content": "Why?"}]
    assert (prompt.stamp.name, prompt.stamp.version, prompt.stamp.digest) == (NAME, 1, client.get(NAME).digest)


def test_a_missing_label_is_not_found(world):
    with pytest.raises(NotFound, match="support/refunds/reply@staging"):
        world.client().get(NAME, "staging")


class Answering:
    """Answers every request with one body."""

    def __init__(self, status: int, body: object) -> None:
        self.answer = Answer(status, {"etag": '"x"'}, body if isinstance(body, bytes) else json.dumps(body).encode())

    def send(self, request):
        return self.answer

    def close(self):
        pass


def _body(world, **changes):
    world.client().get(NAME, 1)
    request = world.registry.requests[-1]
    return {**json.loads(world.registry.send(request).body), **changes}


def _get(body, ref="production", status=200):
    return Promptuary(URL, "key", transport=Answering(status, body)).get(NAME, ref)


def test_a_document_that_is_not_what_its_digest_says_is_an_error(world):
    with pytest.raises(DigestMismatch, match="not to sha256:"):
        _get(_body(world, document=OTHER))


def test_another_version_than_the_digest_asked_for_is_an_error(world):
    digest = world.client().get(NAME, 2).digest
    with pytest.raises(DigestMismatch):
        _get(_body(world), ref=digest)


@pytest.mark.parametrize(
    ("changes", "ref"), [({"name": "support/other"}, "1"), ({"version": 7}, "1"), ({"version": "1"}, "1")]
)
def test_another_template_or_version_than_asked_for_is_an_error(world, changes, ref):
    with pytest.raises(BadAnswer):
        _get(_body(world, **changes), ref)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_not_a_bundle_is_an_error(body):
    with pytest.raises(BadAnswer):
        _get(body)


def test_a_newer_engine_is_refused_by_name(world):
    body = _body(world, engine=2)
    covered = {name: body[name] for name in ("engine", "document", "fragments", "profile")}
    body["digest"] = "sha256:" + hashlib.sha256(rfc8785.dumps(covered)).hexdigest()
    with pytest.raises(EngineError, match="engine 2"):
        _get(body)


def test_a_refusal_tells_what_the_registry_said():
    problem = {"type": "unauthenticated", "title": "Not signed in", "detail": "This key is revoked."}
    with pytest.raises(NotAllowed, match="revoked") as refused:
        _get(problem, status=401)
    assert (refused.value.status, refused.value.type) == (401, "unauthenticated")


@pytest.mark.parametrize(
    "name", ["", "reply", "Support/x", "support/../x", "support/x@", "support//x", "a/" * 9 + "a", "support/x?y"]
)
def test_an_invalid_name_is_not_asked_for(world, name):
    with pytest.raises(ConfigurationError):
        world.client().get(name)
    assert world.request_count == 0


def test_a_name_may_carry_its_ref_as_on_the_command_line(world):
    client = world.client()
    assert client.get(f"{NAME}@2").version == 2
    assert client.get(f"{NAME}@latest").document.text == OTHER


def test_two_refs_at_the_same_time_are_refused(world):
    with pytest.raises(ConfigurationError, match="one too many"):
        world.client().get(f"{NAME}@2", 1)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("ttl", "x"),
        ("ttl", -1),
        ("ttl", None),
        ("ttl", float("nan")),
        ("timeout", "2"),
        ("timeout", 0),
        ("timeout", True),
    ],
)
def test_a_time_that_is_not_a_number_of_seconds_is_refused_by_its_name(world, option, value):
    with pytest.raises(ConfigurationError, match=f"{option} is a number of seconds.*{value!r}"):
        world.client(**{option: value})


@pytest.mark.parametrize("ref", ["", "Upper", 0, -1, True, "sha256:abc", "a/b", 1.5])
def test_an_invalid_ref_is_not_asked_for(world, ref):
    with pytest.raises(ConfigurationError):
        world.client().get(NAME, ref)
    assert world.request_count == 0


@pytest.mark.parametrize("url", ["", "registry.test", "ftp://x", "http://", "http://user:pw@x", "http://[x"])
def test_an_invalid_address_is_refused(url, monkeypatch):
    monkeypatch.delenv("PROMPTUARY_URL", raising=False)
    with pytest.raises(ConfigurationError):
        Promptuary(url, "key")


@pytest.mark.parametrize("key", ["a b", "a\nb", "é"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key):
    with pytest.raises(ConfigurationError) as error:
        Promptuary(URL, key)
    assert key not in str(error.value)


def test_address_and_key_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("PROMPTUARY_URL", URL + "/")
    monkeypatch.setenv("PROMPTUARY_KEY", "pb_secret")
    client = Promptuary()
    assert client.url == URL
    assert "pb_secret" not in repr(client)
