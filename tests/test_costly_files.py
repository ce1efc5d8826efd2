"""The list of test files that `make test` leaves out."""

from pathlib import Path

import pytest

from tests.support import costly_files

pytest_plugins = ["pytester"]
TESTS = """
import pytest

@pytest.mark.parametrize("rounds", [1, 1, 1, {rounds}])
def test_it(rounds):
    import time
    end = time.process_time() + 0.2 * rounds
    while time.process_time() < end:
        pass
"""


def test_every_file_of_the_list_is_there_once():
    lines = costly_files.LIST.read_text().splitlines()
    assert lines == sorted(set(lines))
    assert [line for line in lines if not (costly_files.ROOT / line).is_file()] == []


def test_no_file_that_always_runs_is_on_the_list():
    assert costly_files.ALWAYS & costly_files.read_costly_files() == set()
    assert [path for path in costly_files.ALWAYS if not (costly_files.ROOT / path).is_file()] == []


@pytest.mark.slow
def test_files_whose_tests_take_long_are_listed_and_quick_ones_are_not(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(costly_files, "LIST", tmp_path / "list.txt")
    monkeypatch.setattr(costly_files, "ROOT", tmp_path)
    pytester.makepyfile(test_quick=TESTS.format(rounds=0).replace("0.2", "0.01"), test_costly=TESTS.format(rounds=2))
    result = pytester.inline_run("-p", "no:django", plugins=[costly_files])
    result.assertoutcome(passed=8)
    assert (tmp_path / "list.txt").read_text() == "test_costly.py\n"
