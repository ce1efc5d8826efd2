"""Catching up: from the journal to commits."""

import json
import shutil

import pytest

from registry import mirror
from registry.audit.verification import read_event
from registry.journal import mirror_paths
from registry.journal.event import format_canonical_json
from registry.journal.models import Commit, Event
from registry.mirror import writer
from registry.mirror.repository import Repository

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def test_every_event_becomes_one_commit_of_main(support, mirror_path):
    mirror.catch_up()
    commits = list(Repository(mirror_path).list_commits(mirror_paths.MAIN))
    assert len(commits) == Event.objects.count() == 5


def test_the_commit_of_each_event_is_noted_in_the_database(support, mirror_path):
    mirror.catch_up()
    found = [sha for sha, _ in Repository(mirror_path).list_commits(mirror_paths.MAIN)]
    assert list(Commit.objects.order_by("event_id").values_list("sha", flat=True)) == found


def test_a_second_time_there_is_nothing_to_do(support):
    assert mirror.catch_up() == 5
    assert mirror.catch_up() == 0


def test_the_mirror_is_what_the_journal_says(support):
    mirror.catch_up()
    assert mirror.verify() == []


def test_members_are_readable_files(support, mirror_path):
    mirror.catch_up()
    repository = Repository(mirror_path)
    head = repository.list_heads()[mirror_paths.MAIN].commit
    assert repository.read_file(head, ".promptuary/support/members/author.yml") == b"person: author\nrole: author\n"


def test_an_event_of_a_newer_release_is_kept_as_it_is(support, operator, mirror_path):
    """The database was written by a release with more kinds; the mirror still contains its event."""
    number = add_event("guest.welcomed", {"guest": "visitor"})
    mirror.catch_up()
    repository = Repository(mirror_path)
    head = repository.list_heads()[mirror_paths.MAIN]
    assert head.message.startswith("support: guest.welcomed\n")
    written = repository.read_file(head.commit, f".promptuary/support/events/{number:08d}-guest%2ewelcomed.yml")
    assert b"guest: visitor\n" in written
    assert mirror.verify() == []


def test_an_event_that_lacks_a_field_is_named_and_those_before_it_are_mirrored_later(support, mirror_path):
    number = add_event("member.set", {"role": "reader"})
    with pytest.raises(mirror.MirrorError, match=rf"Event {number} \(member\.set\) can't be read: .*'person'"):
        mirror.catch_up()
    assert mirror.read_status().mirrored == 0


def test_all_events_are_pending_without_a_mirror(support, mirror_path):
    assert writer.count_pending() == 5
    mirror.catch_up()
    assert writer.count_pending() == 0


def test_a_commit_is_known_by_its_id(support, mirror_path):
    mirror.catch_up()
    head = Repository(mirror_path).list_heads()[mirror_paths.MAIN].commit
    assert str(Commit.objects.latest("event_id")) == head


def test_a_mirror_that_was_lost_is_written_again_and_so_are_the_ids_of_its_commits(support, mirror_path):
    mirror.catch_up()
    Commit.objects.filter(event_id__gt=1).update(sha="0" * 40)  # as if that mirror had been another one
    shutil.rmtree(mirror_path)
    assert writer.count_pending() == mirror.catch_up() == 5
    found = [sha for sha, _ in Repository(mirror_path).list_commits(mirror_paths.MAIN)]
    assert list(Commit.objects.order_by("event_id").values_list("sha", flat=True)) == found


def add_event(kind, body):
    """Append an event as another release may have done; return its number."""
    last = Event.objects.latest("number")
    facts = {
        **json.loads(last.text), "kind": kind, "body": body, "number": last.number + 1, "previous": last.hash,
    }  # fmt: skip
    event = read_event(format_canonical_json(facts))
    event.save(force_insert=True)
    return event.number
