"""Langfuse's own Python client, unchanged, against this registry; and the responses it never requests."""

import base64

import httpx
import pytest

from registry.changes import decisions
from registry.rollouts import services as rollouts
from registry.templates.models import Version
from tests.api.conftest import REPLY
from tests.api.langfuse_documents import CHAT, LOOP, TEXT

langfuse = pytest.importorskip("langfuse", reason="pip install -r requirements-dev.txt")


@pytest.fixture
def client(server, cast):
    cast.save(CHAT)
    cast.publish(1)
    cast.save(TEXT, name="support/say")
    cast.move("staging", 1, name="support/say")
    cast.save(LOOP, name="support/loop")
    connections = httpx.Client(timeout=60)
    found = langfuse.Langfuse(
        httpx_client=connections,
        # The package keeps one client for each public key of a process, address and all.
        public_key=f"any-{server.rpartition(':')[2]}",
        secret_key=cast.key(scope="write"),
        base_url=server,
        tracing_enabled=False,
    )
    yield found
    found.shutdown()
    connections.close()


def test_the_client_fetches_and_compiles_the_version_on_production(client):
    prompt = client.get_prompt(REPLY, type="chat", max_retries=0)
    assert (prompt.version, prompt.config, prompt.labels, prompt.tags) == (
        1,
        {"temperature": 0.2},
        ["production", "latest"],
        ["support"],
    )
    assert prompt.compile(customer="a", question="{{7*7}}?") == [
        {"role": "system", "content": 'Help a. Answer in JSON like {"a": 1}.'},
        {"role": "user", "content": "{{7*7}}?"},
    ]


def test_a_text_is_fetched_by_version_and_by_label(client):
    for choice in ({"version": 1}, {"label": "staging"}):
        prompt = client.get_prompt("support/say", max_retries=0, cache_ttl_seconds=0, **choice)
        assert prompt.compile(word="hello") == "Say hello twice.\n"


def test_a_rollout_is_not_seen_by_the_client_until_it_is_finished(client, cast):
    cast.save(CHAT.replace("Help", "Assist"), base=Version.objects.get(template__name=REPLY, number=1).digest)
    change = cast.propose(2)
    reviewer, author = cast.actor("reviewer"), cast.actor("author")
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=change.version.digest)
    steps = [{"share": 9900, "hours": None}]
    started = rollouts.start_rollout(actor=author, change=change.number, steps=steps)

    def fetched():
        prompt = client.get_prompt(REPLY, type="chat", max_retries=0, cache_ttl_seconds=0)
        return prompt.version, "production" in prompt.labels

    assert {fetched() for _ in range(10)} == {(1, True)}
    assert client.get_prompt(REPLY, version=2, type="chat", max_retries=0).labels == ["latest"]
    rollouts.finish_rollout(actor=author, number=started.number)
    assert fetched() == (2, True)


def test_the_digest_travels_along(client):
    found = client.api.prompts.get("support/say", version=1)
    assert found.digest == Version.objects.get(template__name="support/say").digest


def test_a_prompt_that_it_can_not_carry_is_refused_with_the_reason(client):
    with pytest.raises(Exception, match=r"more than plain names: \{% for word in words %\}"):
        client.get_prompt("support/loop", version=1, max_retries=0)


def test_a_text_that_shows_double_braces_is_refused_because_the_client_would_fill_them(client, cast):
    cast.save("---\nformat: text\n---\nWrite {{ '{{name}}' }} for {{ question }}.", name="support/braces")
    with pytest.raises(Exception, match=r"double braces as text"):
        client.get_prompt("support/braces", version=1, max_retries=0)


def test_a_missing_label_is_never_replaced_by_latest(client):
    with pytest.raises(Exception, match="with label 'production'"):
        client.get_prompt("support/say", max_retries=0)


def test_the_keys_are_checked_and_the_list_is_paged(client):
    assert client.auth_check()
    page = client.api.prompts.list(limit=2)
    assert ([row.name for row in page.data], page.meta.total_items) == (["support/loop", REPLY], 3)
    assert [row.name for row in client.api.prompts.list(label="staging").data] == ["support/say"]


def test_a_write_is_refused_and_moves_nothing(client):
    with pytest.raises(Exception, match="changed in Promptuary"):
        client.update_prompt(name=REPLY, version=1, new_labels=["production"])
    with pytest.raises(Exception, match="changed in Promptuary"):
        client.create_prompt(name="support/say", prompt="x")


def test_a_wrong_key_and_another_namespace_are_answered_like_nothing(client, cast, server):
    connections = httpx.Client(timeout=60)
    stranger = langfuse.Langfuse(
        httpx_client=connections,
        public_key="other",
        secret_key=cast.key("outsider", namespace="other"),
        base_url=server,
        tracing_enabled=False,
    )
    with pytest.raises(Exception, match="Prompt not found"):
        stranger.get_prompt(REPLY, max_retries=0)
    stranger.shutdown()
    connections.close()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "status"), [("version=1&label=production", 400), ("version=x", 400), ("limit=0", 400)]
)
def test_a_question_that_makes_no_sense_is_refused(cast, client_of_django, query, status):
    address = "/api/public/v2/prompts" + ("" if query.startswith("limit") else f"/{REPLY}")
    assert client_of_django(f"{address}?{query}", cast.key()).status_code == status


@pytest.fixture
def client_of_django(client_class=None):
    from django.test import Client  # noqa: PLC0415  # the name `client` is the SDK's here

    def get(address, key):
        token = base64.b64encode(f"any:{key}".encode()).decode()
        return Client().get(address, headers={"Authorization": f"Basic {token}"})

    return get
