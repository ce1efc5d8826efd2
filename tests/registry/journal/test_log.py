"""Appending to the journal: numbers, hashes, transactions and canonical JSON."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction

from promptuary.renderer.validation import secrets
from registry.core import failpoints
from registry.core.errors import Invalid
from registry.journal import log
from registry.journal.event import JournalEvent, from_microseconds, to_microseconds
from registry.journal.mirroring import CommitContent, Restorer, Texts
from registry.journal.models import Event

pytestmark = pytest.mark.dialect

AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Made(JournalEvent):
    kind = "test.made"
    a: str | None = None
    b: float | None = None
    c: dict[str, Any] | None = None

    def write_sentence(self) -> str:
        return "made it"

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


def test_a_value_without_an_exact_json_form_is_refused(operator):
    with pytest.raises(ValueError, match="not representable"):
        append(operator, b=float("nan"))


@pytest.mark.parametrize("facts", [{"a": "Look:\n{}"}, {"c": {"deep": [1, {"er": "x\n{}"}]}}, {"c": {"x\n{}": None}}])
def test_an_event_with_a_credential_is_refused(operator, facts):
    """The last look: services look at what they name before they append."""
    key = "AKIA" + "QWERTYUIOPASDFGH"
    data = json.loads(json.dumps(facts).replace("{}", key))
    (field,) = facts
    with pytest.raises(Invalid) as refused:
        append(operator, **data)
    assert refused.value.fields[field].startswith("line 2 looks like an AWS access key.")
    assert key not in str(refused.value.fields)
    assert not Event.objects.exists()


def test_text_that_only_looks_like_a_credential_is_kept(operator):
    text = "api_key: 9f8A7b6C5d4E3f2A1b0C"
    assert [secret.sure for secret in secrets.find_secrets(text)] == [False]
    assert append(operator, a=text).text.count(text) == 1


def test_an_append_passes_both_places_where_a_test_may_kill(operator, monkeypatch):
    monkeypatch.setattr(failpoints, "armed", None)
    for point in ("journal.appending", "journal.appended"):
        failpoints.arm(f"{point}:3")
        append(operator)
        assert failpoints.armed == (point, 2)


def test_an_event_says_in_short_what_it_is(operator):
    assert str(append(operator)) == "event 1: test.made"


def test_moments_are_whole_microseconds():
    assert to_microseconds(datetime(1970, 1, 1, 0, 0, 1, 1, tzinfo=UTC)) == 1_000_001
    assert to_microseconds(datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == 253402300799999999
    assert from_microseconds(to_microseconds(AT)) == AT


def test_subscribers_wake_after_commit(operator, django_capture_on_commit_callbacks):
    woken = []

    def wake():
        woken.append(1)

    log.subscribe(wake)
    log.subscribe(wake)  # who asks twice is woken once
    try:
        with django_capture_on_commit_callbacks(execute=True):
            append(operator)
            assert woken == []
        assert woken == [1]
    finally:
        log._subscribers.pop()
