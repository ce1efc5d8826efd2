"""One round: the tests of a target in a separate process, with a seed, and the result."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from registry.core.parent_death import end_with_parent
from tests.torture.targets import Target

__all__ = ["Round", "read_rounds", "run_round"]

ROOT = Path(__file__).parents[2]
_MAX_SECONDS = 3_600  # a round that takes longer hangs


@dataclass(frozen=True)
class Round:
    """The result of a round. `amount` is in the target's unit; `seconds` are wall-clock time; `commit` is HEAD's id."""

    target: str
    tests: list[str]
    seed: int
    commit: str
    amount: int
    seconds: float
    passed: bool

    def write_to(self, path: Path) -> None:
        """Add a line to the file of rounds."""
        with path.open("a") as file:
            file.write(json.dumps(asdict(self)) + "\n")


def read_rounds(path: Path) -> list[Round]:
    """The rounds of an earlier run, or none without a file. A truncated last line is ignored."""
    if not path.exists():
        return []
    *lines, _rest = path.read_text().split("\n")
    return [Round(**json.loads(line)) for line in lines]


def run_round(target: Target, tests: Sequence[str], seed: int, folder: Path, commit: str) -> Round:
    """Run a round. What pytest says of one that failed is kept in the folder, as `failed-<target>-<seed>.txt`."""
    name = f"{target.name.replace(' ', '-')}-{seed}"
    results = folder / f"{name}.xml"
    began = time.monotonic()
    try:
        done = subprocess.run(
            _make_command(target, tests, seed, results),
            cwd=ROOT,
            env={**os.environ, "PROMPTUARY_TORTURE": "1", "PROMPTUARY_SEED": str(seed)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_MAX_SECONDS,
            check=False,
            preexec_fn=end_with_parent,  # no round outlives a run that is killed
        )
        output, passed = done.stdout, done.returncode == 0
    except subprocess.TimeoutExpired as error:
        output, passed = (error.stdout or b"") + f"\nStopped after {_MAX_SECONDS} seconds.\n".encode(), False
    if passed and not _has_run_tests(results):
        output, passed = output + b"\nEvery test was skipped.\n", False  # such as tests of the other engine
    amount = _count_amount(results, target.unit)
    results.unlink(missing_ok=True)
    if not passed:
        (folder / f"failed-{name}.txt").write_bytes(output)
    return Round(target.name, list(tests), seed, commit, amount, round(time.monotonic() - began, 1), passed)


def _make_command(target: Target, tests: Sequence[str], seed: int, results: Path) -> list[str]:
    database = [sys.executable, "-m", "tests.support.postgres_server"] if target.on_postgres else []
    pytest = [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", f"--hypothesis-seed={seed}"]
    # The later family has no place for what tests record.
    options = ["--timeout=3600", f"--junit-xml={results}", "-o", "junit_family=xunit1"]
    return [*database, *pytest, *options, *tests]


def _has_run_tests(results: Path) -> bool:
    """Whether a test ran that was not skipped."""
    cases = ElementTree.parse(results).iter("testcase")
    return any(case.find("skipped") is None for case in cases)


def _count_amount(results: Path, unit: str) -> int:
    """The sum of what the tests recorded under the unit's name; 1 where rounds are counted."""
    if unit == "rounds":
        return 1
    if not results.exists():
        return 0
    recorded: Iterable[ElementTree.Element] = ElementTree.parse(results).iter("property")
    return sum(int(found.get("value", 0)) for found in recorded if found.get("name") == unit)
