"""The client against a real server: what is saved is what is fetched, and what is refused is told."""

import asyncio

import pytest

from promptuary import AsyncPromptuary, NotAllowed, NotFound, Promptuary
from tests.api.conftest import DOCUMENT, OTHER, REPLY, SAMPLES


@pytest.fixture
def url(server: str, cast) -> str:
    """The address of a server with two versions, production on the first."""
    cast.save(OTHER, base=cast.save().version.digest)
    cast.publish(1)
    return server


def test_a_service_fetches_what_was_approved_and_renders_it(url, cast):
    with Promptuary(url, cast.key(), timeout=10) as registry:
        template = registry.get(REPLY)
        assert (template.version, template.document.text) == (1, DOCUMENT)
        assert template.render(SAMPLES["short"]).messages == [{"role": "user", "content": "Where is my parcel?"}]


def test_the_async_client_gets_the_same(url, cast):
    async def story():
        async with AsyncPromptuary(url, cast_key, timeout=10) as registry:
            return (await registry.get(REPLY, 2)).document.text

    cast_key = cast.key(scope="write")
    assert asyncio.run(story()) == OTHER


def test_a_published_change_arrives_with_the_next_question(url, cast):
    with Promptuary(url, cast.key(), ttl=0, timeout=10) as registry:
        first = registry.get(REPLY)
        assert registry.get(REPLY) is first
        cast.publish(2)
        assert registry.get(REPLY).version == 2


def test_refusals_arrive_as_errors_of_their_kind(url, cast):
    with Promptuary(url, cast.key(), timeout=10) as registry:
        with pytest.raises(NotFound, match="it has production, latest"):
            registry.get(REPLY, "staging")
        with pytest.raises(NotAllowed, match="limited to approved versions"):
            registry.get(REPLY, 2)
    with Promptuary(url, "pb_nonsense", timeout=10) as stranger, pytest.raises(NotAllowed, match="unknown"):
        stranger.get(REPLY)
