"""Many processes may ask for the mirror to be written; one at a time does it."""

import threading

import pytest
from django.db import connections

from registry import mirror
from registry.accounts import actor
from registry.journal import mirror_paths
from registry.journal.models import Commit, Event
from registry.mirror import fill, locks
from registry.mirror.repository import Repository
from registry.namespaces import services

pytestmark = pytest.mark.dialect

ROUNDS = 8


def test_writers_at_once_write_each_event_once_and_in_order(transactional_db, settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    actor.operator_actor()
    faults = []

    def work(number):
        try:
            for count in range(ROUNDS):
                services.create_namespace(actor=actor.operator_actor(), name=f"ns{number}-{count}")
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
    assert mirror.status().behind == 0
    assert len(list(Repository(settings.MIRROR_PATH).commits(mirror_paths.MAIN))) == Event.objects.count() == 4 * ROUNDS
    assert Commit.objects.count() == 4 * ROUNDS
    assert mirror.verify() == []


@pytest.mark.django_db
def test_who_finds_a_writer_at_work_leaves_it_the_work(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    services.create_namespace(actor=actor.operator_actor(), name="support")
    with locks.hold(fill.lock_path()):
        assert mirror.catch_up() == 0
    assert mirror.catch_up() == 1
