"""Appending to the journal: numbers, hashes, transactions and canonical JSON."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from django.db import transaction

from registry.journal import log
from registry.journal.event import JournalEvent, to_microseconds
from registry.journal.mirroring import CommitContent, Restorer, Texts
from registry.journal.models import Event

pytestmark = pytest.mark.dialect

AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Made(JournalEvent):
    kind = "test.made"
    a: str | None = None
    b: float | None = None

    def commit(self, texts: Texts) -> CommitContent:
        return CommitContent("made", {})

    def restore(self, rows: Restorer) -> None:
        """It has no rows."""


def append(actor, **facts):
    with transaction.atomic():
        return log.append(actor, Made(**facts), namespace=None, at=AT)


def test_the_first_event_follows_nothing(operator):
    event = append(operator, b=1, a="ü")
    assert event.number == 1
    assert event.text == (
        '{"at":1767323045678901,"body":{"a":"ü","b":1},"key":null,"kind":"test.made","namespace":null,"number":1,'
        '"person":"operator","previous":null}'
    )
    assert event.hash == "sha256:" + hashlib.sha256(event.text.encode()).hexdigest()


def test_each_event_seals_the_one_before(operator):
    first, second = append(operator), append(operator)
    assert (second.number, json.loads(second.text)["previous"]) == (2, first.hash)


def test_a_write_that_fails_leaves_no_number_behind(operator):
    with transaction.atomic():
        log.append(operator, Made(), namespace=None, at=AT)
        transaction.set_rollback(True)
    assert append(operator).number == 1


def test_nothing_is_appended_outside_a_transaction(transactional_db):
    with pytest.raises(transaction.TransactionManagementError):
        log.lock()


def test_columns_repeat_what_the_text_says(author, admin, support):
    events = list(Event.objects.order_by("number"))
    for event in events:
        facts = json.loads(event.text)
        columns = (event.number, event.at, event.kind, event.person, event.namespace)
        assert columns == tuple(facts[name] for name in ("number", "at", "kind", "person", "namespace"))
    assert [event.number for event in events] == list(range(1, len(events) + 1))


def test_what_json_can_not_say_exactly_is_refused(operator):
    with pytest.raises(ValueError, match="not representable"):
        append(operator, b=float("nan"))


def test_moments_are_whole_microseconds():
    assert to_microseconds(datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=UTC)) == 1_000_001
    assert to_microseconds(datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == 253402300799999999


def test_subscribers_wake_after_commit(operator, django_capture_on_commit_callbacks):
    woken = []
    log.subscribe(lambda: woken.append(1))
    try:
        with django_capture_on_commit_callbacks(execute=True):
            append(operator)
            assert woken == []
        assert woken == [1]
    finally:
        log._subscribers.pop()
