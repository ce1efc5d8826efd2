"""Runs the benchmarks and says which ratio fell behind `baseline.json`: `python benchmarks/baseline.py`, about an hour.

Each program measures both sides of a ratio in one run, prints it, and passes it to `record_ratio`. A larger ratio is
always better. At the end, each ratio is shown next to its baseline. The exit code is 1 if one fell below 0.8 of its
baseline, or wasn't measured although its program ran.

    --only fetch,render   run these programs
    --write               replace the baseline of these programs with this run's ratios
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["PROGRAMS", "Comparison", "compare_ratios", "read_ratios", "record_ratio"]

FOLDER = Path(__file__).resolve().parent
BASELINE = FOLDER / "baseline.json"
# `editor_form.py` isn't listed: it needs the address of a server.
PROGRAMS = (
    *("preview", "render", "evaluation", "fetch", "client", "live"),
    *("playground", "registry", "memory", "pages", "first_hour"),
)
MIN_RATIO = 0.8  # of the baseline; runs on shared machines differ by that much
_FILE = "PROMPTUARY_RATIOS"


def record_ratio(name: str, ratio: float) -> None:
    """Record a ratio of the running program for the comparison at the end; does nothing if the program runs by itself.

    Larger must be better. A ratio that couldn't be measured (inf or NaN) isn't recorded.
    """
    if _FILE in os.environ and math.isfinite(ratio):
        with open(os.environ[_FILE], "a", encoding="utf-8") as file:
            file.write(json.dumps([Path(sys.argv[0]).stem, name, float(f"{ratio:.3g}")]) + "\n")


def read_ratios(path: Path) -> dict[str, dict[str, float]]:
    """The ratios recorded in a file, by program and name."""
    ratios: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        program, name, ratio = json.loads(line)
        ratios.setdefault(program, {})[name] = ratio
    return ratios


@dataclass(frozen=True)
class Comparison:
    """A ratio of this run and its baseline; None for one that is missing."""

    program: str
    name: str
    before: float | None
    now: float | None

    @property
    def has_fallen(self) -> bool:
        """Whether it is worse than the baseline by more than runs usually differ, or is no longer measured."""
        return self.before is not None and (self.now is None or self.now < MIN_RATIO * self.before)

    def __str__(self) -> str:
        known = [f"{ratio:10.3g}" if ratio is not None else f"{'-':>10}" for ratio in (self.before, self.now)]
        if self.before is None:
            verdict = "new"
        elif self.now is None:
            verdict = "NOT MEASURED"
        else:
            change = 100 * (self.now / self.before - 1)
            verdict = f"{'FELL ' if self.has_fallen else ''}{change:+.0f} %"
        return f"{self.program:12}{self.name:74}{known[0]}{known[1]}  {verdict}"


def compare_ratios(
    before: Mapping[str, Mapping[str, float]], now: Mapping[str, Mapping[str, float]], programs: Sequence[str]
) -> list[Comparison]:
    """Compare each ratio of these programs with its baseline, ordered by program and name."""
    compared = []
    for program in programs:
        old, new = before.get(program, {}), now.get(program, {})
        compared += [Comparison(program, name, old.get(name), new.get(name)) for name in sorted({*old, *new})]
    return compared


def main() -> int:
    """Run, compare and print; return 1 if a ratio fell, 2 if a program measured nothing."""
    options = _read_options()
    with tempfile.TemporaryDirectory(prefix="promptuary-bench-") as folder:
        ratios = Path(folder) / "ratios.jsonl"
        ratios.touch()
        for number, program in enumerate(options.only, start=1):
            print(f"\n== {program} ({number} of {len(options.only)}, load {os.getloadavg()[0]:.1f}) ==", flush=True)
            subprocess.run(
                [sys.executable, str(FOLDER / f"{program}.py")], env={**os.environ, _FILE: str(ratios)}, check=False
            )
        measured = read_ratios(ratios)
    baseline = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {"programs": {}}
    before = {program: entry["ratios"] for program, entry in baseline["programs"].items()}
    compared = compare_ratios(before, measured, options.only)
    print(f"\n{'':86}{'baseline':>10}{'now':>10}")
    for comparison in compared:
        print(comparison)
    silent = [program for program in options.only if program not in measured]
    if silent:
        print(f"Nothing was measured by: {', '.join(silent)}. What they printed is above.")
    if options.write:
        baseline["programs"] |= {program: {**_describe_run(), "ratios": found} for program, found in measured.items()}
        BASELINE.write_text(json.dumps(baseline, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    fallen = [comparison for comparison in compared if comparison.has_fallen]
    print(f"{len(compared)} ratios, {len(fallen)} fell below {MIN_RATIO:g} of the baseline")
    return 1 if fallen else 2 if silent else 0


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", type=_read_programs, default=list(PROGRAMS))
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def _read_programs(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in PROGRAMS]:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    return names


def _describe_run() -> dict[str, str]:
    """The date and machine of a measurement."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return {"date": datetime.now(UTC).date().isoformat(), "machine": machine}


if __name__ == "__main__":
    sys.exit(main())
