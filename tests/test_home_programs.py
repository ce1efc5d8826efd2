"""Programs for a home run one after the other in one process."""

import subprocess
from pathlib import Path

import pytest

from tests.support.home_programs import HomePrograms


@pytest.fixture
def programs(tmp_path):
    made = HomePrograms(tmp_path)
    yield made
    made.close()


def write_program(folder: Path, code: str) -> str:
    path = folder / "program.py"
    path.write_text(code, encoding="utf-8")
    return str(path)


def test_a_program_has_its_arguments_and_the_home(programs, tmp_path):
    program = write_program(tmp_path, "import os, sys; print(sys.argv[1:], os.environ['PROMPTUARY_HOME'], __name__)")
    assert programs.run(program, ["one"], 60) == f"['one'] {tmp_path} __main__\n"
    assert programs.run(program, [], 60) == f"[] {tmp_path} __main__\n"


def test_programs_share_the_process_and_no_variable(programs, tmp_path):
    program = write_program(tmp_path, "import os; print(os.getpid(), 'mine' in globals()); mine = 1")
    assert programs.run(program, [], 60) == programs.run(program, [], 60)


def test_what_a_child_process_prints_is_left_out(programs, tmp_path):
    program = write_program(
        tmp_path, "import subprocess; subprocess.run(['echo', 'aside'], check=True); print('answer')"
    )
    assert programs.run(program, [], 60) == "answer\n"


@pytest.mark.parametrize(
    ("code", "reason"), [("raise ValueError('It broke.')", "It broke."), ("import sys; sys.exit(3)", "3")]
)
def test_a_failing_program_raises_its_error_and_the_next_one_runs(programs, tmp_path, code, reason):
    with pytest.raises(AssertionError, match=reason):
        programs.run(write_program(tmp_path, code), [], 60)
    assert programs.run(write_program(tmp_path, "print('again')"), [], 60) == "again\n"


def test_a_program_that_takes_too_long_is_killed(programs, tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        programs.run(write_program(tmp_path, "import signal; signal.pause()"), [], 0.5)
