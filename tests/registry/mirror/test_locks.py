"""One writer at a time."""

import subprocess

import pytest

from registry.mirror import locks
from registry.mirror.errors import MirrorBusy

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def test_a_second_writer_is_told_that_one_is_at_work(tmp_path):
    with locks.hold(tmp_path / "lock"), pytest.raises(MirrorBusy), locks.hold(tmp_path / "lock"):
        pass


def test_the_lock_is_free_again_after_its_block(tmp_path):
    with locks.hold(tmp_path / "lock"):
        pass
    with locks.hold(tmp_path / "lock"):
        pass


def test_a_git_child_that_outlives_its_parent_keeps_the_lock(tmp_path):
    with locks.hold(tmp_path / "lock") as descriptor:
        child = subprocess.Popen(["sleep", "30"], pass_fds=[descriptor])
    try:
        with pytest.raises(MirrorBusy), locks.hold(tmp_path / "lock"):
            pass
    finally:
        child.kill()
        child.wait()
    with locks.hold(tmp_path / "lock"):
        pass


@pytest.mark.postgres
def test_on_postgresql_the_lock_counts_for_other_machines_too(tmp_path):
    with locks.hold(tmp_path / "here"), pytest.raises(MirrorBusy), locks.hold(tmp_path / "there"):
        pass
