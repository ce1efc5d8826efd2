"""The client's cache: pins forever, labels for a while, and its use when the registry is unavailable."""

import pytest

from promptuary import NotFound, Unavailable
from promptuary.cache import Entry, MemoryCache
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER


def test_a_pin_is_asked_for_once(world):
    client = world.client(ttl=0)
    assert client.get(NAME, 1) is client.get(NAME, 1)
    world.clock.now += 1e9
    client.get(NAME, 1)
    assert world.request_count == 1


def test_a_label_is_asked_for_again_when_its_time_is_over(world):
    client = world.client(ttl=60)
    client.get(NAME)
    world.clock.now += 59
    client.get(NAME)
    assert world.request_count == 1
    world.clock.now += 2
    client.get(NAME)
    assert world.request_count == 2


def test_an_unmoved_label_is_confirmed_by_its_entity_tag_alone(world):
    client = world.client(ttl=60)
    first = client.get(NAME)
    world.clock.now += 61
    assert client.get(NAME) is first
    assert world.registry.requests[-1].headers["If-None-Match"].startswith('"1.sha256:')


def test_a_moved_label_is_followed(world):
    client = world.client(ttl=60)
    client.get(NAME)
    world.registry.move(NAME, "production", 2)
    world.clock.now += 61
    assert client.get(NAME).document.text == OTHER


def test_a_label_is_served_stale_while_the_registry_is_gone_and_that_is_reported(world, caplog):
    client = world.client(ttl=60)
    client.get(NAME)
    world.registry.down = True
    world.clock.now += 61
    fetched = client.fetch(NAME)
    assert (fetched.stale, fetched.version, fetched.age) == (True, 1, 61)
    assert isinstance(fetched.error, Unavailable)
    assert [stale_result.name for stale_result in world.stale_results] == [NAME]
    assert "served stale" in caplog.text


def test_a_gone_registry_is_not_asked_with_every_call(world):
    client = world.client(ttl=60)
    client.get(NAME)
    world.registry.down = True
    world.clock.now += 61
    request_count = world.request_count
    for _ in range(10):
        client.get(NAME)
    assert world.request_count == request_count + 1
    assert len(world.stale_results) == 10


def test_a_registry_that_is_back_is_believed_again(world):
    client = world.client(ttl=60)
    client.get(NAME)
    world.registry.down = True
    world.clock.now += 61
    client.get(NAME)
    world.registry.down = False
    world.clock.now += 6
    assert not client.fetch(NAME).stale


def test_nothing_kept_and_nobody_there_is_an_error(world):
    world.registry.down = True
    with pytest.raises(Unavailable):
        world.client().get(NAME)


def test_a_removed_label_is_not_served_from_memory(world):
    client = world.client(ttl=60)
    client.get(NAME)
    del world.registry._labels[NAME, "production"]
    world.clock.now += 61
    with pytest.raises(NotFound):
        client.get(NAME)
    world.registry.down = True
    with pytest.raises(Unavailable):
        client.get(NAME)


def test_a_kept_template_is_looked_up_and_not_hashed_again(world):
    client = world.client()
    first = client.get(NAME, 1)
    assert client.get(NAME, 1) is first
    assert client.get(f"{NAME}@1") is first
    assert world.request_count == 1


def test_memory_holds_no_more_than_it_may(world):
    bundle = world.client().fetch(NAME)
    assert bundle.version == 1
    memory = MemoryCache(3)
    entry = next(iter(_entries(world)))
    for number in range(10):
        memory.keep(f"support/t{number}", "1", entry)
    assert memory.get(("support/t9", "1")) is entry
    assert memory.get(("support/t0", "1")) is None


def _entries(world) -> list[Entry]:
    client = world.client()
    client.get(NAME)
    return list(client._state.memory._entries.values())


def test_a_fallback_is_used_when_there_is_nothing_else(world):
    world.registry.down = True
    client = world.client()
    fetched = client.fetch(NAME, fallback=DOCUMENT)
    assert (fetched.source, fetched.stale, fetched.version) == ("fallback", True, None)
    assert client.get(NAME, fallback=lambda: OTHER).document.text == OTHER
    assert client.get(NAME, fallback=fetched.template) is fetched.template


def test_an_empty_text_is_a_fallback_too(world):
    world.registry.down = True
    document = "---\nformat: text\n---\n"
    assert world.client().get(NAME, fallback=document).render({}).text == ""


def test_a_kept_template_goes_before_a_fallback(world):
    client = world.client(ttl=60)
    client.get(NAME)
    world.registry.down = True
    world.clock.now += 61
    assert client.get(NAME, fallback=OTHER).document.text == DOCUMENT
