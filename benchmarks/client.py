"""What the client costs a service: `python benchmarks/client.py`, a minute and a half; needs requirements-dev.txt.

* a fresh process from its import to its first prompt, and to an exact token count, compared with langfuse's client;
* a cached get, by label and by pinned version, compared with the fastest get of the current langfuse client and a dict;
* a cold start of 200 templates: in one request, as a whole namespace, one by one;
* how long a label move takes to reach 100 live clients;
* a server that dies: renders from the cache, and how long an uncached call takes to fail.

All of it runs in one run on one machine, against one registry with its default settings, so read the ratios. Each gate
is printed with its result; the exit code is 1 if one was missed.
"""

import logging
import os
import socket
import statistics
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import httpx  # noqa: E402  # the package stands next to this folder
import langfuse  # noqa: E402  # as above
from baseline import record_ratio  # noqa: E402  # as above
from fetching import servers  # noqa: E402  # as above

from promptuary import Promptuary, Unavailable  # noqa: E402  # as above

TEMPLATES, CLIENTS, CALLS, ROUNDS = 200, 100, 200, 150
NAMES = [f"bench/t{number:03}" for number in range(TEMPLATES)]
NAME = NAMES[0]
BOUND = 2.0  # seconds, the client's default
SETUP = f"""
import django; django.setup()
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.namespaces import keys
from registry.templates import labels, save as templates
from registry.namespaces import services as namespaces
actor = Actor(User.objects.create_superuser("bench"))
namespaces.create_namespace(actor=actor, name="bench")
text = "---\\nformat: text\\n---\\n" + "Answer the question from the excerpts, and say where it stands.\\n" * 25
base = ""
for name in {NAMES!r}:
    saved = templates.save_version(actor=actor, name=name, document=text + name + " {{{{ question }}}}\\n", message="")
    base = saved.version.digest if name == {NAME!r} else base
    labels.move_label(actor=actor, name=name, label="production", version=1, expected=None)
templates.save_version(actor=actor, name={NAME!r}, document=text + "moved {{{{ question }}}}\\n", message="", base=base)
print(keys.issue_key(actor=actor, namespace="bench", name="bench", scope="write").secret)
"""
# Programs for a fresh process. Each prints since the bare package was imported: the CPU seconds, the megabytes of its
# own (without the pages of programs and libraries, which processes share), and the resident megabytes.
MEASURE = """
import sys, time
def measure():
    with open("/proc/self/status") as file:
        sizes = dict(line.split(":") for line in file)
    return [time.process_time(), *(int(sizes[name].split()[0]) / 1024 for name in ("RssAnon", "VmRSS"))]
url, key, name = sys.argv[1:]
{before}
began = measure()
{work}
print(*(after - before for after, before in zip(measure(), began)))
"""
GET = """
from promptuary import Promptuary
prompt = Promptuary(url, key, reports=False).render(name, {"question": "Where?"})
prompt.messages
"""
STARTS = {
    "Promptuary, the first prompt": ("import promptuary", GET),
    "Promptuary, its exact count too": ("import promptuary", GET + "prompt.token_count"),
    "langfuse, the first prompt": (
        "",
        "from langfuse import Langfuse\n"
        "client = Langfuse(public_key='any', secret_key=key, base_url=url, tracing_enabled=False)\n"
        "client.get_prompt(name).compile(question='Where?')",
    ),
}
_gates: list[bool] = []


def main() -> None:
    """Measure and print; exit with 1 if a gate was missed."""
    logging.disable(logging.WARNING)  # the client logs 200 warnings that the server is gone
    with tempfile.TemporaryDirectory(prefix="promptuary-bench-") as home:
        port = servers.find_free_port()
        environment = {
            **os.environ,
            "PROMPTUARY_HOME": home,
            "PORT": str(port),
            "PROMPTUARY_RATE_CALLER": "1000000/s",
            "DJANGO_SETTINGS_MODULE": "registry.settings",
        }
        servers.run_command([sys.executable, "manage.py", "migrate", "--verbosity", "0"], environment)
        key = servers.run_command([sys.executable, "-c", SETUP], environment).split()[-1]
        url = f"http://127.0.0.1:{port}"
        with servers.run_registry(port, environment):
            measure_start(url, key, environment)
            measure_cached_gets(url, key)
            measure_cold_start(url, key)
            measure_live_clients(url, key)
            survivor = Promptuary(url, key, ttl=0.2, reports=False)
            survivor.warm(NAMES)
            survivor.render(NAME, {"question": "Where?"})  # the first one reads the vocabulary
            with Promptuary(url, key, cache_dir=home, timeout=30, reports=False) as copying:
                copying.warm(NAMES)
        with survivor:
            measure_dead_server(url, key, home, survivor)
    sys.exit(0 if all(_gates) else 1)


def measure_start(url: str, key: str, environment: dict[str, str]) -> None:
    """CPU seconds, own and resident megabytes of a fresh process: medians of five interleaved runs after a warm-up."""
    # With cached byte code, as in an installed package; the first round writes it.
    environment = {**environment, "PYTHONPYCACHEPREFIX": f"{environment['PROMPTUARY_HOME']}/bytecode"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    figures: dict[str, list[list[float]]] = {name: [] for name in STARTS}
    for _ in range(6):
        for name, (before, work) in STARTS.items():
            program = MEASURE.format(before=before, work=work)
            answer = servers.run_command([sys.executable, "-c", program, url, key, NAME], environment)
            figures[name].append([float(figure) for figure in answer.split()[-3:]])
    print("\na fresh process (megabytes beyond the bare package)")
    medians = {
        name: [statistics.median(numbers) for numbers in zip(*rounds[1:], strict=True)]
        for name, rounds in figures.items()
    }
    for name, (seconds, own, resident) in medians.items():
        print(f"  {name:32} {seconds:5.2f} s   {own:5.1f} MB of its own, {resident:5.1f} MB resident")
    peer_seconds, peer_own, peer_resident = medians["langfuse, the first prompt"]
    for name, most_seconds, most_megabytes in (
        ("Promptuary, the first prompt", 0.15, 15.0),
        ("Promptuary, its exact count too", 0.5, 60.0),
    ):
        seconds, own, resident = medians[name]
        ratios = f"{seconds / peer_seconds:.2f} of langfuse's time, {own / peer_own:.2f} of its own memory"
        ratios += f", {resident / peer_resident:.2f} of the resident"
        check_gate(f"{name}: {ratios}", seconds <= most_seconds and own <= most_megabytes)


def measure_cached_gets(url: str, key: str) -> None:
    """Microseconds per call, the best of several interleaved rounds."""
    with Promptuary(url, key, ttl=600, reports=False) as ours, open_langfuse(url, key) as theirs:
        ours.get(NAME)
        ours.get(NAME, 1)
        plain = {(NAME, "production"): object()}
        calls: dict[str, Callable[[], Any]] = {
            "Promptuary, a label": lambda: ours.get(NAME),
            "Promptuary, a pin": lambda: ours.get(NAME, 1),
            "langfuse, a label": lambda: theirs.get_prompt(NAME, cache_ttl_seconds=600),
            "langfuse, a pin": lambda: theirs.get_prompt(NAME, version=1, cache_ttl_seconds=600),
            "a dictionary": lambda: plain[NAME, "production"],
        }
        rounds: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(ROUNDS):
            for name, call in calls.items():
                rounds[name].append(timeit.timeit(call, number=CALLS) / CALLS * 1e6)
    best = {name: min(times) for name, times in rounds.items()}
    print("\na cached get")
    for name, times in rounds.items():
        print(f"  {name:24} best {best[name]:7.2f} us   median {statistics.median(times):7.2f} us")
    fastest = min(best["langfuse, a label"], best["langfuse, a pin"])
    ours_slowest = max(best["Promptuary, a label"], best["Promptuary, a pin"])
    record_ratio("a cached get: langfuse's fastest / our slowest", fastest / ours_slowest)
    check_gate(f"{fastest / ours_slowest:.1f} times as fast as langfuse's fastest", 3 * ours_slowest <= fastest)


def measure_cold_start(url: str, key: str) -> None:
    """Milliseconds until 200 templates are fetched, verified and compiled."""
    print(f"\na cold start of {TEMPLATES} templates")
    spent = {}
    ways: dict[str, Callable[[Promptuary], Any]] = {
        "in one request": lambda client: client.warm(NAMES),
        "the whole namespace": lambda client: client.warm_namespace("bench"),
        "one by one": lambda client: [client.get(name) for name in NAMES],
    }
    for name, way in ways.items():
        with Promptuary(url, key, timeout=30, reports=False) as client, count_requests(client) as requests:
            started = time.perf_counter()
            way(client)
            spent[name] = time.perf_counter() - started
            print(f"  {name:24} {spent[name] * 1000:7.0f} ms   {requests[0]} requests")
            if name != "one by one":
                check_gate(f"{name}: {requests[0]} request", requests[0] == 1)
    print(f"  one request takes {spent['in one request'] / spent['one by one']:.2f} of the time of one by one")


def measure_live_clients(url: str, key: str) -> None:
    """Seconds from the response to a label move until each client returns the new version."""
    print(f"\na label move, {CLIENTS} live clients")
    with ExitStack() as stack:
        clients = [
            stack.enter_context(Promptuary(url, key, live=True, timeout=20, reports=False)) for _ in range(CLIENTS)
        ]
        for client in clients:
            client.get(NAME)
        wait_for(lambda: all(listener.cursor for client in clients for listener in client._listeners.values()), 30)
        slowest, medians = [], []
        for version, served in ((2, 1), (1, 2), (2, 1)):
            time.sleep(1.5)  # every client must be listening before the label moves
            headers = {"Authorization": f"Bearer {key}"}
            answer = httpx.put(
                f"{url}/api/v1/templates/{NAME}/-/labels/production",
                json={"version": version, "expected": served},
                headers=headers,
                timeout=30,
            )
            answer.raise_for_status()
            started = time.perf_counter()
            waiting, after = set(clients), []
            while waiting and time.perf_counter() - started < 30:
                arrived = {client for client in waiting if client.get(NAME).version == version}
                after += [time.perf_counter() - started] * len(arrived)
                waiting -= arrived
                time.sleep(0.005)  # bounded polling, as an application would do
            slowest.append(time.perf_counter() - started)
            medians.append(statistics.median(after))
    print("  half of them after " + ", ".join(f"{seconds:.2f} s" for seconds in medians))
    print("  the last one after " + ", ".join(f"{seconds:.2f} s" for seconds in slowest))
    check_gate(
        f"the median client of three moves after {statistics.median(medians):.2f} s", statistics.median(medians) <= 0.3
    )
    check_gate(f"the slowest of three moves after {max(slowest):.2f} s", max(slowest) <= 2.0)


def measure_dead_server(url: str, key: str, home: str, survivor: Promptuary) -> None:
    """After the server is gone: renders from the cache, and the time that uncached calls take to fail."""
    print("\na server that is gone")
    ended = time.monotonic() + 3
    done, slowest = 0, 0.0
    while time.monotonic() < ended:
        started = time.perf_counter()
        survivor.render(NAMES[done % TEMPLATES], {"question": "Where?"})
        slowest = max(slowest, time.perf_counter() - started)
        done += 1
    stale = survivor.get(NAME).stale
    check_gate(
        f"{done} renders from memory and none failed, the slowest {slowest * 1000:.0f} ms; stale is told: {stale}",
        stale,
    )
    with Promptuary(url, key, cache_dir=home, reports=False) as again:
        results = [again.fetch(name) for name in NAMES[:20]]
        check_gate(f"{len(results)} fetches of a new process from its disk", all(fetched.stale for fetched in results))
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for name, where in (("nobody listens", url), ("somebody listens and says nothing", address)):
            with Promptuary(where, key, timeout=BOUND, reports=False) as client:
                spent = time_failure(partial(client.get, NAME))
                check_gate(f"{name}: an error after {spent:.2f} s", spent <= BOUND + 0.3)
                spent = time_failure(partial(client.warm, NAMES))
                check_gate(f"{name}: no cold start, an error after {spent:.2f} s", spent <= BOUND + 0.3)
        with open_silent_langfuse(address, key) as theirs:
            started = time.perf_counter()
            theirs.get_prompt(NAME, fallback="x")
            print(f"  langfuse, as it ships, gives its fallback after {time.perf_counter() - started:.2f} s of silence")


def time_failure(call: Callable[[], object]) -> float:
    """Seconds until the call raises Unavailable."""
    started = time.perf_counter()
    try:
        call()
    except Unavailable:
        return time.perf_counter() - started
    sys.exit("what should have failed did not")


@contextmanager
def open_langfuse(url: str, key: str) -> Iterator[Any]:
    """Langfuse's client on the same registry."""
    connections = httpx.Client(timeout=20)
    client = langfuse.Langfuse(
        httpx_client=connections, public_key="any", secret_key=key, base_url=url, tracing_enabled=False
    )
    try:
        client.get_prompt(NAME, cache_ttl_seconds=600)
        client.get_prompt(NAME, version=1, cache_ttl_seconds=600)
        yield client
    finally:
        client.shutdown()
        connections.close()


@contextmanager
def open_silent_langfuse(url: str, key: str) -> Iterator[Any]:
    """Langfuse's client, with its default connections and limits, on an address that doesn't answer."""
    client = langfuse.Langfuse(public_key="silence", secret_key=key, base_url=url, tracing_enabled=False)
    try:
        yield client
    finally:
        client.shutdown()


@contextmanager
def count_requests(client: Promptuary) -> Iterator[list[int]]:
    """Count the requests that the client sends."""
    requests = [0]
    transport = client._transport
    plain = transport.send

    def send(request: Any) -> Any:
        requests[0] += 1
        return plain(request)

    transport.send = send  # type: ignore[method-assign]  # to count what it does, not to change it
    yield requests


def wait_for(is_so: Callable[[], object], seconds: float) -> None:
    """Wait until other threads make the condition true."""
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)  # bounded polling: the client doesn't signal that a label moved


def check_gate(description: str, is_met: bool) -> None:
    """Print a gate with its result."""
    _gates.append(is_met)
    print(f"  {'ok    ' if is_met else 'MISSED'} {description}", flush=True)


if __name__ == "__main__":
    main()
