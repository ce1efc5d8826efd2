"""How long a process answers a fetch from memory, and what ends it."""

from typing import Any

import pytest
from django.db import OperationalError, connection

from registry.accounts.models import Key
from registry.changes import decisions
from registry.journal import log
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces.key_attempts import KeyAttempts
from registry.namespaces.models import Namespace
from registry.serving.credentials import KEY_STALE_WHILE_REFRESHING, KEY_TTL
from registry.serving.fetcher import Fetcher
from tests.api.conftest import REPLY


class Clock:
    """A clock that only moves when it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_another_process_sees_a_moved_label_within_a_second(cast, clock, versions):
    fetcher, key = Fetcher(clock=clock), f"Bearer {cast.key(scope='write')}"
    assert b'"version":2' in fetcher.answer(key, f"{REPLY}@production").body
    cast.publish(3)
    clock.now += 0.99
    assert b'"version":3' in fetcher.answer(key, f"{REPLY}@production").body


def test_another_process_refuses_a_revoked_key_within_a_second(cast, clock, versions):
    issued = keys.issue_key(actor=cast.actor("admin"), namespace="support", name="old", scope="write", person="author")
    fetcher, key = Fetcher(clock=clock), f"Bearer {issued.secret}"
    assert fetcher.answer(key, f"{REPLY}@2").status == 200
    keys.revoke_key(actor=cast.actor("admin"), key_id=issued.key.id)
    clock.now += 0.99
    assert fetcher.answer(key, f"{REPLY}@2").status == 401


def test_another_process_notices_a_lost_role_within_a_second(cast, clock, versions):
    fetcher, key = Fetcher(clock=clock), f"Bearer {cast.key(scope='read')}"
    assert fetcher.answer(key, f"{REPLY}@2").status == 200
    namespace_services.set_role(actor=cast.actor("admin"), namespace="support", username="author", role=None)
    clock.now += 0.99
    assert fetcher.answer(key, f"{REPLY}@2").status == 404


def test_a_save_does_not_cost_what_is_kept_of_others(cast, clock, versions, django_assert_num_queries):
    fetcher, key = Fetcher(clock=clock), f"Bearer {cast.key(scope='write')}"
    fetcher.answer(key, f"{REPLY}@production")
    cast.save(name="support/another")
    clock.now += 0.5
    with django_assert_num_queries(2):  # the journal's head, and newer events
        assert fetcher.answer(key, f"{REPLY}@production").status == 200


@pytest.mark.parametrize(("late", "readers"), [(0.1, 1), (KEY_STALE_WHILE_REFRESHING + 0.1, 2)])
def test_while_one_reads_a_key_again_others_go_on_with_it_for_a_moment(cast, clock, late, readers):
    reading: list[str] = []

    class Reading(KeyAttempts):
        def authenticate(self, token: str, address: str) -> Any:
            reading.append(token)
            if len(reading) == 2:  # what another thread gets meanwhile
                assert (fetcher.authenticate(key) is known) == (readers == 1)
            return super().authenticate(token, address)

    fetcher, key = Fetcher(clock=clock, attempts=Reading(clock)), f"Bearer {cast.key(scope='read')}"
    known = fetcher.authenticate(key)
    clock.now += KEY_TTL + late
    assert fetcher.authenticate(key) is not known
    assert len(reading) == 1 + readers
    assert fetcher.authenticate(key) is fetcher.authenticate(key)


def test_the_reader_reads_a_key_again_and_no_fetch_waits_for_it(cast, clock, versions, django_assert_num_queries):
    fetcher, request = Fetcher(clock=clock), (f"Bearer {cast.key(scope='write')}", f"{REPLY}@2")
    fetcher.callers.has_reader = True
    fetcher.answer(*request)  # the first one reads the journal's head
    fetcher.answer(*request)
    for _ in range(2):
        clock.now += KEY_TTL + 0.1
        fetcher.follower.poll()
        with django_assert_num_queries(0):
            assert all(fetcher.cached(*request) for _ in range(3))
        fetcher.callers.read_next_key()
    clock.now += KEY_TTL + KEY_STALE_WHILE_REFRESHING + 0.01
    fetcher.follower.poll()
    assert fetcher.cached(*request) is None  # the reader was too slow


def test_without_a_reader_a_fetch_reads_the_key_that_is_due(cast, clock, versions):
    fetcher, request = Fetcher(clock=clock), (f"Bearer {cast.key(scope='write')}", f"{REPLY}@2")
    fetcher.answer(*request)
    fetcher.answer(*request)
    clock.now += KEY_TTL + 0.1
    fetcher.follower.poll()
    assert fetcher.cached(*request) is None
    fetcher.answer(*request)
    assert fetcher.cached(*request)


def _wait_until_reader_is_told(fetcher, request, clock):
    """Fetch until the decision is cached, and again when the key is due."""
    fetcher.callers.has_reader = True
    fetcher.answer(*request)
    fetcher.answer(*request)
    clock.now += KEY_TTL + 0.1
    fetcher.follower.poll()
    assert fetcher.cached(*request)


@pytest.mark.parametrize("act", ["expire", "leave", "change"])
def test_the_reader_finds_out_what_happened_to_a_key(cast, clock, versions, act):
    issued = keys.issue_key(actor=cast.actor("admin"), namespace="support", name="a", scope="write", person="author")
    fetcher, request = Fetcher(clock=clock), (f"Bearer {issued.secret}", f"{REPLY}@2")
    _wait_until_reader_is_told(fetcher, request, clock)
    # Without an event, so that only the reader can notice it.
    if act == "expire":
        Key.objects.update(expires_at=log.now())
    elif act == "leave":
        Key.objects.update(namespace=Namespace.objects.get(name="demo"))
    else:
        Key.objects.update(labels=["staging"])
    fetcher.callers.read_next_key()
    assert fetcher.cached(*request) is None
    assert fetcher.answer(*request).status == {"expire": 401, "leave": 404, "change": 403}[act]


def test_a_key_that_the_reader_cannot_read_is_read_by_a_fetch(cast, clock, versions):
    fetcher, request = Fetcher(clock=clock), (f"Bearer {cast.key(scope='write')}", f"{REPLY}@2")
    _wait_until_reader_is_told(fetcher, request, clock)
    with connection.execute_wrapper(_fail):
        fetcher.callers.read_next_key()
    clock.now += KEY_STALE_WHILE_REFRESHING
    fetcher.follower.poll()
    assert fetcher.cached(*request) is None
    assert fetcher.answer(*request).status == 200


@pytest.mark.parametrize("ref", ["2", "production"])
@pytest.mark.parametrize("scope", ["read", "write"])
def test_an_event_about_another_template_leaves_a_fetch_in_memory(
    cast, clock, versions, django_assert_num_queries, ref, scope
):
    fetcher, request = Fetcher(clock=clock), (f"Bearer {cast.key(scope=scope)}", f"{REPLY}@{ref}")
    fetcher.answer(*request)
    fetcher.answer(*request)
    cast.save(name="support/another")
    fetcher.follower.poll()
    with django_assert_num_queries(0):
        assert fetcher.cached(*request)


def test_a_moved_label_ends_only_what_it_served(cast, clock, versions):
    fetcher, key = Fetcher(clock=clock), f"Bearer {cast.key(scope='write')}"
    for ref in ("2", "production", "2", "production"):
        fetcher.answer(key, f"{REPLY}@{ref}")
    cast.publish(3)
    fetcher.follower.poll()
    assert fetcher.cached(key, f"{REPLY}@2")
    assert fetcher.cached(key, f"{REPLY}@production") is None


@pytest.mark.parametrize("event", ["decision", "role", "revocation"])
def test_an_event_about_rights_ends_what_was_decided_by_them(cast, clock, versions, event):
    issued = keys.issue_key(actor=cast.actor("admin"), namespace="support", name="a", scope="read", person="author")
    fetcher, request = Fetcher(clock=clock), (f"Bearer {issued.secret}", f"{REPLY}@2")
    change = cast.propose(3)
    fetcher.answer(*request)
    fetcher.answer(*request)
    assert fetcher.cached(*request)
    if event == "decision":
        decisions.decide_on_change(
            actor=cast.actor("reviewer"), number=change.number, decision="approve", digest=versions[2].digest
        )
    elif event == "role":
        namespace_services.set_role(actor=cast.actor("admin"), namespace="support", username="author", role=None)
    else:
        keys.revoke_key(actor=cast.actor("admin"), key_id=issued.key.id)
    fetcher.follower.poll()
    assert fetcher.cached(*request) is None
    assert fetcher.answer(*request).status == {"decision": 200, "role": 404, "revocation": 401}[event]


def test_a_database_that_does_not_answer_is_reported_as_busy(cast, clock, versions):
    fetcher, key = Fetcher(clock=clock), f"Bearer {cast.key(scope='write')}"
    fetcher.answer(key, f"{REPLY}@2")
    clock.now += 2
    with connection.execute_wrapper(_fail):
        answer = fetcher.answer(key, f"{REPLY}@2")
    assert (answer.status, dict(answer.headers)["Retry-After"]) == (503, "1")
    assert fetcher.answer(key, f"{REPLY}@2").status == 200


def _fail(*_arguments: object) -> None:
    raise OperationalError("gone")


def test_another_journal_makes_every_process_forget(cast, clock, versions):
    fetcher, key = Fetcher(clock=clock), f"Bearer {cast.key(scope='write')}"
    fetcher.answer(key, f"{REPLY}@2")
    fetcher.follower.head = (fetcher.follower.head[0], "sha256:of another journal")
    clock.now += 1
    fetcher.answer(key, f"{REPLY}@production")
    assert fetcher._versions.find(f"{REPLY}@2") is None


def test_an_approval_opens_the_version_to_limited_keys(cast, clock, versions):
    fetcher, key = Fetcher(clock=clock), f"Bearer {cast.key(scope='read')}"
    assert fetcher.answer(key, f"{REPLY}@3").status == 403
    change = cast.propose(3)
    decisions.decide_on_change(
        actor=cast.actor("reviewer"), number=change.number, decision="approve", digest=versions[2].digest
    )
    clock.now += 1
    assert fetcher.answer(key, f"{REPLY}@3").status == 200
