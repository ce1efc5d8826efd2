"""The copies on disk: a cold start without a network."""

import json
import os

import pytest

from promptuary import DigestMismatch, Unavailable
from tests.promptuary.conftest import DOCUMENT, NAME, OTHER


def test_a_new_process_starts_without_the_registry(world, tmp_path):
    world.client(cache_dir=tmp_path).get(NAME)
    world.registry.down = True
    fetched = world.client(cache_dir=tmp_path).fetch(NAME)
    assert (fetched.version, fetched.stale, fetched.age) == (1, True, None)


def test_a_pin_on_disk_is_not_asked_for_and_not_stale(world, tmp_path):
    world.client(cache_dir=tmp_path).get(NAME, 2)
    request_count = world.request_count
    fetched = world.client(cache_dir=tmp_path).fetch(NAME, 2)
    assert (fetched.source, fetched.stale, world.request_count) == ("disk", False, request_count)


def test_a_label_on_disk_is_confirmed_first(world, tmp_path):
    world.client(cache_dir=tmp_path).get(NAME)
    world.registry.move(NAME, "production", 2)
    assert world.client(cache_dir=tmp_path).get(NAME).document.text == OTHER


def test_an_altered_file_is_an_error_that_names_it(world, tmp_path):
    world.client(cache_dir=tmp_path).get(NAME, 1)
    path = next(tmp_path.rglob("@1.json"))
    path.write_bytes(path.read_bytes().replace(b"question", b"querstion"))
    with pytest.raises(DigestMismatch, match=path.name):
        world.client(cache_dir=tmp_path).get(NAME, 1)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"etag": "x"}\n', b"\xff\n{}", b"[]\n[]"])
def test_a_file_that_cannot_be_read_is_fetched_again(world, tmp_path, content, caplog):
    world.client(cache_dir=tmp_path).get(NAME, 1)
    next(tmp_path.rglob("@1.json")).write_bytes(content)
    assert world.client(cache_dir=tmp_path).get(NAME, 1).document.text == DOCUMENT
    assert "cannot be used" in caplog.text


def test_a_folder_that_cannot_be_written_costs_the_copy_only(world, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    client = world.client(cache_dir=tmp_path / "file")
    assert (client.get(NAME).version, client.get(NAME, 2).version) == (1, 2)
    told = [record.getMessage() for record in caplog.records if "cannot be kept" in record.getMessage()]
    assert len(told) == 1
    assert str(tmp_path / "file") in told[0]


def test_two_registries_do_not_share_their_copies(world, tmp_path):
    world.client(cache_dir=tmp_path).get(NAME, 1)
    world.registry.down = True
    other = world.client(cache_dir=tmp_path)
    other._state.disk.folder = tmp_path / "another"
    with pytest.raises(Unavailable):
        other.get(NAME, 1)


def test_a_copy_holds_the_registrys_own_bytes(world, tmp_path):
    world.client(cache_dir=tmp_path).get(NAME, 1)
    head, _, body = next(tmp_path.rglob("@1.json")).read_bytes().partition(b"\n")
    assert json.loads(head)["etag"].startswith('"sha256:')
    assert json.loads(body)["document"] == DOCUMENT
    assert not list(tmp_path.rglob("*.new"))


def modes_below(folder):
    return {path.stat().st_mode & 0o777 for path in folder.rglob("*")}


def test_the_copies_are_their_owners_only_with_any_umask(world, tmp_path):
    before = os.umask(0o000)
    try:
        world.client(cache_dir=tmp_path / "new" / "cache").get(NAME, 1)
    finally:
        os.umask(before)
    assert modes_below(tmp_path) == {0o700, 0o600}


def test_a_folder_that_an_earlier_version_left_open_is_closed(world, tmp_path):
    world.client(cache_dir=tmp_path).get(NAME, 1)
    folder = next(tmp_path.iterdir())
    folder.chmod(0o755)
    world.client(cache_dir=tmp_path).get(NAME, 2)
    assert folder.stat().st_mode & 0o777 == 0o700
