"""The latency of fetches while replies are streamed: `python benchmarks/playground.py`; needs wrk. Four minutes.

The registry runs with its default settings (2 web processes, and the process that calls models). Version 1 is fetched
500 times a second over 8 connections, in alternating rounds: with nothing else going on, and while 50 people read
replies at 20 tokens a second. For both it prints the latency of a fetch, the processor time of the web processes, and
how often the readers' pages were updated. The gate: p50 and p99 of a fetch are at most 1.2 times as long, by the median
over the pairs of rounds.

All run on one machine in the same run, so read the ratios rather than the figures. The model server and the readers
aren't measured: they are cheap (`streaming/`) and run at the lowest priority. The registry and wrk run at a higher
priority if permitted (as root), which reduces the influence of other processes. The exit code is 1 if the gate is
missed.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from baseline import record_ratio
from fetch import NAME, run_seeded_registry
from fetching import servers
from fetching.load import Load, run_wrk

REPLIES, RATE, CONNECTIONS, SECONDS, ROUNDS = 50, 500, 8, 8, 7
GATE = 1.2
SETTLE_SECONDS = 3.0  # the end of the replies isn't measured: only here do 50 of them end together
PASSWORD = "bench-promptuary"
SIGN_UP = (
    "from registry.accounts.models import User\n"
    f"person = User.objects.get(username='bench'); person.set_password('{PASSWORD}'); person.save()"
)
DRAFT = "- name: question\n  content: And so on?\n"
MODELS = ("first", "second")  # a connection carries at most 32 concurrent replies
LOWEST = ["nice", "-n", "19"]


@dataclass(frozen=True)
class Round:
    """A few seconds of fetches: their latency, and the share of a core that the web processes used meanwhile."""

    load: Load
    processor: float


def main() -> None:
    """Measure and print; exit with 1 if the gate was missed."""
    if shutil.which("wrk") is None:
        sys.exit("This benchmark needs wrk (apt install wrk).")
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}")
    with run_seeded_registry(registry=servers.run_whole_registry) as (home, port, keys, environment):
        model_port = servers.find_free_port()
        entry = f"{{base_url: 'http://127.0.0.1:{model_port}/v1', concurrency: 32}}"
        (home / "models.yml").write_text("".join(f"{name}: {entry}\n" for name in MODELS))
        servers.run_command([sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", SIGN_UP], environment)
        command = [*LOWEST, sys.executable, "-m", "streaming.model", str(model_port)]
        with servers.run_server(command, model_port, environment, Path(__file__).parent):
            alone, beside = measure_in_turns(port, keys[0])
    verdicts = [report(name, alone, beside) for name in ("p50", "p99")]
    sys.exit(0 if all(verdicts) else 1)


def measure_in_turns(port: int, key: str) -> tuple[list[Round], list[Round]]:
    """Measure fetches without and with concurrent replies, in alternating rounds."""
    url = f"http://127.0.0.1:{port}/api/v1/templates/{NAME}@1"
    run_wrk(url, key, CONNECTIONS, 2, rate=RATE)
    alone, beside = [], []
    for _ in range(ROUNDS):
        alone.append(measure_round(url, key, port))
        with open_replies(port) as facts:
            beside.append(measure_round(url, key, port))
        time.sleep(SETTLE_SECONDS)
        print(f"  {describe(alone[-1])} alone; {describe(beside[-1])} beside {describe_replies(facts)}", flush=True)
    return alone, beside


def measure_round(url: str, key: str, port: int) -> Round:
    """Measure one round of fetches."""
    before, began = read_processor_seconds(port), time.monotonic()
    load = run_wrk(url, key, CONNECTIONS, SECONDS, rate=RATE)
    return Round(load, (read_processor_seconds(port) - before) / (time.monotonic() - began))


def read_processor_seconds(port: int) -> float:
    """Processor seconds so far of the web processes, which are those that listen on this port."""
    listening, ticks = list_listening_sockets(port), 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if not listening.isdisjoint(os.readlink(file) for file in (folder / "fd").iterdir()):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        except OSError:
            continue  # the process has ended
    return ticks / os.sysconf("SC_CLK_TCK")


def list_listening_sockets(port: int) -> set[str]:
    """The sockets that listen on this port, as `/proc` names them in the open files of a process."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "0A"}


def describe(measured: Round) -> str:
    """Describe one round in words."""
    share = 100 * measured.processor
    return f"p50 {measured.load.p50:6.2f} ms, p99 {measured.load.p99:6.2f} ms, {share:3.0f} % of a core"


def describe_replies(facts: dict[str, float]) -> str:
    """Describe the replies that arrived meanwhile."""
    return (
        f"{REPLIES} replies ({facts['events_a_second']:.0f} updates a second, pause between two "
        f"{facts['pause_p50']:.0f} ms, p99 {facts['pause_p99']:.0f} ms, silent {facts['silent']:.0f})"
    )


def report(name: str, alone: list[Round], beside: list[Round]) -> bool:
    """Print the medians of the rounds and the median ratio of the pairs with the gate; return whether it holds."""
    before, after = ([getattr(measured.load, name) for measured in rounds] for rounds in (alone, beside))
    ratio = statistics.median(with_replies / without for without, with_replies in zip(before, after, strict=True))
    verdict = "holds " if ratio <= GATE else "MISSED"
    medians = f"{statistics.median(before):.2f} ms alone, {statistics.median(after):.2f} ms beside {REPLIES} replies"
    print(f"  {verdict} {name}: {medians}; ratio of a pair of rounds, median: {ratio:.2f} (gate {GATE:g})")
    record_ratio(f"{name} of fetches alone / beside {REPLIES} replies", 1 / ratio)
    return ratio <= GATE


@contextmanager
def open_replies(port: int) -> Iterator[dict[str, float]]:
    """Stream 50 replies while the block runs; the yielded dictionary contains their measurements afterwards."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        sign_in(client)
        columns = [column for _ in range((REPLIES + 3) // 4) for column in start_run(client)][:REPLIES]
        session = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    command = [*LOWEST, sys.executable, "-m", "streaming.readers", str(port), session, *map(str, columns)]
    facts: dict[str, float] = {}
    with subprocess.Popen(
        command, cwd=Path(__file__).parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if process.stdout.readline() != "open\n":
            sys.exit("the replies did not start")
        yield facts
        process.stdin.close()
        facts |= json.loads(process.stdout.readline())


def sign_in(client: httpx.Client) -> None:
    """Sign in the seeds' person."""
    client.get("/login")
    fields = {"username": "bench", "password": PASSWORD, "csrfmiddlewaretoken": client.cookies["promptuary-csrf"]}
    answer = client.post("/login", data=fields, headers={"Referer": str(client.base_url)})
    if answer.status_code != 302:
        sys.exit("the sign-in failed")


def start_run(client: httpx.Client) -> list[int]:
    """Start a run; return the ids of its four columns, which are ready to be streamed."""
    columns = [{"source": "draft", "document": DRAFT, "model": name} for name in MODELS * 2]
    headers = {"X-CSRFToken": client.cookies["promptuary-csrf"], "Referer": str(client.base_url)}
    body: dict[str, Any] = {"columns": columns, "inputs": {}}
    answer = client.post("/t/bench/tried/-/run/start", json=body, headers=headers)
    if answer.status_code != 201:
        sys.exit(answer.text)
    return [column["id"] for column in answer.json()["columns"]]


if __name__ == "__main__":
    main()
