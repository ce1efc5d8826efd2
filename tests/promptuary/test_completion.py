"""Shell completion, requested as a shell does."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from promptuary.commands.completion import complete_name
from promptuary.lockfile import Locked, write_lock

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that was pulled into, without a registry."""
    monkeypatch.chdir(tmp_path)
    for name in ("PROMPTUARY_URL", "PROMPTUARY_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".promptuary").mkdir()
    (tmp_path / "support").mkdir()
    (tmp_path / "support/reply.yml.j2").write_text("")
    write_lock("promptuary.lock", {"support/summary": Locked("production", 1, "sha256:" + "0" * 64)})
    return tmp_path


def test_names_come_from_the_folder_and_the_lock_file(folder):
    assert complete_name("supp") == ["support/reply", "support/summary"]
    assert complete_name("support/s") == ["support/summary"]
    assert complete_name("x") == []


def test_a_registry_that_does_not_answer_costs_a_second_at_most(folder, monkeypatch):
    monkeypatch.setenv("PROMPTUARY_URL", "http://10.255.255.1")
    monkeypatch.setenv("PROMPTUARY_KEY", "key")
    started = time.monotonic()
    assert complete_name("support/r") == ["support/reply"]
    assert time.monotonic() - started < 20  # minutes without a limit


@pytest.mark.parametrize(
    ("line", "offered"),
    [("promptuary log supp", "support/reply"), ("promptuary ven", "vendor"), ("promptuary diff s", "support/summary")],
)
def test_the_shell_is_reported(folder, line, offered):
    words = line.split()
    environment = {"_PROMPTUARY_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "promptuary"],
        env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert offered in done.stdout.split(), done.stderr
