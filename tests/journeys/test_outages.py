"""PostgreSQL and the broker go down and come back while services fetch and people save."""

import json
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from promptuary import Promptuary
from tests.support import instances
from tests.support.broker import Broker
from tests.support.postgres_server import Server as Postgres
from tests.support.server_process import Server, wait_until

pytestmark = pytest.mark.sqlite  # starts the databases it takes away

NAME = "support/reply"
SETUP = """
import django; django.setup()
import json
from registry.accounts.actor import Actor, build_operator_actor
from registry.namespaces import keys
from registry.templates import labels, save as templates
from registry.namespaces import services as namespaces
from registry.accounts import people
author = Actor(people.create_person(actor=build_operator_actor(), username="author", password="author-promptuary"))
namespaces.create_namespace(actor=author, name="support")
templates.save_version(actor=author, name="support/reply", document="- name: a\\n  content: Version 1\\n", message="")
labels.move_label(actor=author, name="support/reply", label="production", version=1, expected=None)
issued = {
    scope: keys.issue_key(actor=author, namespace="support", name=scope, scope=scope).secret
    for scope in ("read", "write")
}
print(json.dumps(issued))
"""


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    postgres = Postgres()
    try:
        postgres.start()
        yield postgres
    finally:
        postgres.close()


@pytest.fixture
def broker(tmp_path) -> Iterator[Broker]:
    with Broker(tmp_path) as broker:
        yield broker


class Author(httpx.Client):
    """Saves and moves the label over the API."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(base_url=f"{url}/api/v1/templates/", headers={"Authorization": f"Bearer {key}"}, timeout=60)

    def publish(self, number: int) -> None:
        """Version `number`, and `production` on it."""
        body = self.get(f"{NAME}@production").json()
        document = {"document": f"- name: a\n  content: Version {number}\n", "message": ""}
        saved = self.put(NAME, json=document, headers={"If-Match": body["digest"]})
        assert saved.json().get("version") == number, saved.text
        moved = self.put(f"{NAME}/-/labels/production", json={"version": number, "expected": body["version"]})
        assert moved.status_code == 200, moved.text


class Story:
    """A registry on both, a service that fetches from it, and an author."""

    def __init__(
        self, place: instances.Instance, server: Server, author: Author, service: Promptuary, key: str
    ) -> None:
        self.place, self.server, self.author, self.service, self.key = place, server, author, service, key

    def publish(self, number: int) -> None:
        """Publish a version, and wait until the service and the mirror have it."""
        self.author.publish(number)
        wait_until(lambda: self.service.render(NAME, {}).text == f"Version {number}")
        wait_until(lambda: self.place.manage("mirror", "verify", check=False).returncode == 0)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.server.url}{path}", headers=self.author.headers, timeout=60)

    def readiness(self) -> tuple[int, str, dict[str, str]]:
        answer = self.get("/readyz")
        return answer.status_code, answer.json()["status"], answer.json()["checks"]


@pytest.fixture
def story(postgres, broker, tmp_path) -> Iterator[Story]:
    home = tmp_path / "home"
    home.mkdir()
    place = instances.Instance(home, postgres.url)
    instances.make_tables(place)
    keys = json.loads(place.run("-c", SETUP).stdout.strip().splitlines()[-1])
    server = Server(place, PROMPTUARY_BROKER_URL=broker.url)
    try:
        server.start()
        with (
            Author(server.url, keys["write"]) as author,
            Promptuary(
                server.url, keys["read"], ttl=0.2, timeout=5, cache_dir=tmp_path / "cache", reports=False
            ) as service,
        ):
            yield Story(place, server, author, service, keys["read"])
    finally:
        server.kill()


def test_services_go_on_while_broker_and_database_come_and_go(story, postgres, broker, tmp_path):
    assert story.service.render(NAME, {}).text == "Version 1"
    wait_until(lambda: story.readiness()[1] == "ok")

    broker.kill()
    story.publish(2)  # the worker's clock needs no broker
    code, status, checks = story.readiness()
    assert (code, status) == (200, "degraded")
    assert "does not answer" in checks["broker"]
    broker.start()
    story.publish(3)
    wait_until(lambda: story.readiness()[1] == "ok")

    postgres.crash()
    wait_until(lambda: story.service.get(NAME).stale)
    assert all(story.service.render(NAME, {}).text == "Version 3" for _ in range(100))
    refused = story.get(f"/api/v1/templates/{NAME}@production")
    assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (503, "busy")
    assert "Traceback" not in story.get("/login").text
    assert story.get("/livez").status_code == 200
    assert story.readiness()[2]["database"] == "does not answer"
    with Promptuary(story.server.url, story.key, cache_dir=tmp_path / "cache", reports=False) as restarted:
        assert restarted.fetch(NAME).stale
        assert restarted.render(NAME, {}).text == "Version 3"

    postgres.start()
    wait_until(lambda: not story.service.get(NAME).stale)
    # Each web process finds the database again by itself; the author's connection may lead to the later one.
    wait_until(lambda: story.author.get(f"{NAME}@production").status_code == httpx.codes.OK)
    story.publish(4)
    with psycopg.connect(postgres.url) as session:
        assert session.execute("SELECT count(*) FROM registry_version").fetchone() == (4,)
