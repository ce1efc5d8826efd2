"""Files that a person named are replaced whole, and a write that fails names the file and keeps the old one."""

import os
from pathlib import Path

import pytest

from promptuary.evaluation import EvaluationResult
from promptuary.evaluation.reports import Report
from promptuary.evaluation.results import Recorder
from promptuary.lockfile import Locked, read_lock, write_lock
from promptuary.renderer.files import save_file, write_atomically
from promptuary.vendored import write_vendored
from tests.support.failing_calls import limit_file_size

LOCKED = {"support/a": Locked("production", 1, "sha256:" + "0" * 64)}


def save_result(path):
    with Recorder({}, blind=True) as recorder:
        recorder.add({"inputs": {"text": "x" * 200}, "errors": []}, 0)
        result = recorder.finish()
    assert isinstance(result, EvaluationResult)
    with limit_file_size(100):
        result.save(path)


def on_full_disk(write):
    def write_on_full_disk(path):
        with limit_file_size(100):
            write(path)

    return write_on_full_disk


WRITERS = {
    "save_file": on_full_disk(lambda path: save_file(path, b"x" * 200)),
    "write_atomically": on_full_disk(lambda path: write_atomically(path, b"x" * 200)),
    "lock": on_full_disk(lambda path: write_lock(path, LOCKED)),
    "vendor": on_full_disk(lambda path: write_vendored(path, [{"name": "a" * 200, "ref": "1"}])),
    "report": on_full_disk(lambda path: Report({"score": ["x" * 200]}).save(path.with_suffix(".json"))),
    "rows": on_full_disk(lambda path: Report({"score": ["x" * 200]}).save(path.with_suffix(".csv"))),
    "result": save_result,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_write_that_fails_names_the_file_and_keeps_the_old_one(tmp_path, name):
    for suffix in ("", ".json", ".csv"):
        (tmp_path / f"kept{suffix}").write_text("old")
    with pytest.raises(OSError, match=str(tmp_path / "kept")):
        WRITERS[name](tmp_path / "kept")
    assert {path.read_text() for path in tmp_path.iterdir()} == {"old"}
    assert len(list(tmp_path.iterdir())) == 3


def test_a_new_file_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match=r"new\.lock"), limit_file_size(100):
        write_lock(tmp_path / "new.lock", LOCKED)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named_with_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing/file"):
        save_file(tmp_path / "missing" / "file", b"")


def test_links_permissions_and_pipes_stay(tmp_path):
    kept, link = tmp_path / "kept", tmp_path / "link"
    kept.touch()
    kept.chmod(0o640)
    link.symlink_to(kept)
    write_lock(link, LOCKED)
    assert link.is_symlink()
    assert read_lock(kept) == LOCKED
    assert kept.stat().st_mode & 0o777 == 0o640
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as pipe:
        with os.fdopen(writer, "wb"):
            save_file(Path(f"/dev/fd/{writer}"), b"text")
        assert pipe.read() == b"text"
