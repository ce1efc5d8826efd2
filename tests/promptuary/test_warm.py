"""Many templates in one request."""

import asyncio

import pytest

from promptuary import ConfigurationError, NotFound, Unavailable
from tests.promptuary.conftest import DOCUMENT, NAME

NAMES = [f"support/t{number}" for number in range(200)]


@pytest.fixture
def many(world):
    for name in NAMES:
        world.registry.put(name, DOCUMENT, "production")
    return world


def test_two_hundred_templates_come_in_one_request(many):
    client = many.client()
    assert [fetched.name for fetched in client.warm(NAMES)] == NAMES
    assert many.request_count == 1
    assert all(client.get(name).version == 1 for name in NAMES)
    assert many.request_count == 1


def test_the_async_client_warms_alike(many):
    async def story():
        async with many.async_client() as client:
            await client.warm(NAMES)
            await client.get(NAMES[5])

    asyncio.run(story())
    assert many.request_count == 1


def test_a_whole_namespace_comes_in_one_request(many):
    client = many.client()
    assert len(client.warm_namespace("support")) == 201
    assert client.get(NAME).version == 1
    assert many.request_count == 1


def test_cached_templates_are_not_requested_again(many):
    client = many.client()
    client.get(NAME)
    client.warm([NAME])
    assert many.request_count == 1


def test_refs_are_next_to_names_and_many_are_asked_in_parts(many):
    client = many.client()
    found = client.warm([f"{NAME}@{ref}" for ref in ("1", "latest", "production")] * 2)
    assert [fetched.version for fetched in found] == [1, 2, 1] * 2
    assert many.request_count == 1


def test_one_that_is_missing_is_reported_and_the_others_are_kept(many):
    client = many.client()
    with pytest.raises(NotFound, match="support/none"):
        client.warm([NAMES[0], "support/none", NAMES[1]])
    many.registry.down = True
    assert client.get(NAMES[1]).version == 1


def test_a_start_without_the_registry_goes_on_with_the_copies(many, tmp_path):
    many.client(cache_dir=tmp_path).warm(NAMES[:3])
    many.registry.down = True
    assert all(fetched.stale for fetched in many.client(cache_dir=tmp_path).warm(NAMES[:3]))
    with pytest.raises(Unavailable):
        many.client(cache_dir=tmp_path).warm(NAMES[:4])


def test_names_are_needed_where_there_is_no_lock_file(many):
    with pytest.raises(ConfigurationError, match="lock file"):
        many.client().warm()


def test_a_registry_that_is_gone_is_waited_for_once_however_many_are_wanted(world, tmp_path):
    names = [f"support/m{number}" for number in range(501)]
    for name in names:
        world.registry.put(name, DOCUMENT, "production")
    world.client(cache_dir=tmp_path).warm(names)
    world.registry.down = True
    request_count = world.request_count
    assert len(world.client(cache_dir=tmp_path).warm(names)) == 501
    assert world.request_count == request_count + 1
