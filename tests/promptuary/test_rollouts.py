"""Clients and rollouts: the side of a bucket, computed without a request."""

import asyncio

import pytest

from promptuary import ConfigurationError
from promptuary.lockfile import Locked, write_lock
from promptuary.renderer.rollouts import is_on_candidate_side
from tests.promptuary.conftest import NAME

BUCKETS = [f"user-{number}" for number in range(50)]


def sides(client) -> dict[str, int]:
    """The version that each bucket gets."""
    return {bucket: client.fetch(NAME, bucket=bucket).version for bucket in BUCKETS}


def expected(share: int) -> dict[str, int]:
    return {bucket: 2 if is_on_candidate_side("salt", bucket, share) else 1 for bucket in BUCKETS}


def test_each_bucket_gets_its_side_by_two_requests_in_all(world):
    world.registry.roll_out(NAME, "production", 2, 5000)
    assert sides(world.client()) == expected(5000)
    assert set(expected(5000).values()) == {1, 2}
    assert world.request_count == 2


def test_a_caller_without_a_bucket_gets_the_stable_version(world):
    world.registry.roll_out(NAME, "production", 2, 9999)
    client = world.client()
    assert client.get(NAME).digest == client.get(NAME, 1).digest


def test_without_a_rollout_a_bucket_changes_nothing(world):
    client = world.client()
    assert set(sides(client).values()) == {1}
    assert world.request_count == 1


def test_a_larger_share_is_heard_of_as_a_move_is(world):
    world.registry.roll_out(NAME, "production", 2, 2000)
    client = world.client(ttl=60)
    assert sides(client) == expected(2000)
    world.registry.roll_out(NAME, "production", 2, 6000)
    assert sides(client) == expected(2000)
    world.clock.now += 61
    assert sides(client) == expected(6000)
    assert world.request_count == 3


def test_an_ended_rollout_is_forgotten_with_the_next_answer(world):
    world.registry.roll_out(NAME, "production", 2, 9000)
    client = world.client(ttl=60)
    assert 2 in sides(client).values()
    world.registry.roll_out(NAME, "production", 2, 0)
    world.clock.now += 61
    assert set(sides(client).values()) == {1}


def test_the_template_of_a_side_reports_for_its_version(world):
    world.registry.roll_out(NAME, "production", 2, 5000)
    client = world.client(reports=True)
    bucket = next(bucket for bucket, version in expected(5000).items() if version == 2)
    template = client.get(NAME, bucket=bucket)
    assert template.report(helpful=1, bucket=bucket)
    client.close()
    digest = world.client().get(NAME, 2).digest
    assert [outcome["digest"] for outcome in world.registry.outcomes] == [digest]


def test_render_takes_a_bucket_too(world):
    world.registry.roll_out(NAME, "production", 2, 5000)
    client = world.client()
    for bucket, version in list(expected(5000).items())[:8]:
        text = client.render(NAME, {"question": "Why?"}, bucket=bucket).messages[0]["content"]
        assert text == ("Q: Why?" if version == 2 else "Why?")


def test_the_async_client_chooses_the_same_sides(world):
    world.registry.roll_out(NAME, "production", 2, 5000)

    async def fetch_all() -> dict[str, int | None]:
        client = world.async_client()
        return {bucket: (await client.fetch(NAME, bucket=bucket)).version for bucket in BUCKETS}

    assert asyncio.run(fetch_all()) == expected(5000)


def test_a_candidate_that_cannot_be_had_leaves_the_stable_version(world, caplog):
    world.registry.roll_out(NAME, "production", 2, 9999)
    client = world.client()
    client.fetch(NAME)
    world.registry.down = True
    assert client.fetch(NAME, bucket="user-1").version == 1
    assert "without its rollout" in caplog.text


def test_a_kept_copy_on_disk_knows_the_rollout(world, tmp_path):
    world.registry.roll_out(NAME, "production", 2, 5000)
    assert sides(world.client(cache_dir=tmp_path)) == expected(5000)
    world.registry.down = True
    assert sides(world.client(cache_dir=tmp_path)) == expected(5000)


@pytest.mark.parametrize("bucket", ["", "x" * 101, 17])
def test_an_invalid_bucket_is_refused(world, bucket):
    with pytest.raises(ConfigurationError, match="is not a bucket"):
        world.client().get(NAME, bucket=bucket)


def test_a_lock_file_pins_before_any_rollout(world, tmp_path):
    lock = tmp_path / "promptuary.lock"
    digest = world.client().get(NAME, 1).digest
    write_lock(lock, {NAME: Locked("production", 1, digest)})
    world.registry.roll_out(NAME, "production", 2, 9999)
    assert set(sides(world.client(lock=lock)).values()) == {1}
