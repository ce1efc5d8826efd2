"""AsyncPromptuary: the same flow on an event loop."""

import asyncio

import pytest

from promptuary import NotFound, Unavailable
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER


def test_the_async_client_fetches_renders_and_remembers(world):
    async def story():
        async with world.async_client() as client:
            prompt = await client.render(NAME, {"question": "Why?"})
            assert prompt.messages[0]["content"] == "Why?"
            assert await client.get(NAME) is await client.get(NAME)

    asyncio.run(story())
    assert world.request_count == 1


def test_a_burst_asks_once(world):
    async def story():
        client = world.async_client()
        return await asyncio.gather(*(client.get(NAME) for _ in range(50)))

    assert len(set(map(id, asyncio.run(story())))) == 1
    assert world.request_count == 1


def test_errors_and_fallbacks_are_the_same(world):
    async def story():
        client = world.async_client()
        with pytest.raises(NotFound):
            await client.get(NAME, "staging")
        world.registry.down = True
        with pytest.raises(Unavailable):
            await client.get(NAME)
        assert (await client.get(NAME, fallback=OTHER)).document.text == OTHER

    asyncio.run(story())


def test_a_client_outlives_its_event_loop(world):
    client = world.async_client(ttl=0)
    assert asyncio.run(client.get(NAME)).document.text == DOCUMENT
    assert asyncio.run(client.get(NAME)).document.text == DOCUMENT


def test_a_cancelled_wait_does_not_cancel_the_others(world):
    async def story():
        client = world.async_client()
        impatient = asyncio.create_task(client.get(NAME))
        patient = asyncio.create_task(client.get(NAME))
        await asyncio.sleep(0)
        impatient.cancel()
        return await patient

    assert asyncio.run(story()).version == 1
