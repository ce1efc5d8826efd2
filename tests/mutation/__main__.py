"""`python -m tests.mutation`: changes the code in small ways and reports how many changes the tests detect.

mutmut makes the changes, one at a time, in a copy of the tree below `build/mutation/`, and runs the tests that reach
the changed function. User-visible texts are left unchanged. An interrupted run continues where it stopped, as long as
code and tests are the same. The exit code is 1 if a target's score is below the goal. All targets take hours,
`--only digest` half a minute. `--every 20` tries one change in twenty, for an estimate.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from promptuary.renderer.isolation import process
from tests.mutation.copies import ROOT, Settings, update_copy
from tests.support.child_process import start_child

GOAL = 85.0  # percent of the changes that a test notices
_MAX_CHANGES = 1000  # of one function
# Exit codes. A change that makes the tests run without end is noticed too: mutmut ends them after 15 times their time.
_TIMED_OUT = frozenset((24, -24, 36, 152, 255))
_KILLED = frozenset((1, 3)) | _TIMED_OUT


@dataclass(frozen=True)
class Target:
    """Files whose code is changed, and the tests that should detect it."""

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]


TARGETS = (
    Target("digest", ("promptuary/renderer/digest.py",), ("tests/renderer/test_digest.py",)),
    Target("gate", ("registry/changes/gate.py", "registry/changes/policy.py"), ("tests/registry/changes",)),
    Target(
        "journal",
        ("registry/journal/*",),
        ("tests/registry/journal", "tests/registry/mirror", "tests/registry/redaction/test_redact_version.py"),
    ),
    Target("mirror", ("registry/mirror/*",), ("tests/registry/mirror",)),
)


@dataclass(frozen=True)
class Score:
    """How many changes there were, which of them no test noticed, by mutmut's names, and how many only timed out."""

    changes: int
    unnoticed: tuple[str, ...]
    timed_out: int = 0

    @property
    def percent(self) -> float:
        """The percentage of detected changes, or 100 if there was nothing to change."""
        return 100 * (1 - len(self.unnoticed) / self.changes) if self.changes else 100.0


def main() -> int:
    """Run the targets in turn and print each score; return 1 if one is below the goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=[target.name for target in TARGETS])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="try one change in so many only, by its number")
    options = parser.parse_args()
    chosen = [target for target in TARGETS if options.only in (None, target.name)]
    scores = {target.name: measure_target(target, options.jobs, options.every) for target in chosen}
    for name, score in scores.items():
        timed_out = f", {score.timed_out} of them by a time-out" if score.timed_out else ""
        print(f"{name:8} {score.percent:5.1f} % of {score.changes} changes noticed{timed_out} (goal {GOAL:g} %)")
    return 1 if any(score.percent < GOAL for score in scores.values()) else 0


def measure_target(target: Target, jobs: int, every: int = 1) -> Score:
    """Let mutmut change the target's files in a copy of the tree, and read the results."""
    folder = update_copy(ROOT / "build" / "mutation" / target.name, _settings_of(target))
    print(f"== {target.name}: {', '.join(target.files)}", flush=True)
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs)]
    sample = [f"*__mutmut_{number}" for number in range(1, _MAX_CHANGES) if _is_in_sample(number, every)]
    with _share_fork_server() as environment:
        subprocess.run([*command, *(sample if every > 1 else ())], cwd=folder, env=environment, check=True)
    score = read_score(folder / "mutants", every)
    for name in score.unnoticed:
        print(f"  unnoticed: {name}")
    if score.unnoticed:
        print(f"  `cd {folder} && {sys.executable} -m mutmut show NAME` shows a change")
    return score


def read_score(mutants: Path, every: int = 1) -> Score:
    """The score, from the files that mutmut keeps beside the changed code. SystemExit for a run that was ended.

    every: one change in so many counts, by its number within its function.
    """
    codes: dict[str, int | None] = {}
    for path in sorted(mutants.rglob("*.py.meta")):
        codes |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    codes = {name: code for name, code in codes.items() if _is_in_sample(int(name.rpartition("_")[2]), every)}
    counts = Counter("open" if code is None else "done" for code in codes.values())
    if counts["open"]:
        raise SystemExit(f"{counts['open']} of {len(codes)} changes were not tried; the next run goes on with them.")
    unnoticed = tuple(name for name, code in codes.items() if code not in _KILLED)
    return Score(len(codes), unnoticed, sum(code in _TIMED_OUT for code in codes.values()))


@contextmanager
def _share_fork_server() -> Iterator[dict[str, str]]:
    """The environment in which the tests of every change find one fork server of the renderer, which no change touches.

    Else the process of each change would start one of its own, which takes it a second and more.
    """
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path := f"{folder}/renderer")
        listener.listen(64)
        server = start_child(
            process.fork_server_command(str(listener.fileno())),
            pass_fds=[listener.fileno()],
            env=process.fork_server_environment(),
            cwd="/",
        )
        try:
            yield {**os.environ, "PROMPTUARY_RENDER_SOCKET": path}
        finally:
            server.kill()
            server.wait()


def _is_in_sample(number: int, every: int) -> bool:
    return number % every == every // 2


def _settings_of(target: Target) -> Settings:
    """The table `tool.mutmut` of the copy."""
    return {
        "source_paths": ["promptuary/renderer", "registry"],
        "only_mutate": target.files,
        "do_not_mutate_patterns": [r"\bn?gettext(_lazy)?\(", r"^\s*f?\"[^\"]* [^\"]*\"", r"Error\(|raise "],
        "also_copy": [
            "promptuary",
            "evaluation",
            "frontend",
            "migrations",
            "docs",
            "deploy",
            "benchmarks",
            "manage.py",
        ],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-m", "not slow and not browser"],
        "pytest_add_cli_args_test_selection": target.tests,
        "use_git_change_detection": False,
    }


if __name__ == "__main__":
    sys.exit(main())
