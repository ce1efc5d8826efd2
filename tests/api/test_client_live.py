"""The client against a real server: it fetches exactly what was saved, and each refusal is reported."""

import asyncio

import pytest

from promptuary import AsyncPromptuary, NotAllowed, NotFound, Promptuary
from promptuary.renderer import RenderError
from registry.templates.models import Template
from registry.usage import client_reports
from tests.api.conftest import DOCUMENT, OTHER, REPLY, SAMPLES
from tests.promptuary.conftest import until

pytestmark = pytest.mark.slow


@pytest.fixture
def url(server: str, cast) -> str:
    """The address of a server with two versions, production on the first."""
    cast.save(OTHER, base=cast.save().version.digest)
    cast.publish(1)
    return server


def test_a_service_fetches_and_renders_the_approved_version(url, cast):
    with Promptuary(url, cast.key(), timeout=60) as registry:
        template = registry.get(REPLY)
        assert (template.version, template.document.text) == (1, DOCUMENT)
        assert template.render(SAMPLES["short"]).messages == [{"role": "user", "content": "Where is my parcel?"}]


def test_the_async_client_gets_the_same(url, cast):
    async def story():
        async with AsyncPromptuary(url, cast_key, timeout=60) as registry:
            return (await registry.get(REPLY, 2)).document.text

    cast_key = cast.key(scope="write")
    assert asyncio.run(story()) == OTHER


def test_a_published_change_arrives_with_the_next_question(url, cast):
    with Promptuary(url, cast.key(), ttl=0, timeout=60) as registry:
        first = registry.get(REPLY)
        assert registry.get(REPLY) is first
        cast.publish(2)
        assert registry.get(REPLY).version == 2


def test_refusals_arrive_as_errors_of_their_kind(url, cast):
    with Promptuary(url, cast.key(), timeout=60) as registry:
        with pytest.raises(NotFound, match="it has production, latest"):
            registry.get(REPLY, "staging")
        with pytest.raises(NotAllowed, match="limited to approved versions"):
            registry.get(REPLY, 2)
    with Promptuary(url, "pb_nonsense", timeout=60) as stranger, pytest.raises(NotAllowed, match="unknown"):
        stranger.get(REPLY)


def test_many_come_in_one_request_and_a_namespace_as_a_whole(url, cast):
    cast.save(name="support/another")
    with Promptuary(url, cast.key(scope="write"), timeout=60) as registry:
        assert [fetched.version for fetched in registry.warm([f"{REPLY}@1", f"{REPLY}@2", "support/another@1"])] == [
            1,
            2,
            1,
        ]
        assert [(fetched.name, fetched.version) for fetched in registry.warm_namespace("support")] == [(REPLY, 1)]
        assert [fetched.name for fetched in registry.warm_namespace("support", "latest")] == ["support/another", REPLY]
        with pytest.raises(NotFound):
            registry.warm_namespace("demo")


def test_a_live_client_follows_a_publication_immediately(url, cast, settings):
    settings.PROMPTUARY_WAITING = 0  # a question that is held would outlive this test's database
    with Promptuary(url, cast.key(), live=True, timeout=60) as registry:
        assert registry.get(REPLY).version == 1
        until(lambda: any(listener.cursor for listener in registry._listeners.values()), 30)
        cast.publish(2)
        until(lambda: registry.get(REPLY).version == 2, 20)  # its time would be over in a minute


def test_renders_are_reported_to_the_registry(url, cast):
    with Promptuary(url, cast.key(), timeout=60) as registry:
        registry.render(REPLY, SAMPLES["short"])
        with pytest.raises(RenderError):
            registry.render(REPLY, {})
        assert registry.usage.take()[0]["renders"] == 1
        registry.render(REPLY, SAMPLES["short"])
        registry.render(REPLY, {**SAMPLES["short"], "more": 1})
    told = client_reports.sum_reports_by_version(Template.objects.get(name=REPLY))[1]
    assert (told.renders, told.failures, told.inputs, registry.usage.failed) == (2, {}, {"question": 2, "more": 1}, 0)
