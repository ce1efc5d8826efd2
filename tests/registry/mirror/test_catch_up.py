"""Catching up: journal in, commits out."""

import pytest

from registry import mirror
from registry.journal import mirror_paths
from registry.journal.models import Commit, Event
from registry.mirror.repository import Repository

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def test_every_event_becomes_one_commit_of_main(support, mirror_path):
    mirror.catch_up()
    commits = list(Repository(mirror_path).commits(mirror_paths.MAIN))
    assert len(commits) == Event.objects.count() == 5


def test_the_commit_of_each_event_is_noted_in_the_database(support, mirror_path):
    mirror.catch_up()
    found = [sha for sha, _ in Repository(mirror_path).commits(mirror_paths.MAIN)]
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
    head = repository.heads()[mirror_paths.MAIN].commit
    assert repository.file(head, ".promptuary/support/members/author.yml") == b"person: author\nrole: author\n"
