"""Files of metrics on a full disk."""

import errno
import os

import pytest
from prometheus_client import values

from registry.core.metric_files import ReservedFile


@pytest.fixture
def open_file(tmp_path):
    """Open the file of this test; it is closed afterwards."""
    files = []

    def open_file():
        files.append(ReservedFile(str(tmp_path / "counter_1.db")))
        return files[-1]

    yield open_file
    for file in files:
        file.close()


def write_values(file, count):
    for number in range(count):
        file.write_value(f"key {number}", float(number), 0.0)


def fill_disk(monkeypatch):
    def fail(_descriptor, _offset, _size):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", fail)


def test_the_server_uses_them():
    assert vars(values)["MmapedDict"] is ReservedFile


def test_a_file_has_its_room_from_the_beginning(open_file, tmp_path):
    open_file().write_value("key", 1.0, 0.0)
    status = (tmp_path / "counter_1.db").stat()
    assert status.st_blocks * 512 >= status.st_size == 65_536


def test_values_are_found_again_in_a_file_that_has_grown(open_file):
    write_values(open_file(), 4000)
    assert open_file().read_value("key 3999") == (3999.0, 0.0)


def test_a_process_that_begins_on_a_full_disk_counts_in_memory(open_file, tmp_path, monkeypatch):
    fill_disk(monkeypatch)
    file = open_file()
    write_values(file, 4000)
    assert file.read_value("key 3999") == (3999.0, 0.0)
    assert not list(tmp_path.iterdir())


def test_a_file_that_can_not_grow_is_continued_in_memory(open_file, tmp_path, monkeypatch):
    file = open_file()
    file.write_value("first", 1.0, 0.0)
    fill_disk(monkeypatch)
    write_values(file, 4000)
    assert (file.read_value("first"), file.read_value("key 3999")) == ((1.0, 0.0), (3999.0, 0.0))
    assert (tmp_path / "counter_1.db").stat().st_size == 65_536
