"""The data folder of the tests' PostgreSQL, and its removal after a killed run."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support import postgres_server
from tests.support.child_process import start_child

ROOT = Path(__file__).parents[3]

HOLD = """
import sys
from pathlib import Path
from tests.support.postgres_server import hold_folder
with hold_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def leftover(tmp_path: Path) -> Path:
    """The data of a run of long ago."""
    folder = Path(tempfile.mkdtemp(prefix="promptuary-postgres-data-", dir=tmp_path))
    (folder / "PG_VERSION").write_text("18")
    os.utime(folder, (0, 0))
    return folder


def test_it_is_in_memory_where_there_is_room_and_on_disk_otherwise(tmp_path):
    free = shutil.disk_usage(tmp_path).free
    disk = Path(tempfile.gettempdir())
    assert postgres_server.choose_parent(tmp_path, room=free // 2) == tmp_path
    assert postgres_server.choose_parent(tmp_path, room=free * 2) == disk
    assert postgres_server.choose_parent(tmp_path / "missing", room=0) == disk


def test_leftovers_of_a_killed_run_are_removed(tmp_path, leftover):
    postgres_server.remove_leftovers(tmp_path)
    assert not leftover.exists()


def test_the_folder_of_an_active_run_is_kept(tmp_path, leftover):
    with start_child(
        [sys.executable, "-c", HOLD, str(leftover)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        postgres_server.remove_leftovers(tmp_path)
        assert leftover.exists()
        child.kill()
        child.wait()
    postgres_server.remove_leftovers(tmp_path)
    assert not leftover.exists()


def test_a_folder_that_is_being_made_stays(tmp_path, leftover):
    os.utime(leftover)
    postgres_server.remove_leftovers(tmp_path)
    assert leftover.exists()


def test_the_command_ends_with_the_server_that_was_started_for_it():
    command = [sys.executable, "-c", "print('started', flush=True); input()"]
    with start_child(
        [sys.executable, "-m", "tests.support.postgres_server", *command],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"started\n"
        server.kill()
        assert server.stdout.read() == b"", "the end of the output: nobody holds it open"
