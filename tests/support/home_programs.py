"""Programs that run one after the other in a single process for a home: it loads Django and starts a renderer once.

A program of its own would take 7 s of processor time, mostly for that. The process is to the home what one more web
process is: it keeps nothing of a program but the caches of the product.
"""

import contextlib
import io
import json
import os
import runpy
import select
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.support.child_process import start_child

__all__ = ["HomePrograms"]

ROOT = Path(__file__).parents[2]


class HomePrograms:
    """One process for the programs of a home; it ends with this one."""

    def __init__(self, home: Path) -> None:
        environment = {name: text for name, text in os.environ.items() if not name.startswith("PROMPTUARY_")}
        facts = {
            "PROMPTUARY_HOME": str(home),
            "DJANGO_SETTINGS_MODULE": "registry.settings",
            "PYTHONPATH": str(ROOT),
        }
        self._process = start_child(
            [sys.executable, "-m", "tests.support.home_programs"],
            cwd=ROOT,
            env={**environment, **facts},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, program: str, arguments: Sequence[str], seconds: float) -> str:
        """Run a program of tests/support; what it printed.

        Raises AssertionError with the traceback if it fails, and subprocess.TimeoutExpired after this many seconds.
        """
        requests, answers = self._process.stdin, self._process.stdout
        assert requests
        assert answers
        requests.write(json.dumps([str(ROOT / "tests/support" / program), *arguments]).encode() + b"\n")
        requests.flush()
        if not select.select([answers], [], [], seconds)[0]:
            self._process.kill()
            raise subprocess.TimeoutExpired([program, *arguments], seconds)
        line = answers.readline()
        assert line, f"the process of {program} ended"
        printed, error = json.loads(line)
        assert not error, error
        return str(printed)

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=60)


def _run_programs() -> None:
    """Run the programs whose paths and arguments are on the lines of the input, as JSON, until it ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a child process prints is no answer
    for line in sys.stdin:
        sys.argv = json.loads(line)
        error = ""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            try:
                runpy.run_path(sys.argv[0], run_name="__main__")
            except (Exception, SystemExit):  # noqa: BLE001  # whatever it is, the test fails with it
                error = traceback.format_exc()
        answers.write(json.dumps([printed.getvalue(), error]) + "\n")
        answers.flush()


if __name__ == "__main__":
    _run_programs()
