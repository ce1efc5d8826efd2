"""The Makefile: each variable has one value, and each command of the checks can be started."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAKEFILE = ROOT / "Makefile"
MARK_OF_AN_ENGINE = re.compile(r"mark\.(dialect|sqlite|postgres)\b")
ASSIGNMENT = re.compile(r"^(\w+) *[:?]?= ?", re.MULTILINE)

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def test_no_variable_is_assigned_twice() -> None:
    counts = Counter(ASSIGNMENT.findall(MAKEFILE.read_text()))
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("target", ["test", "test-all", "browser"])
def test_the_commands_of_the_tests_start_python_or_npm(target: str) -> None:
    printed = subprocess.run(
        ["make", "--no-print-directory", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    commands = [line for line in printed.splitlines() if "pytest" in line]
    assert commands
    for command in commands:
        assert command.split()[:2] == [".venv/bin/python", "-m"], command


def test_each_folder_of_tests_is_run_by_the_checks() -> None:
    named = set(re.findall(r"tests/\w+", MAKEFILE.read_text()))
    folders = {path.relative_to(ROOT).parts[1] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert {f"tests/{folder}" for folder in folders} - named == set()


def test_the_marks_of_an_engine_stand_where_the_checks_look_for_them() -> None:
    marked = [path for path in (ROOT / "tests").rglob("*.py") if MARK_OF_AN_ENGINE.search(path.read_text())]
    assert marked
    assert [path for path in marked if not path.name.startswith("test_")] == []
