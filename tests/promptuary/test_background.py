"""Background work of the client: labels stay fresh, and no caller waits for it."""

import asyncio
import gc
import threading
import time
import weakref

import pytest

from promptuary import AsyncFakeTransport, AsyncPromptuary, NotFound, Promptuary
from promptuary._transport import Answer
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER, URL, until

TTL = 0.05


@pytest.fixture
def client(world):
    with Promptuary(URL, "key", ttl=TTL, transport=world.registry, on_stale=world.stale_results.append) as client:
        yield client


class Slow:
    """A registry that takes its time with all but the first answer."""

    def __init__(self, registry):
        self.registry, self.first, self.go = registry, True, threading.Event()

    def send(self, request):
        if not self.first:
            self.go.wait(60)
        self.first = False
        return self.registry.send(request)

    def close(self):
        self.go.set()


def test_a_caller_never_waits_for_a_label_that_is_known(world):
    slow = Slow(world.registry)
    with Promptuary(URL, "key", ttl=TTL, transport=slow) as client:
        client.get(NAME)
        world.registry.move(NAME, "production", 2)
        time.sleep(TTL * 2)
        started = time.monotonic()
        assert client.get(NAME).document.text == DOCUMENT
        assert time.monotonic() - started < 20
        slow.go.set()
        until(lambda: client.get(NAME).document.text == OTHER)


def test_a_label_is_kept_fresh_without_anyone_asking_meanwhile(world, client):
    client.get(NAME)
    world.registry.move(NAME, "production", 2)
    until(lambda: client._memory.labels()[0][2].bundle.version == 2)
    assert client.get(NAME).document.text == OTHER


def test_a_label_that_nobody_wants_any_more_is_left_alone(world):
    with Promptuary(URL, "key", ttl=60, transport=world.registry, clock=world.clock) as client:
        client.get(NAME)
        client._keeper.daemon.stop(5)
        client._keeper.daemon.renew()
        world.clock.now += 3700
        client._keeper.refresh_due()
        assert world.request_count == 1
        world.registry.move(NAME, "production", 2)
        assert client.get(NAME).document.text == OTHER  # and is asked for in the call, not served an hour old


def test_a_gone_registry_is_reported_by_the_template_the_callback_and_the_log(world, client, caplog):
    template = client.get(NAME)
    assert not template.stale
    world.registry.down = True
    until(lambda: "served stale" in caplog.text)  # the last that the thread does
    assert template.stale
    assert client.get(NAME) is template
    assert world.stale_results[-1].stale
    world.registry.down = False
    until(lambda: not template.stale)


def test_a_gone_registry_is_asked_once_for_all_labels(world):
    client = world.client(ttl=60)
    for name in ("support/a", "support/b", "support/c"):
        world.registry.put(name, DOCUMENT, "production")
        client.get(name)
    world.registry.down = True
    world.clock.now += 61
    request_count = world.request_count
    client._keeper.refresh_due()
    assert world.request_count == request_count + 1
    assert all(client.get(name).stale for name in ("support/a", "support/b", "support/c"))


def test_an_answer_that_cannot_be_right_leaves_what_was_served(world, client):
    template = client.get(NAME)
    world.registry._versions[NAME][1]["document"] = DOCUMENT.replace("question", "other")
    world.registry.move(NAME, "production", 2)
    until(lambda: "hashes to" in str(client.fetch(NAME).error))
    assert template.stale
    assert client.get(NAME) is template


def test_a_removed_label_is_not_served_on(world, client):
    client.get(NAME)
    del world.registry._labels[NAME, "production"]
    until(lambda: not client._memory.labels())
    with pytest.raises(NotFound):
        client.get(NAME)


def test_the_async_client_is_kept_fresh_alike(world):
    async def story():
        transport = AsyncFakeTransport(world.registry)
        async with AsyncPromptuary(URL, "key", ttl=TTL, transport=transport) as client:
            await client.get(NAME)
            world.registry.move(NAME, "production", 2)
            for _ in range(200):
                if (await client.get(NAME)).document.text == OTHER:
                    return True
                await asyncio.sleep(0.01)
            return False

    assert asyncio.run(story())


def test_a_client_that_is_let_go_takes_its_thread_along(world):
    client = Promptuary(URL, "key", ttl=TTL, transport=world.registry)
    client.get(NAME)
    thread = client._keeper.daemon._thread
    gone = weakref.ref(client)
    del client
    gc.collect()
    assert gone() is None
    thread.join(60)
    assert not thread.is_alive()


class Odd:
    """A transport with a mistake in it, after the first answer."""

    def __init__(self, registry):
        self.registry = registry

    def send(self, request):
        return self.registry.send(request) if not self.registry.requests else Answer(1 // 0)

    def close(self):
        pass


def test_a_thread_that_fails_in_a_way_nobody_thought_of_goes_on(world, caplog):
    with Promptuary(URL, "key", ttl=TTL, transport=Odd(world.registry)) as client:
        client.get(NAME)
        until(lambda: "it goes on" in caplog.text)
        assert client.get(NAME).document.text == DOCUMENT
        assert client._keeper.daemon._thread.is_alive()
