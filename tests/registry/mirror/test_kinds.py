"""Every kind of event has a mirror format, a restore function and a wording."""

import inspect
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from django.db import transaction

from frontend.web import event_sentences
from registry import mirror
from registry.accounts.actor import Actor
from registry.journal import event, log, mirror_paths
from registry.journal.mirroring import CommitContent
from registry.journal.models import Event
from registry.namespaces.models import Membership
from registry.webhooks import messages
from tests.registry.mirror.test_restore import empty_the_database


def test_every_kind_of_event_implements_all_methods():
    assert [cls for cls in event.list_event_classes() if inspect.isabstract(cls)] == []


def test_no_two_classes_are_of_one_kind():
    (saved,) = (cls for cls in event.list_event_classes() if cls.kind == "version.saved")
    with pytest.raises(ValueError, match=r"two classes of the kind version\.saved"):
        event.event("version.saved")(type("Another", (event.JournalEvent,), {}))
    assert isinstance(saved, type)
    assert saved in event.list_event_classes()


def test_a_kind_is_described_in_words_even_one_of_a_newer_release():
    assert event.describe_kind("version.saved") == "Version saved"
    assert event.describe_kind("guest.was_welcomed") == "Guest was welcomed"


def test_an_event_of_a_newer_release_empties_the_caches_of_an_older_process():
    """Pretend that another machine was upgraded already."""
    assert event.find_invalidated_caches("guest.was_welcomed") is event.Cache.ALL_OF_FETCHES


def test_kinds_written_by_the_worker_are_distinguished():
    by_worker = event.list_worker_kinds()
    assert "verdict.given" in by_worker
    assert not {"version.saved", "label.moved", "change.decided"} & set(by_worker)
    assert set(by_worker) < set(event.list_kinds())


def test_a_reaction_to_an_act_of_the_worker_cannot_read_an_actor():
    occasion = event.Occasion(event=None)
    with pytest.raises(TypeError, match=r"A reaction needs Actor, not NoneType\."):
        occasion.author_as(Actor)
    with pytest.raises(TypeError, match=r"A reaction needs Membership, not NoneType\."):
        occasion.subject_as(Membership)


@pytest.fixture
def guest_welcomed():
    """An additional kind that no module of the product knows."""

    @event.event("guest.welcomed", caches=event.Cache.KEYS)
    @dataclass(frozen=True, kw_only=True)
    class GuestWelcomed(event.JournalEvent):
        guest: str

        def write_sentence(self):
            return f"welcomed {self.guest}"

        def commit(self, texts):
            path = mirror_paths.locate_other_event(texts.namespace, self.kind, texts.number)
            return CommitContent(f"{texts.namespace}: {self.guest} welcomed", {path: texts.record()})

        def restore(self, rows):
            member = {"namespace": rows.namespace, "person": rows.ensure_person(self.guest)}
            rows.update_or_create("Membership", member, {"role": "reader"})

    yield GuestWelcomed
    del event._classes["guest.welcomed"]


def test_a_kind_that_no_table_names_is_written_described_sent_received_and_restored(
    guest_welcomed, cast, support, mirror_path
):
    actor, at = cast["admin"], datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    with transaction.atomic():
        row = log.append(actor, guest_welcomed(guest="visitor"), namespace=support, at=at)
    assert event_sentences.describe_event(row, may_manage=False).sentence == "welcomed visitor"
    assert '"details":{"guest":"visitor"}' in messages.build_event_message(row)
    assert event.find_invalidated_caches(row.kind) is event.Cache.KEYS
    mirror.catch_up()
    assert mirror.verify() == []
    with transaction.atomic():
        empty_the_database()
    mirror.restore(mirror_path)
    assert Membership.objects.get(person__username="visitor").role == "reader"
    assert Event.objects.latest("number").hash == row.hash
