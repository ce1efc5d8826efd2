"""Work in a forked child: it prints to its parent's output, and its failure is the parent's."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BEGIN = r"""
import os, sys
from registry.forked_process import run_forked

def work():
    os.write(1, b"child\n")
    {work}

run_forked(work, meanwhile=lambda: os.write(1, b"parent\n"))
print("after", flush=True)
"""


def run(work: str) -> "subprocess.CompletedProcess[str]":
    """Run a separate program that forks, because this process has threads."""
    return subprocess.run(
        [sys.executable, "-c", BEGIN.format(work=work)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_work_is_waited_for():
    # The pause lets a parent that does not wait print first; the test then fails.
    ended = run("import time; time.sleep(0.3); os.write(1, b'worked\\n')")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert set(ended.stdout.split()) == {"child", "parent", "worked", "after"}
    assert ended.stdout.split()[-1] == "after"


@pytest.mark.parametrize(
    ("work", "code", "message"),
    [
        ("raise SystemExit('CommandError: no')", 1, "CommandError: no\n"),
        ("raise SystemExit(3)", 3, ""),
        ("raise KeyboardInterrupt", 130, ""),
        ("os.kill(os.getpid(), 9)", 137, ""),
    ],
)
def test_its_end_is_the_end_of_its_parent(work, code, message):
    ended = run(work)
    assert (ended.returncode, ended.stderr) == (code, message)
    assert "after" not in ended.stdout


def test_an_error_is_reported():
    ended = run("raise ValueError('what went wrong')")
    assert ended.returncode == 1
    assert ended.stderr.endswith("ValueError: what went wrong\n")


def test_a_setting_that_is_wrong_is_named_without_a_traceback():
    ended = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env={**os.environ, "PORT": "abc"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    message = "Error in the configuration: PORT is 'abc'; it must be a whole number from 1 to 65535.\n"
    assert (ended.returncode, ended.stderr) == (1, message)


def test_a_failed_migration_ends_the_start_with_a_message(tmp_path):
    (tmp_path / "registry.sqlite3").write_bytes(b"This is no database. " * 500)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ended = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env={
            **{name: value for name, value in os.environ.items() if name != "PROMPTUARY_DATABASE_URL"},
            "PROMPTUARY_HOME": str(tmp_path),
            "PROMPTUARY_DATABASE_URL": f"sqlite:///{tmp_path}/registry.sqlite3",
            "PORT": str(port),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode != 0
    assert "file is not a database" in ended.stderr
