"""One writer at a time."""

import subprocess
import threading
import time

import pytest
from django.db import connections

from registry.mirror import locks
from registry.mirror.errors import MirrorBusy

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def test_a_second_writer_is_refused(tmp_path):
    with (
        locks.hold_writer_lock(tmp_path / "lock"),
        pytest.raises(MirrorBusy),
        locks.hold_writer_lock(tmp_path / "lock"),
    ):
        pass


def test_the_lock_is_free_again_after_its_block(tmp_path):
    with locks.hold_writer_lock(tmp_path / "lock"):
        pass
    with locks.hold_writer_lock(tmp_path / "lock"):
        pass


def test_a_git_child_that_outlives_its_parent_keeps_the_lock(tmp_path):
    with locks.hold_writer_lock(tmp_path / "lock") as descriptor:
        child = subprocess.Popen(["sleep", "30"], pass_fds=[descriptor])
    try:
        with pytest.raises(MirrorBusy), locks.hold_writer_lock(tmp_path / "lock"):
            pass
    finally:
        child.kill()
        child.wait()
    with locks.hold_writer_lock(tmp_path / "lock"):
        pass


def test_a_waiting_process_continues_when_the_lock_is_released(tmp_path):
    with locks.hold_writer_lock(tmp_path / "lock") as descriptor:
        child = subprocess.Popen(["sleep", "0.5"], pass_fds=[descriptor])
    with locks.hold_writer_lock(tmp_path / "lock", wait=30):
        assert child.wait() == 0


@pytest.mark.postgres
def test_on_postgresql_the_lock_counts_for_other_machines_too(tmp_path):
    with (
        locks.hold_writer_lock(tmp_path / "here"),
        pytest.raises(MirrorBusy),
        locks.hold_writer_lock(tmp_path / "there"),
    ):
        pass


@pytest.mark.postgres
def test_on_postgresql_a_machine_waits_for_another_one(tmp_path):
    is_held = threading.Event()

    def write_there():
        with locks.hold_writer_lock(tmp_path / "there"):
            is_held.set()
            time.sleep(0.5)  # long enough that the other one requests the lock meanwhile
        connections.close_all()

    thread = threading.Thread(target=write_there)
    thread.start()
    assert is_held.wait(30)
    with pytest.raises(MirrorBusy), locks.hold_writer_lock(tmp_path / "here"):
        pass
    with locks.hold_writer_lock(tmp_path / "here", wait=30):
        pass
    thread.join()
