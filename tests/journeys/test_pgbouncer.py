"""PgBouncer in transaction mode in front of PostgreSQL: refused unless configured, and otherwise it works."""

import json
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from tests.journeys.test_outages import SETUP, Author
from tests.support import instances, pgbouncer
from tests.support.server_process import Server, wait_until

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.dialect,
    pytest.mark.skipif(pgbouncer.PROGRAM is None, reason="pgbouncer is not installed"),
]


@pytest.fixture
def direct(tmp_path) -> Iterator[instances.Instance]:
    """An instance with its tables that reaches PostgreSQL itself."""
    place = instances.make_instance(tmp_path / "pooled")
    yield place
    instances.remove_instance(place)


@pytest.fixture
def pooled(direct) -> Iterator[instances.Instance]:
    """The same instance behind a pooler: every transaction may run in another of three sessions."""
    with pgbouncer.run_pgbouncer(direct.database, size=3) as url:
        yield instances.Instance(direct.home, url)


def test_a_server_that_was_not_told_of_the_pooler_refuses_to_start(pooled):
    for only in ("web", "worker", "migrate"):
        done = pooled.run("manage.py", "serve", "--only", only, check=False)
        assert done.returncode == 1
        assert "reached through a pooler such as PgBouncer. Set PROMPTUARY_DATABASE_POOLED=true" in done.stderr
        assert "Traceback" not in done.stderr


def test_people_save_services_fetch_and_the_mirror_follows_through_the_pooler(pooled, direct):
    keys = json.loads(pooled.run("-c", SETUP, PROMPTUARY_DATABASE_POOLED="true").stdout.strip().splitlines()[-1])
    server = Server(pooled, PROMPTUARY_DATABASE_POOLED="true")
    try:
        server.start()
        with Author(server.url, keys["write"]) as author:
            for number in range(2, 12):
                author.publish(number)
                fetched = httpx.get(
                    f"{server.url}/api/v1/templates/support/reply@production",
                    headers={"Authorization": f"Bearer {keys['read']}"},
                    timeout=30,
                )
                assert fetched.json()["version"] in (number - 1, number)  # another process may follow within a second
            wait_until(lambda: author.get("support/reply@production").json()["version"] == 11)
        wait_until(lambda: direct.manage("mirror", "verify", check=False).returncode == 0)
        wait_until(lambda: not list_locks(direct))
    finally:
        server.kill()


def list_locks(place):
    """Advisory locks that somebody holds: none may stay behind in a session of the pooler."""
    with psycopg.connect(place.database) as session:
        return session.execute("SELECT objid FROM pg_locks WHERE locktype = 'advisory'").fetchall()


def test_a_pooler_is_distinguished_from_postgresql_itself(pooled, direct):
    code = (
        "import django; django.setup(); from django.db import connection; "
        "from registry.core import poolers; print(poolers.is_pooled(connection))"
    )
    assert direct.run("-c", code).stdout == "False\n"
    assert pooled.run("-c", code).stdout == "True\n"
