"""The cast, two namespaces, and callers that send JSON."""

import json
import threading
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from django.core.cache import caches
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.db import transaction
from django.test import Client

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import keys, throttling
from registry.serving.fetcher import get_fetcher
from registry.serving.wsgi_fast_path import serve_fetches_first
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.people import load_people
from tests.support.recent_proof import prove_identity
from tests.support.recorded_rows import write_or_insert

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

DOCUMENT = """---
description: Answer a question
tags: [support]
inputs:
  question: {type: string, maxLength: 100}
---
- name: question
  content: "{{ question }}"
"""
OTHER = DOCUMENT.replace("Answer a question", "Answer a question well")
THIRD = DOCUMENT.replace("Answer a question", "Answer a question best")
SAMPLES = {"short": {"question": "Where is my parcel?"}}
REPLY = "support/refunds/reply"


@dataclass
class Cast:
    """People of the namespaces `support` (production protected) and `demo` (nothing protected), and an outsider.

    The outsider is an admin of another namespace, `other`.
    """

    people: dict[str, User] = field(default_factory=dict)

    def actor(self, role: str) -> Actor:
        return Actor(self.people[role])

    def key(self, role: str = "author", scope: str = "read", namespace: str = "support", **options: Any) -> str:
        """The secret of a new key that acts for this person."""
        admin = "outsider" if namespace == "other" else "admin"
        issued = keys.issue_key(
            actor=self.actor(admin),
            namespace=namespace,
            name=f"{role} {scope}",
            scope=scope,
            person=self.people[role].username,
            **options,
        )
        return issued.secret

    def save(self, document: str = DOCUMENT, name: str = REPLY, role: str = "author", **options: Any) -> Any:
        """A saved version, made from the latest one."""
        return template_save.save_version(actor=self.actor(role), name=name, document=document, message="", **options)

    def propose(self, version: int, label: str = "production", name: str = REPLY, role: str = "author") -> Any:
        return change_services.propose_change(
            actor=self.actor(role), name=name, label=label, version=version, message="Please"
        )

    def publish(self, version: int, label: str = "production", name: str = REPLY) -> Any:
        """Propose, approve and publish."""
        change = self.propose(version, label, name)
        digest = change.version.digest
        decisions.decide_on_change(
            actor=self.actor("reviewer"), number=change.number, decision="approve", digest=digest
        )
        return change_services.publish_change(actor=self.actor("author"), number=change.number)

    def move(self, label: str, version: int, expected: int | None = None, name: str = REPLY) -> Any:
        return labels.move_label(actor=self.actor("author"), name=name, label=label, version=version, expected=expected)


class Caller:
    """A client of the API: with a key, with a session, or with neither."""

    def __init__(self, *, key: str | None = None, person: User | None = None) -> None:
        self._client = Client(enforce_csrf_checks=True)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        if person is not None:
            self._client.force_login(person)
            prove_identity(self._client, person)
            self._client.cookies["promptuary-csrf"] = "c" * 32
            self._headers["X-CSRFToken"] = "c" * 32

    def call(self, method: str, path: str, body: Any = None, /, **headers: str) -> "Response":
        """Header names are written with underscores: `If_Match`. Any name will do, `method` and `body` too."""
        sent = {**self._headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        options = {"data": content, "content_type": "application/json"} if method not in ("GET", "HEAD") else {}
        response: Response = getattr(self._client, method.lower())("/api/v1/" + path, headers=sent, **options)
        return response

    def try_call(self, method: str, path: str, body: Any = None, /, **headers: str) -> "Response":
        """Call as if nobody had called before, and restore the database and the cookies."""
        _forget_calls()
        cookies = copy(self._client.cookies)
        with transaction.atomic():
            response = self.call(method, path, body, **headers)
            if response.streaming:
                content = [b"".join(response)]  # read while the rows are there
                response.streaming_content = content  # type: ignore[attr-defined]  # the stubs lack it
            transaction.set_rollback(True)
        self._client.cookies = cookies
        return response

    def get(self, path: str, **headers: str) -> "Response":
        return self.call("GET", path, **headers)

    def put(self, path: str, body: Any, **headers: str) -> "Response":
        return self.call("PUT", path, body, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> "Response":
        return self.call("POST", path, body, **headers)


@pytest.fixture(autouse=True)
def _forget_everything() -> None:
    """Each test begins with a database that no process has looked at."""
    _forget_calls()
    caches["default"].clear()


def _forget_calls() -> None:
    """Forget what this process has read and counted."""
    get_fetcher().clear()
    throttling.forget_calls()
    caches["frames"].clear()


@pytest.fixture
def database(request: pytest.FixtureRequest) -> None:
    """The usual database, rolled back after the test, or a separate one for a test with a live server."""
    request.getfixturevalue("transactional_db" if "transactional_db" in request.fixturenames else "db")


@pytest.fixture
def cast(database: None) -> Cast:
    return Cast(load_people())


class _Quiet(WSGIRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        """Log nothing: the tests read the responses."""


@pytest.fixture
def server(transactional_db: None) -> Iterator[str]:
    """The address of a threaded server, assembled as in `registry.wsgi`. Requires `transactional_db`."""
    log.subscribe(get_fetcher().follower.poll)
    httpd = ThreadedWSGIServer(("127.0.0.1", 0), _Quiet)
    httpd.set_app(serve_fetches_first(WSGIHandler()))
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}"
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join(5)


@pytest.fixture
def caller(cast: Cast) -> Callable[..., Caller]:
    """`caller("author")` speaks by a write key of the author's; `caller("reader", session=True)` from a browser.

    The reader's key reads any version; what limited keys get is tested with `Cast.key`.
    """

    def make(role: str, *, session: bool = False, scope: str = "", namespace: str = "support") -> Caller:
        if session:
            return Caller(person=cast.people[role])
        scope = scope or ("read" if role == "reader" else "write")
        options = {"approved_only": False} if scope == "read" else {}
        return Caller(key=cast.key(role, scope, "other" if role == "outsider" else namespace, **options))

    return make


@pytest.fixture
def stored() -> Callable[[], int]:
    """The number of events, which is equal before and after a refusal that stored nothing."""
    return Event.objects.count


def problem(response: "Response", status: int, kind: str) -> dict[str, Any]:
    """The problem document of a refusal, when it is the one expected."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["type"] == kind
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    return body


__all__ = ["DOCUMENT", "OTHER", "REPLY", "SAMPLES", "THIRD", "Caller", "Cast", "Key", "problem"]


@pytest.fixture
def versions(cast) -> list[Version]:
    """Versions 1 to 3, the third equal to the first; production on 2."""

    def write() -> None:
        first = cast.save().version
        second = cast.save(OTHER, base=first.digest).version
        cast.save(DOCUMENT, base=second.digest)
        cast.publish(2)

    write_or_insert("three versions to fetch", write)
    return list(Version.objects.filter(template__name=REPLY).order_by("number"))
