"""What fetches wait for while replies are streamed: `python benchmarks/playground.py`; needs wrk. Three minutes.

The registry runs as it ships (2 web processes) with the demo's model server, which streams 20 tokens a second. Version
1 is fetched 500 times a second in turns: with nothing else going on, and while 50 replies are streamed. All run on this
machine in the same run, the model server and the clients too, so read the ratios and not the figures. A gate that is
missed is said, and makes the exit code 1.
"""

import asyncio
import os
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from fetch import NAME, ROOT, seeded
from fetching import servers
from fetching.load import Load, wrk

REPLIES, RATE, CONNECTIONS, SECONDS, ROUNDS = 50, 500, 8, 5, 4
GATE = 1.2
PASSWORD = "bench-promptuary"
SIGN_UP = (
    "from registry.accounts.models import User\n"
    f"person = User.objects.get(username='bench'); person.set_password('{PASSWORD}'); person.save()"
)
# One sentence of 600 words, which the demo's model quotes: 30 seconds.
DRAFT = "- name: policy\n  content: |\n    " + "and so on " * 200 + "\n- name: question\n  content: And so on?\n"


def main() -> None:
    """Measure, print, and judge."""
    if shutil.which("wrk") is None:
        sys.exit("This benchmark needs wrk (apt install wrk).")
    print(f"load of this machine before: {os.getloadavg()[0]:.1f}")
    with seeded() as (home, port, keys, environment):
        model_port = servers.free_port()
        entry = f"{{base_url: 'http://127.0.0.1:{model_port}/v1', concurrency: 32}}"
        (home / "models.yml").write_text(f"demo: {entry}\n")
        servers.run([sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", SIGN_UP], environment)
        command = [sys.executable, "-m", "registry.starter.demo_model", str(model_port)]
        with servers.started(command, model_port, environment, ROOT):
            address = f"http://127.0.0.1:{port}"
            alone, beside = measure_in_turns(address, keys[0])
    for name in ("p50", "p99"):
        report_ratio(name, [getattr(load, name) for load in alone], [getattr(load, name) for load in beside])
    ratios = [statistics.median(getattr(load, name) for load in beside) for name in ("p50", "p99")]
    limits = [GATE * statistics.median(getattr(load, name) for load in alone) for name in ("p50", "p99")]
    sys.exit(0 if all(ratio <= limit for ratio, limit in zip(ratios, limits, strict=True)) else 1)


def measure_in_turns(address: str, key: str) -> tuple[list[Load], list[Load]]:
    """The fetches without and with replies beside them, in turns."""
    url = f"{address}/api/v1/templates/{NAME}@1"
    wrk(url, key, CONNECTIONS, 2, rate=RATE)
    alone, beside = [], []
    for _ in range(ROUNDS):
        alone.append(wrk(url, key, CONNECTIONS, SECONDS, rate=RATE))
        with replies(address) as count:
            beside.append(wrk(url, key, CONNECTIONS, SECONDS, rate=RATE))
            print(f"  {count():>4} pieces of text a second came meanwhile", flush=True)
    return alone, beside


def report_ratio(name: str, alone: list[float], beside: list[float]) -> None:
    """Print the medians of the rounds and their ratio beside the gate."""
    before, after = statistics.median(alone), statistics.median(beside)
    verdict = "holds " if after <= GATE * before else "MISSED"
    print(f"  {verdict} {name}: {before:.2f} ms alone, {after:.2f} ms beside {REPLIES} replies: {after / before:.2f}")


@contextmanager
def replies(address: str) -> Iterator[object]:
    """50 replies under way for the time of the block; gives how many pieces of text a second came since it began."""
    events = [0]
    stop, ready = threading.Event(), threading.Event()

    async def stream_all() -> None:
        limits = httpx.Limits(max_connections=REPLIES + 4)
        async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
            await sign_in(client)
            columns = [column for _ in range((REPLIES + 3) // 4) for column in await start_run(client)][:REPLIES]
            tasks = [asyncio.create_task(read_stream(client, column, events)) for column in columns]
            await asyncio.sleep(2)
            ready.set()
            while not stop.is_set():
                await asyncio.sleep(0.1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    thread = threading.Thread(target=lambda: asyncio.run(stream_all()), daemon=True)
    thread.start()
    if not ready.wait(120):
        sys.exit("the replies did not start")
    began, before = time.monotonic(), events[0]
    try:
        yield lambda: round((events[0] - before) / (time.monotonic() - began))
    finally:
        stop.set()
        thread.join()


async def sign_in(client: httpx.AsyncClient) -> None:
    """Sign the seeds' person in."""
    await client.get("/login")
    fields = {"username": "bench", "password": PASSWORD, "csrfmiddlewaretoken": client.cookies["promptuary-csrf"]}
    answer = await client.post("/login", data=fields, headers={"Referer": str(client.base_url)})
    if answer.status_code != 302:
        sys.exit("the sign-in failed")


async def start_run(client: httpx.AsyncClient) -> list[int]:
    """The ids of four columns that are ready to be streamed."""
    columns = [{"source": "draft", "document": DRAFT, "model": "demo"}] * 4
    headers = {"X-CSRFToken": client.cookies["promptuary-csrf"], "Referer": str(client.base_url)}
    answer = await client.post("/t/bench/tried/-/run/start", json={"columns": columns, "inputs": {}}, headers=headers)
    if answer.status_code != 201:
        sys.exit(answer.text)
    return [column["id"] for column in answer.json()["columns"]]


async def read_stream(client: httpx.AsyncClient, column: int, events: list[int]) -> None:
    """Count the pieces of one reply."""
    async with client.stream("GET", f"/live/playground/{column}") as answer:
        async for line in answer.aiter_lines():
            events[0] += line == "event: text"


if __name__ == "__main__":
    main()
