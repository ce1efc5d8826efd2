"""`python -m tests.torture --minutes 120`: rounds of every target until the time is over.

The target that has had the least of its share goes first. Each round's seed and result are printed, and for one that
failed the end of what it printed and the command that repeats it. Rounds and a report are kept in `build/torture/`.
With `--resume` the rounds of the run before count, and what is still to do follows. The exit code is 1 if one failed.
"""

import argparse
import random
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from tests.torture.report import format_report
from tests.torture.rounds import ROOT, Round, read_rounds, run_round
from tests.torture.targets import TARGETS, Target

FOLDER = ROOT / "build" / "torture"


class Schedule:
    """Which target is next, from what each has had of its share of the time."""

    def __init__(self, targets: Sequence[Target], rounds: Sequence[Round]) -> None:
        self.targets = targets
        self.running: set[str] = set()
        self.spent: defaultdict[str, float] = defaultdict(float)  # seconds by target
        self.amounts: defaultdict[str, int] = defaultdict(int)
        self.counts: defaultdict[str, int] = defaultdict(int)
        for done in rounds:
            self.add_round(done)

    def add_round(self, done: Round) -> None:
        """Count a round that ended."""
        self.running.discard(done.target)
        self.spent[done.target] += done.seconds
        self.amounts[done.target] += done.amount
        self.counts[done.target] += 1

    def choose_target(self, left: float) -> Target | None:
        """A target that isn't running or done, and whose rounds so far took no longer than `left` seconds."""
        waiting = [
            target
            for target in self.targets
            if target.name not in self.running
            and self.amounts[target.name] < target.goal
            and self._mean_seconds(target) <= left
        ]
        return min(waiting, key=lambda target: self.spent[target.name] / target.weight, default=None)

    def _mean_seconds(self, target: Target) -> float:
        return self.spent[target.name] / max(1, self.counts[target.name])


def main() -> int:
    """Run rounds until the time is over; 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--jobs", type=int, default=2, help="rounds at once")
    parser.add_argument("--seed", type=int, help="of the first round; drawn if it is not given")
    parser.add_argument("--resume", action="store_true", help="go on with the run before")
    parser.add_argument("--only", action="append", default=[], help="a target's name, or the beginning of several")
    asked = parser.parse_args()
    targets = [target for target in TARGETS if not asked.only or target.name.startswith(tuple(asked.only))]
    if not targets:
        parser.error(f"no target begins so; there are: {', '.join(target.name for target in TARGETS)}")
    if not asked.resume:
        shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    rounds = read_rounds(FOLDER / "rounds.jsonl")
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(2**31)
    try:
        run_rounds(targets, rounds, FOLDER, seconds=asked.minutes * 60, jobs=asked.jobs, seed=seed)
    except KeyboardInterrupt:
        print("Stopped. `--resume` goes on.", file=sys.stderr)
    report = format_report(targets, rounds)
    (FOLDER / "report.md").write_text(report)
    print(f"\n{report}\nKept in {FOLDER.relative_to(ROOT)}/.")
    return int(any(not done.passed for done in rounds))


def run_rounds(
    targets: Sequence[Target], rounds: list[Round], folder: Path, *, seconds: float, jobs: int, seed: int
) -> None:
    """Run rounds, `jobs` at a time, until no target is left or the next round would end too late.

    Each is added to `rounds` and to the folder's `rounds.jsonl`. seed: of the first round.
    """
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    schedule = Schedule(targets, rounds)
    deadline = time.monotonic() + seconds
    running: set[Future[Round]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        while True:
            while len(running) < jobs and (target := schedule.choose_target(deadline - time.monotonic())):
                tests = target.list_tests(schedule.counts[target.name])
                schedule.running.add(target.name)
                running.add(pool.submit(run_round, target, tests, seed, folder, commit.strip()))
                seed += 1_000  # tests add small numbers to their seed
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                done = future.result()
                done.write_to(folder / "rounds.jsonl")
                rounds.append(done)
                schedule.add_round(done)
                target = next(target for target in targets if target.name == done.target)
                print_round(target, done, schedule.amounts[target.name], folder)


def print_round(target: Target, done: Round, so_far: int, folder: Path) -> None:
    """Print the round's result, the target's progress, and how to repeat a failed round."""
    amount = f"{so_far:,} of {target.goal:,} {target.unit}"
    result = "passed" if done.passed else "FAILED"
    print(
        f"{time.strftime('%H:%M:%S')}  {result}  {target.name}, seed {done.seed}, {done.seconds:.0f} s; {amount}",
        flush=True,
    )
    if not done.passed:
        output = (folder / f"failed-{target.name.replace(' ', '-')}-{done.seed}.txt").read_text(errors="replace")
        print("\n".join(output.splitlines()[-60:]))
        database = "python -m tests.support.postgres_server " if target.on_postgres else ""
        print(
            f"Again: PROMPTUARY_TORTURE=1 PROMPTUARY_SEED={done.seed} {database}python -m pytest "
            f"--hypothesis-seed={done.seed} {' '.join(done.tests)}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
