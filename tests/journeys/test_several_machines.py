"""Two machines, each with its own home, that share one PostgreSQL and one broker."""

import concurrent.futures
import json
import os
import time
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import httpx
import psycopg
import pytest

from tests.journeys.test_outages import SETUP, Author
from tests.support import instances
from tests.support.broker import Broker
from tests.support.server_process import Server

pytestmark = [pytest.mark.postgres, pytest.mark.dialect]

WITHIN = 1.0  # seconds in which every machine follows
PATH = "/api/v1/templates/support/reply@production"
REVOKE = """
import django; django.setup()
from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.namespaces import keys
keys.revoke_key(actor=Actor(User.objects.get(username="author")), key_id=Key.objects.get(name="read").id)
"""


@pytest.fixture
def broker(tmp_path) -> Iterator[Broker]:
    with Broker(tmp_path) as broker:
        yield broker


@pytest.fixture
def machines(tmp_path) -> Iterator[list[instances.Instance]]:
    first = instances.make_instance(tmp_path / "first")
    (tmp_path / "second").mkdir()
    yield [first, instances.Instance(tmp_path / "second", first.database)]
    instances.remove_instance(first)


def test_changes_on_one_machine_take_effect_on_the_other_within_a_second(machines, broker):
    keys = json.loads(machines[0].run("-c", SETUP).stdout.strip().splitlines()[-1])
    shared = {
        "PROMPTUARY_BROKER_URL": broker.url,
        "PROMPTUARY_SECRET_KEY": "one key for both machines" * 2,
        "PROMPTUARY_RATE_CALLER": "40/min",
    }
    servers = [Server(place, "--only", "web", **shared) for place in machines]
    reader = {"Authorization": f"Bearer {keys['read']}"}
    try:
        for server in servers:
            server.start()
        with Author(servers[0].url, keys["write"]) as author:
            for number in (2, 3):
                author.publish(number)
                assert time_until(lambda number=number: fetch(servers[1], reader).json()["version"] == number) < WITHIN
        fail_to_sign_in(servers[0], times=5)
        assert "Too many failed" in fail_to_sign_in(servers[1], times=1)
        assert fetch(servers[1], reader).status_code == 200
        assert calls_until_refused(servers, reader) <= 40
        assert fetch(servers[1], reader).status_code == 200  # what is found is never limited
        machines[0].run("-c", REVOKE)
        for server in servers:
            assert time_until(lambda server=server: fetch(server, reader).status_code == 401) < WITHIN
    finally:
        for server in servers:
            server.kill()


def fetch(server, headers):
    return httpx.get(f"{server.url}{PATH}", headers=headers, timeout=30)


def calls_until_refused(servers, headers):
    """Calls of the API, by turns on each machine, that are answered before the first one is refused."""
    for number in range(100):
        answer = httpx.get(f"{servers[number % 2].url}/api/v1/templates", headers=headers, timeout=30)
        if answer.status_code == 429:
            return number
    raise AssertionError("no call was refused")


def time_until(is_so):
    """Seconds until it is so by every one of a machine's processes: ten answers in a row."""
    started, in_a_row, first = time.monotonic(), 0, 0.0
    while in_a_row < 10:
        asked = time.monotonic()
        if is_so():
            first = first if in_a_row else asked
            in_a_row += 1
        else:
            in_a_row = 0
            assert asked - started < 30, "the machine does not follow"
            time.sleep(0.02)  # another machine doesn't signal it
    return first - started


def fail_to_sign_in(server, *, times):
    """Give a wrong password this often, and return the text of the last response."""
    with httpx.Client(base_url=server.url, follow_redirects=True, timeout=30) as browser:
        answer = browser.get("/login")
        for _ in range(times):
            data = {
                "username": "author",
                "password": "wrong",
                "csrfmiddlewaretoken": browser.cookies["promptuary-csrf"],
            }
            answer = browser.post("/login", data=data)
    return answer.text


def test_two_machines_that_start_at_the_same_time_on_an_empty_database_migrate_it_once(tmp_path):
    base = os.environ["PROMPTUARY_DATABASE_URL"]
    name = f"empty_{os.getpid()}"
    with psycopg.connect(base, autocommit=True) as session:
        session.execute(f'CREATE DATABASE "{name}"')
    url = urlunsplit(urlsplit(base)._replace(path=f"/{name}"))
    places = [instances.Instance(tmp_path / home, url) for home in ("first", "second")]
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for place in places:
                place.home.mkdir()
            done = list(pool.map(lambda place: place.manage("serve", "--only", "migrate", check=False), places))
        assert [(each.returncode, each.stderr) for each in done] == [(0, ""), (0, "")]
        with psycopg.connect(url) as session:
            repeated = session.execute("SELECT app, name FROM django_migrations GROUP BY 1, 2 HAVING count(*) > 1")
            assert repeated.fetchall() == []
    finally:
        with psycopg.connect(base, autocommit=True) as session:
            session.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
