"""How fast versions are fetched, compared with peers and ceilings: `python benchmarks/fetch.py`; needs wrk.

    python benchmarks/fetch.py                     the warm fetch, misses, and a fetch while people save: 3 minutes
    python benchmarks/fetch.py --versions 1000000  with a million versions in the database instead of 100,000
    python benchmarks/fetch.py --only rollout      a label under a rollout and a plain one: 2 minutes
    python -m tests.support.postgres_server python benchmarks/fetch.py --only misses     misses on PostgreSQL

The registry runs with its default settings (granian, 2 workers, counts, metrics and request ids on) in its own home.
It is compared with

* nginx with the same bytes in a file, and nginx with a cache keyed on the API key in front of the registry;
* granian returning the same bytes and doing nothing else: the upper bound for this server;
* `mlflow server` with the same prompt on SQLite (`MLFLOW=/path/to/mlflow`, or on the path).

Tools that aren't installed are named and left out. All run interleaved on one machine, so read the ratios rather than
the figures. Missed gates are printed and make the exit code 1.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from baseline import record_ratio
from fetching import servers
from fetching.load import Load, run_wrk

ROOT = servers.ROOT
NAME = "bench/reply"
CONNECTIONS = (8, 32, 64)
ROUNDS, SECONDS = 3, 3
RATE = 1000  # requests a second when latency is measured
EACH = 100  # versions of each of the many templates
TEXT = "Answer the question from the excerpts, and say where it stands.\n" * 25

Rows = dict[str, dict[int, Load]]
Registry = Callable[[int, Mapping[str, str]], AbstractContextManager[None]]
Seeded = tuple[Path, int, list[str], dict[str, str]]


class Gates:
    """The gates and their results."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def check(self, what: str, ratio: float, gate: float, goal: float | None = None) -> None:
        """Print one ratio with its gate and goal."""
        if ratio == math.inf:
            print(f"  UNKNOWN {what}: it answered nothing in its time; the machine is too busy")
            self.missed.append(what)
            return
        record_ratio(what, ratio)
        holds = "holds " if ratio >= gate else "MISSED"
        aim = f", goal {goal:g}{' reached' if ratio >= goal else ''}" if goal else ""
        print(f"  {holds} {what}: {ratio:.2f} (gate {gate:g}{aim})")
        if ratio < gate:
            self.missed.append(what)


def main() -> None:
    """Run the requested measurements and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=["warm", "misses", "writes", "growth", "rollout"], help="one part")
    parser.add_argument("--versions", type=int, default=100_000, help="versions in the large database")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("This benchmark needs wrk (apt install wrk).")
    for peer, path in (("nginx", shutil.which("nginx")), ("mlflow", servers.find_mlflow())):
        print(f"{peer}: {path or 'not installed, left out'}")
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}\n")
    gates = Gates()
    if options.only in (None, "warm"):
        measure_warm(gates)
    if options.only in (None, "misses"):
        measure_misses(gates, options.versions)
    if options.only in (None, "writes"):
        measure_writes(gates)
    if options.only in (None, "growth"):
        measure_growth(gates, options.versions)
    if options.only in (None, "rollout"):
        measure_rollout(gates)
    sys.exit(1 if gates.missed else 0)


def measure_warm(gates: Gates) -> None:
    """Fetch one version again and again, as a service without a cache does."""
    with run_seeded_registry() as (home, port, keys, environment), ExitStack() as stack:
        base, key = f"http://127.0.0.1:{port}/api/v1/templates/{NAME}", keys[0]
        (home / "body.json").write_bytes(fetch_body(f"{base}@1", key))
        targets = {"by number": (f"{base}@1", key), "by label": (f"{base}@production", key)}
        targets["granian, the same bytes"] = (stack.enter_context(servers.run_ceiling(home, environment)), "")
        if shutil.which("nginx"):
            address = stack.enter_context(servers.run_nginx(home, port))
            targets["nginx, a file"] = (f"{address}/body.json", "")
            targets["nginx, a cache in front"] = (f"{address}/api/v1/templates/{NAME}@1", key)
        if program := servers.find_mlflow():
            targets["mlflow"] = (stack.enter_context(servers.run_mlflow(program, home, TEXT)), "")
        rows = measure_in_turns(targets)
        print_rows(rows)
        pinned = rows["by number"]
        gates.check("by label / by number, worst", find_worst_ratio(rows["by label"], pinned), 0.9)
        if "nginx, a file" in rows:
            gates.check("by number / nginx's file, worst", find_worst_ratio(pinned, rows["nginx, a file"]), 0.45, 0.7)
            gates.check(
                "by number / nginx's cache, worst", find_worst_ratio(pinned, rows["nginx, a cache in front"]), 0.55, 0.9
            )
        if "mlflow" in rows:
            gates.check("by number / mlflow, both at their best", divide_best_rates(pinned, rows["mlflow"]), 100, 200)


def measure_misses(gates: Gates, versions: int) -> None:
    """Fetch random versions out of far more than a process caches."""
    database = "PostgreSQL" if os.environ.get("PROMPTUARY_DATABASE_URL") else "SQLite"
    with run_seeded_registry(versions) as (home, port, keys, _), ExitStack() as stack:
        targets = {f"a miss on {database}": (f"http://127.0.0.1:{port}/", keys[0])}
        if program := servers.find_mlflow():
            targets["mlflow"] = (stack.enter_context(servers.run_mlflow(program, home, TEXT)), "")
        rows = measure_in_turns(targets, scatter={f"a miss on {database}": (versions // EACH, EACH)})
        print_rows(rows)
        if "mlflow" in rows:
            gate, goal = (3, 5) if database == "PostgreSQL" else (10, None)
            missed = divide_best_rates(rows[f"a miss on {database}"], rows["mlflow"])
            gates.check(f"a miss on {database} / mlflow, both at their best", missed, gate, goal)


def measure_writes(gates: Gates) -> None:
    """Measure the latency of a fetch while someone saves and moves a label, each once a second.

    The rate is well below the server's maximum. Above that, latency would measure the queue for cores that wrk shares,
    for nginx too.
    """
    with run_seeded_registry() as (home, port, keys, environment), ExitStack() as stack:
        base = f"http://127.0.0.1:{port}/api/v1"
        targets = {"while people write": (f"{base}/templates/{NAME}@production", keys[0])}
        (home / "body.json").write_bytes(fetch_body(f"{base}/templates/{NAME}@1", keys[0]))
        targets["granian, meanwhile"] = (stack.enter_context(servers.run_ceiling(home, environment)), "")
        if shutil.which("nginx"):
            targets["nginx, a file, meanwhile"] = (
                f"{stack.enter_context(servers.run_nginx(home, port))}/body.json",
                "",
            )
        with keep_writing(base, keys[1]) as done:
            rows = measure_in_turns(targets, rate=RATE, seconds=5)
            full = measure_in_turns(targets)
        print_rows(rows)
        print(f"  the same as fast as they answer, where nginx too waits for wrk; {done[0]} saves and moves in all:")
        print_rows(full)
        worst = max(load.p99 / load.p50 for load in rows["while people write"].values())
        gates.check(f"10 x p50 / p99 at {RATE:,}/s, worst", 10 / worst, 1)


def measure_growth(gates: Gates, versions: int) -> None:
    """Measure the same fetch with a thousand versions and with many."""
    rates = {}
    for count in (1_000, versions):
        with run_seeded_registry(count) as (_, port, keys, _):
            base = f"http://127.0.0.1:{port}/api/v1/templates"
            scattered = measure_in_turns({"": (f"http://127.0.0.1:{port}/", keys[0])}, {"": (count // EACH, EACH)})[""]
            warm = measure_in_turns({"": (f"{base}/bench/many/t3@7", keys[0])})[""]
            print_rows({f"{count:,} versions, one of them": warm, f"{count:,} versions, at random": scattered})
            rates[count] = warm
    gates.check(f"a fetch of one of {versions:,} / of 1,000", find_worst_ratio(rates[versions], rates[1_000]), 0.8)


def measure_rollout(gates: Gates) -> None:
    """Compare a label under a rollout, without and with a bucket, with a plain label of the same bytes."""
    with run_seeded_registry() as (_, port, keys, _):
        base = f"http://127.0.0.1:{port}/api/v1/templates/gradual"
        divided = f"{base}/reply@production"
        targets = {
            "a plain label": (f"{base}/plain@production", keys[2]),
            "a label under a rollout": (divided, keys[2]),
        }
        targets["the same, with a bucket"] = (f"{divided}?bucket=user-17", keys[2])
        rows = measure_in_turns(targets)
        print_rows(rows)
        ratio = find_worst_ratio(rows["a label under a rollout"], rows["a plain label"])
        gates.check("a label under a rollout / a plain label, worst", ratio, 0.95)
        ratio = find_worst_ratio(rows["the same, with a bucket"], rows["a plain label"])
        gates.check("the same with a bucket / a plain label, worst", ratio, 0.85)


@contextmanager
def run_seeded_registry(versions: int = 0, registry: Registry = servers.run_registry) -> Iterator[Seeded]:
    """A registry in its own home: (home, port, keys as `seeds.py` prints them, environment)."""
    with tempfile.TemporaryDirectory(prefix="promptuary-bench-") as folder:
        home, port = Path(folder), servers.find_free_port()
        home.chmod(0o755)
        environment = {
            **os.environ,
            "PROMPTUARY_HOME": folder,
            "PORT": str(port),
            "PROMPTUARY_RATE_CALLER": "1000000/s",
            "DJANGO_SETTINGS_MODULE": "registry.settings",
            "PYTHONPATH": str(ROOT),
        }
        servers.run_command([sys.executable, "manage.py", "migrate", "--verbosity", "0"], environment)
        if versions:
            print(f"putting {versions:,} versions into the database ...", flush=True)
        seeds = [sys.executable, "benchmarks/fetching/seeds.py", str(versions // EACH), str(EACH)]
        keys = servers.run_command(seeds, environment).split()[-3:]
        with registry(port, environment):
            yield home, port, keys, environment


def measure_in_turns(
    targets: dict[str, tuple[str, str]],
    scatter: dict[str, tuple[int, int]] | None = None,
    seconds: int = SECONDS,
    rate: int | None = None,
) -> Rows:
    """Medians over interleaved rounds, by target and then by connections."""
    loads_by_target: dict[str, dict[int, list[Load]]] = {name: {} for name in targets}
    for name, (url, key) in targets.items():  # cold workers aren't measured
        warm_up(url, key, (scatter or {}).get(name))
    for _ in range(ROUNDS):
        for count in CONNECTIONS:
            for name, (url, key) in targets.items():
                load = run_wrk(url, key, count, seconds, (scatter or {}).get(name), rate)
                loads_by_target[name].setdefault(count, []).append(load)
    return {
        name: {count: take_medians(loads) for count, loads in counts.items()}
        for name, counts in loads_by_target.items()
    }


def warm_up(url: str, key: str, scatter: tuple[int, int] | None) -> None:
    """Send requests until all workers have answered: each of mlflow's takes seconds for its first request."""
    before, deadline = 0.0, time.monotonic() + 60
    while time.monotonic() < deadline:
        rate = run_wrk(url, key, CONNECTIONS[0], 2, scatter).rate
        if 0 < rate < 1.5 * before:
            return
        before = rate


def take_medians(loads: list[Load]) -> Load:
    """The median of each figure by itself."""
    return Load(*(statistics.median(getattr(load, name) for load in loads) for name in ("rate", "p50", "p99")))


def print_rows(rows: Rows) -> None:
    """Print requests a second and the latency, by connections."""
    print(f"{'':36}" + "".join(f"{f'{count} conn.':>12} p50 ms  p99 ms" for count in CONNECTIONS))
    for name, counts in rows.items():
        columns = "".join(f"{load.rate:>10,.0f}/s {load.p50:>6.2f} {load.p99:>7.1f}" for load in counts.values())
        print(f"{name:36}{columns}")
    print(flush=True)


def find_worst_ratio(rows: dict[int, Load], beside: dict[int, Load]) -> float:
    """The worst ratio over all numbers of connections."""
    return min(rows[count].rate / beside[count].rate for count in rows)


def divide_best_rates(rows: dict[int, Load], beside: dict[int, Load]) -> float:
    """The ratio of the two best rates; infinite if the other one had no answers."""
    best = max(load.rate for load in beside.values())
    return max(load.rate for load in rows.values()) / best if best else math.inf


@contextmanager
def keep_writing(base: str, key: str) -> Iterator[list[int]]:
    """Save another template and move its label while the block runs; yields their counts."""
    ended, done = threading.Event(), [0]

    def write() -> None:
        digest, served = "", None
        while not ended.wait(0.5):
            number = done[0] // 2 + 1
            if done[0] % 2 == 0:
                answer = send_put(
                    f"{base}/templates/bench/moving",
                    key,
                    {"document": f"- name: a\n  content: Number {number}\n", "message": ""},
                    digest,
                )
                digest = answer["digest"]
            else:
                send_put(
                    f"{base}/templates/bench/moving/-/labels/staging", key, {"version": number, "expected": served}
                )
                served = number
            done[0] += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield done
    finally:
        ended.set()
        thread.join()


def send_put(url: str, key: str, body: dict[str, object], match: str = "") -> dict[str, str]:
    """Send a PUT and return its response."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    headers |= {"If-Match": match} if match else {}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="PUT")
    with urllib.request.urlopen(request, timeout=30) as response:
        answer: dict[str, str] = json.load(response)
    return answer


def fetch_body(url: str, key: str) -> bytes:
    """The body of one response."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=30) as response:
        body: bytes = response.read()
    return body


if __name__ == "__main__":
    main()
