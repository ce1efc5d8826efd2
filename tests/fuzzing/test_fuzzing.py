"""Generated inputs for what reads text from outside: no error that isn't declared, no law broken, no endless work.

20 seconds for each target, a minute and a half in each round of `make torture`. The inputs follow from the commit.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from promptuary.renderer.problems import Edit, Fix, Problem
from registry.core.parent_death import end_with_parent
from tests.fuzzing.targets import INSTRUMENTED
from tests.fuzzing.targets.diff import read_comparison
from tests.fuzzing.text import check_places
from tests.support.commit_seed import read_commit_seed
from tests.support.examples import run_size

pytest.importorskip("atheris", reason="atheris has no wheel for this system")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SECONDS = run_size(20, torture=90)
MIN_INPUTS = 100  # inputs; fewer aren't a useful test
PLANTED = """
import pathlib
from tests.fuzzing.driver import fuzz
def try_input(data):
    assert b"{%" not in data
fuzz(try_input, pathlib.Path("{folder}"), 7, 0, 10_000)
"""


def run_python(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """The result of Python with these arguments, with what it printed."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        preexec_fn=end_with_parent,  # no process outlives a killed test run
    )


@pytest.mark.parametrize("target", INSTRUMENTED)
def test_no_input_fails(target, tmp_path, record_property):
    options = ("--seed", str(read_commit_seed()), "--seconds", str(SECONDS), "--folder", str(tmp_path))
    done = run_python("-m", "tests.fuzzing.driver", target, *options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    inputs = int(re.search(r"number_of_executed_units: (\d+)", done.stderr).group(1))
    assert inputs > MIN_INPUTS
    record_property("inputs", inputs)


def test_an_input_that_fails_is_found_and_kept(tmp_path):
    done = run_python("-c", PLANTED.replace("{folder}", str(tmp_path)))
    assert done.returncode != 0
    assert "AssertionError" in done.stdout + done.stderr
    (kept,) = tmp_path.glob("crash-*")
    assert b"{%" in kept.read_bytes()


@pytest.mark.parametrize(
    "problem",
    [
        Problem("PT1", "error", "is on a line that isn't there", 3, 1),
        Problem("PT1", "error", "is beyond the end of its line", 1, 5),
        Problem("PT1", "error", "ends before it begins", 2, 2, 2, 1),
        Problem("PT1", "error", "has a fix elsewhere", 1, 1, fix=Fix("Fix", (Edit(9, 1, 9, 2, ""),))),
    ],
    ids=lambda problem: problem.message,
)
def test_a_place_that_is_not_in_the_text_is_found(problem):
    with pytest.raises(AssertionError):
        check_places("one\ntwo", [problem])


def test_places_up_to_the_end_of_the_text_are_in_it():
    check_places("one\ntwo", [Problem("PT1", "error", "is at the end", 2, 4, 2, 4), Problem("PT1", "error", "starts")])


@pytest.mark.parametrize(
    ("data", "comparison"),
    [
        (b"", ("", "", None)),
        (b"\x02", ("", "", None)),
        (b"\x02\x00one two ", ("one ", "two ", None)),
        (b"\x03\x00one two ", ("one ", "two ", 12)),
        (b"\x02\x01\x00\xff\x80\xffabcdefgh", ("abcdefgh", "ebcdefgh", None)),
        (b"\x02\x01\x00\xff", ("", "", None)),
    ],
    ids=["nothing", "no text", "halves", "halves, few steps", "an edit", "a truncated edit"],
)
def test_bytes_describe_two_texts_to_compare(data, comparison):
    assert read_comparison(data) == comparison
