"""Many processes may request a mirror update; one at a time writes it."""

import itertools
import shutil
import threading

import pytest
from django.db import connections

from registry import mirror
from registry.accounts import actor
from registry.journal import mirror_paths
from registry.journal.models import Commit, Event
from registry.mirror import fill, locks, writer
from registry.mirror.repository import Repository
from registry.namespaces import services

pytestmark = pytest.mark.dialect

ROUNDS = 8


def test_writers_at_the_same_time_write_each_event_once_and_in_order(transactional_db, settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    actor.build_operator_actor()
    faults = []

    def work(number):
        try:
            for count in range(ROUNDS):
                services.create_namespace(actor=actor.build_operator_actor(), name=f"ns{number}-{count}")
                mirror.catch_up()
        except Exception as error:  # noqa: BLE001  # shown by the test's own thread
            faults.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert mirror.read_status().behind == 0
    assert (
        len(list(Repository(settings.MIRROR_PATH).list_commits(mirror_paths.MAIN)))
        == Event.objects.count()
        == 4 * ROUNDS
    )
    assert Commit.objects.count() == 4 * ROUNDS
    assert mirror.verify() == []


@pytest.mark.django_db
def test_a_second_writer_leaves_the_work_to_the_first(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    services.create_namespace(actor=actor.build_operator_actor(), name="support")
    with locks.hold_writer_lock(fill.lock_path()):
        assert mirror.catch_up() == 0
    assert mirror.catch_up() == 1


@pytest.fixture
def namespace(db, settings, tmp_path):
    """A mirror that is up to a journal of one event."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    made = services.create_namespace(actor=actor.build_operator_actor(), name="support")
    mirror.catch_up()
    return made


def make_namespaces(*names):
    for name in names:
        services.create_namespace(actor=actor.build_operator_actor(), name=name)


def test_an_event_that_comes_while_the_writer_ends_is_written_by_it(namespace, monkeypatch):
    """The process that appended it found the writer running and left the work to it."""
    counted = Repository.count_packs

    def append_meanwhile(repository):
        if Event.objects.count() == 2:
            make_namespaces("late")
            assert writer.count_pending() == 1
        return counted(repository)

    monkeypatch.setattr(Repository, "count_packs", append_meanwhile)
    make_namespaces("early")
    assert mirror.catch_up() == 2
    assert mirror.read_status().behind == 0


def test_locks_of_a_killed_git_are_removed_and_reported(namespace, settings, caplog):
    (settings.MIRROR_PATH / "HEAD.lock").touch()
    make_namespaces("next")
    assert mirror.catch_up() == 1
    assert "removed HEAD.lock, left in the mirror by a killed git process" in caplog.text


def test_many_packs_become_few(namespace, settings, monkeypatch):
    """Git keeps what an import of a hundred objects or more wrote as a pack."""
    monkeypatch.setattr(writer, "_MANY_PACKS", 2)
    counts = []
    for batch in range(3):
        make_namespaces(*(f"ns{batch}-{number}" for number in range(fill.BATCH)))
        mirror.catch_up()
        counts.append(Repository(settings.MIRROR_PATH).count_packs())
    assert counts == [1, 2, 1]
    assert mirror.verify() == []


def test_the_upkeep_packs_what_is_there_and_makes_nothing_where_nothing_is(namespace, settings):
    repository = Repository(settings.MIRROR_PATH)
    for number in range(3):
        make_namespaces(f"ns{number}")
        mirror.catch_up()
    writer.repack_batches()
    assert repository.count_packs() == 1
    shutil.rmtree(settings.MIRROR_PATH)
    writer.repack_batches()
    assert not repository.exists


def test_the_upkeep_s_check_fails_with_what_it_finds(namespace, settings):
    writer.check_mirror()
    (settings.MIRROR_PATH / "refs/heads/stray").write_text(f"{mirror.read_status().head}\n")
    with pytest.raises(mirror.MirrorError, match="refs/heads/stray is not a ref that Promptuary made"):
        writer.check_mirror()


@pytest.fixture
def saves(namespace, monkeypatch):
    """Save after each time that a comparison has read the branches; a list of whether the mirror was locked then."""
    walk_history, locked, numbers = Repository.walk_history, [], itertools.count()

    def save_and_walk_history(repository, commit):
        try:
            with locks.hold_writer_lock(fill.lock_path()):
                locked.append(False)
        except mirror.MirrorBusy:
            locked.append(True)
        make_namespaces(f"late-{next(numbers)}")
        return walk_history(repository, commit)

    writer.catch_up()
    monkeypatch.setattr(Repository, "walk_history", save_and_walk_history)
    return locked


def test_what_is_saved_during_a_check_is_no_fault(saves):
    assert "not mirrored yet" in mirror.verify()[0]
    saves.clear()
    writer.check_mirror()
    assert saves == [False, True]  # looked again while nobody could write


def test_an_object_that_was_packed_during_a_check_is_no_fault(namespace, monkeypatch):
    writer.catch_up()
    answers = [["missing blob 1234"], []]
    monkeypatch.setattr(Repository, "check_objects", lambda repository: answers.pop(0))
    writer.check_mirror()
    assert answers == []


def test_a_fault_of_a_mirror_that_cannot_be_written_is_found(namespace, monkeypatch):
    writer.catch_up()
    monkeypatch.setattr(Repository, "check_objects", lambda repository: ["missing blob 1234"])

    def fail(descriptor):
        raise mirror.GitFailed("git ended with status 128")

    monkeypatch.setattr(writer, "_write_pending", fail)
    with pytest.raises(mirror.MirrorError, match="missing blob 1234"):
        writer.check_mirror()
