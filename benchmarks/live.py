"""What open pages cost the server: `python benchmarks/live.py`; needs wrk. A minute.

The registry runs with its default settings (2 web processes) in its own home. 500 streams of `/live/events` are opened,
as idle pages do. The processor time, memory and threads of the web processes and the latency of fetches are printed
without and with the streams, measured alternately in one run. Missed gates are printed and make the exit code 1.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import fetch
from fetching import servers
from fetching.load import Load, run_wrk

ROUNDS, SECONDS, IDLE_SECONDS, CONNECTIONS = 3, 3, 20, 8
MAX_CPU = 5.0  # percent of a core for all idle streams
MIN_CPU = 0.5  # percent: less can't be told from noise
MAX_THREADS = 16  # more than without streams: an idle stream has no thread of its own
SIGN_IN = (
    "import django; django.setup()\n"
    "from django.test import Client\n"
    "from registry.accounts.models import User\n"
    "browser = Client(); browser.force_login(User.objects.get(username='bench'))\n"
    "print(browser.session.session_key)\n"
)


@dataclass(frozen=True)
class Usage:
    """What the web processes use: seconds of processor time so far, MB of memory, threads."""

    cpu: float
    memory: float
    threads: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--streams", type=int, default=500)
    count = parser.parse_args().streams
    if shutil.which("wrk") is None:
        sys.exit("This benchmark needs wrk (apt install wrk).")
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}\n")
    gates = fetch.Gates()
    with fetch.run_seeded_registry() as (_, port, keys, environment):
        session = servers.run_command([sys.executable, "-c", SIGN_IN], environment).split()[-1]
        url = f"http://127.0.0.1:{port}/api/v1/templates/{fetch.NAME}@1"
        fetch.warm_up(url, keys[0], None)
        before = measure_idle(port)
        with open_streams(port, session, count):
            after = measure_idle(port)
        rows: dict[str, list[Load]] = {"without": [], "with": []}
        for _ in range(ROUNDS):
            rows["without"].append(run_wrk(url, keys[0], CONNECTIONS, SECONDS))
            with open_streams(port, session, count):
                rows["with"].append(run_wrk(url, keys[0], CONNECTIONS, SECONDS))
    report(count, before, after, rows)
    check_idle(gates, count, before, after)
    gates.check("fetches with streams / without", rate(rows["with"]) / rate(rows["without"]), 0.9)
    sys.exit(1 if gates.missed else 0)


def check_idle(gates: fetch.Gates, count: int, before: Usage, after: Usage) -> None:
    """Check the gates on the processor time and threads of idle streams."""
    cpu, threads = max(compute_added_load(before, after), MIN_CPU), max(after.threads - before.threads, 1)
    gates.check(f"{MAX_CPU:g} % of a core / what {count} idle streams take", MAX_CPU / cpu, 1)
    gates.check(f"{MAX_THREADS} threads / what {count} idle streams add", MAX_THREADS / threads, 1)


def measure_idle(port: int) -> Usage:
    """The usage over a period without requests; `cpu` is in percent of a core."""
    first = read_usage(port)
    time.sleep(IDLE_SECONDS)  # an idle server is measured
    last = read_usage(port)
    return Usage(100 * (last.cpu - first.cpu) / IDLE_SECONDS, last.memory, last.threads)


def compute_added_load(before: Usage, after: Usage) -> float:
    """Percent of a core that the streams use."""
    return after.cpu - before.cpu


def rate(loads: list[Load]) -> float:
    """The median of requests a second."""
    return statistics.median(load.rate for load in loads)


def report(count: int, before: Usage, after: Usage, rows: dict[str, list[Load]]) -> None:
    """Print the figures."""
    print(f"{'':24}{'cpu %':>8}{'MB':>8}{'threads':>9}")
    for name, usage in (("no stream", before), (f"{count} idle streams", after)):
        print(f"{name:24}{usage.cpu:>8.2f}{usage.memory:>8.0f}{usage.threads:>9}")
    print(f"\n{'fetches by number':24}{'a second':>10}{'p50 ms':>8}{'p99 ms':>8}")
    for name, loads in rows.items():
        load = fetch.take_medians(loads)
        print(f"{name + ' streams':24}{load.rate:>10,.0f}{load.p50:>8.2f}{load.p99:>8.1f}")
    print()


def read_usage(port: int) -> Usage:
    """The sum over the web server's processes: those that `manage.py serve` forked for this port."""
    ticks, memory, threads = 0, 0.0, 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            if f"PORT={port}".encode() not in variables or b"serve" not in (folder / "cmdline").read_bytes().split(
                b"\0"
            ):
                continue
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        except OSError:
            continue  # the process has ended
        ticks += int(fields[11]) + int(fields[12])
        memory += int(status["VmRSS"].split()[0]) / 1024
        threads += int(status["Threads"])
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), memory, threads)


@contextmanager
def open_streams(port: int, session: str, count: int) -> Iterator[None]:
    """Hold this many ready streams open while the block runs; a thread of this process reads them."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    opened = asyncio.run_coroutine_threadsafe(_open(port, session, count), loop).result(120)
    try:
        yield
    finally:
        for _, writer in opened:
            loop.call_soon_threadsafe(writer.close)
        time.sleep(1)  # the server notices that they are closed
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _open(port: int, session: str, count: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
    headers = f"Host: 127.0.0.1:{port}\r\nCookie: promptuary-session={session}\r\n\r\n"
    request = f"GET /live/events?topic=home HTTP/1.1\r\n{headers}"
    for _, writer in opened:
        writer.write(request.encode())
    for reader, _ in opened:
        await reader.readuntil(b"event: ready")
    return opened


if __name__ == "__main__":
    main()
