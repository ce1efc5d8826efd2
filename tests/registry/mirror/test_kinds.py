"""No kind of event lacks a form in the mirror, a way to be restored, or words."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from django.db import transaction

from frontend.web import event_sentences
from registry import mirror
from registry.journal import event, log, mirror_paths
from registry.journal.mirroring import CommitContent
from registry.journal.models import Event
from registry.namespaces.models import Membership
from registry.webhooks import messages
from tests.registry.mirror.test_restore import empty_the_database


@pytest.mark.parametrize("name", ["commit", "restore", "sentence"])
def test_every_kind_of_event_has_it(name):
    assert [cls for cls in event.event_classes() if getattr(cls, name) is getattr(event.JournalEvent, name)] == []


@pytest.fixture
def guest_welcomed():
    """A kind of its own, which no module of the product names."""

    @event.event("guest.welcomed", caches=event.Cache.KEYS)
    @dataclass(frozen=True, kw_only=True)
    class GuestWelcomed(event.JournalEvent):
        guest: str

        def sentence(self):
            return f"welcomed {self.guest}"

        def commit(self, texts):
            path = mirror_paths.other(texts.namespace, self.kind, texts.number)
            return CommitContent(f"{texts.namespace}: {self.guest} welcomed", {path: texts.record()})

        def restore(self, rows):
            member = {"namespace": rows.namespace, "person": rows.person(self.guest)}
            rows.update_or_create("Membership", member, {"role": "reader"})

    yield GuestWelcomed
    del event._classes["guest.welcomed"]


def test_a_kind_that_no_table_names_is_written_told_sent_heard_and_restored(guest_welcomed, cast, support, mirror_path):
    actor, at = cast["admin"], datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    with transaction.atomic():
        row = log.append(actor, guest_welcomed(guest="visitor"), namespace=support, at=at)
    assert event_sentences.describe_event(row, may_manage=False).sentence == "welcomed visitor"
    assert '"details":{"guest":"visitor"}' in messages.event_message(row)
    assert event.caches_of(row.kind) is event.Cache.KEYS
    mirror.catch_up()
    assert mirror.verify() == []
    with transaction.atomic():
        empty_the_database()
    mirror.restore(mirror_path)
    assert Membership.objects.get(person__username="visitor").role == "reader"
    assert Event.objects.latest("number").hash == row.hash
