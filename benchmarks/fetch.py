"""How fast a pinned version is fetched: `python benchmarks/fetch.py`, a minute; needs wrk.

Starts the registry as it ships (granian, 2 workers, every feature on) in a home of its own with a template in it, and
measures keyed fetches by number and by label beside

* granian giving the same bytes and doing nothing else: the most this server could reach,
* the registry's own Django path: what a request costs that is not answered ahead of Django,
* nginx with the same bytes in a file, and `mlflow server` with the same prompt, where they are installed.

All run on this machine in the same run, in turns, so read the ratios and not the figures.
"""

import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "bench/reply"
DOCUMENT = (
    "- name: question\n  content: |\n" + "    Answer the question from the excerpts, and say where it stands.\n" * 25
)
CONNECTIONS = (8, 32, 64)
ROUNDS, SECONDS = 3, 1
SETUP = f"""
import django; django.setup()
from registry.access import Actor
from registry.models import User
from registry.services import keys, labels, namespaces, templates
actor = Actor(User.objects.create(username="bench"))
namespaces.create(actor=actor, name="bench")
templates.save(actor=actor, name={NAME!r}, document={DOCUMENT!r}, message="")
labels.move(actor=actor, name={NAME!r}, label="production", version=1, expected=None)
print(keys.issue(actor=actor, namespace="bench", name="bench", scope="read").secret)
"""
CEILING = """
from pathlib import Path
body = Path({path!r}).read_bytes()
headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("ETag", '"x"')]
def application(environ, start_response):
    start_response("200 OK", headers)
    return (body,)
"""


def main() -> None:
    """Measure and print the table."""
    if shutil.which("wrk") is None:
        sys.exit("This benchmark needs wrk (apt install wrk).")
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="promptuary-bench-")))
        port = free_port()
        environment = {
            **os.environ,
            "PROMPTUARY_HOME": str(home),
            "PORT": str(port),
            "PROMPTUARY_RATE_CALLER": "1000000/s",
        }
        environment["DJANGO_SETTINGS_MODULE"] = "registry.settings"
        run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], environment)
        key = run([sys.executable, "-c", SETUP], environment).strip().splitlines()[-1]
        stack.enter_context(granian("registry.wsgi:application", port, environment, ROOT))
        base = f"http://127.0.0.1:{port}/api/v1/templates/{NAME}"
        (home / "body.json").write_bytes(fetch(f"{base}@1", key))
        targets = {
            "Promptuary, by number": (f"{base}@1", key),
            "Promptuary, by label": (f"{base}@production", key),
            "Promptuary, Django's path": (base, key),
            "granian, the same bytes": (stack.enter_context(ceiling(home, environment)), ""),
        }
        if shutil.which("nginx"):
            targets["nginx, a static file"] = (stack.enter_context(nginx(home)), "")
        if shutil.which("mlflow"):
            targets["mlflow server"] = (stack.enter_context(mlflow(home, environment)), "")
        report(measure(targets))


def measure(targets: dict[str, tuple[str, str]]) -> dict[str, dict[int, tuple[float, float]]]:
    """Target to connections to (requests/s, p99 in ms): medians of the rounds, each round one turn of everything."""
    seen: dict[str, dict[int, list[tuple[float, float]]]] = {name: {} for name in targets}
    for _ in range(ROUNDS):
        for count in CONNECTIONS:
            for name, (url, key) in targets.items():
                seen[name].setdefault(count, []).append(wrk(url, key, count))
    return {
        name: {
            count: (median(row[0] for row in rows), median(row[1] for row in rows)) for count, rows in counts.items()
        }
        for name, counts in seen.items()
    }


def report(rows: dict[str, dict[int, tuple[float, float]]]) -> None:
    """Print the table and the ratios."""
    print(f"{'':28}" + "".join(f"{f'{count} conn. req/s':>18}{'p99 ms':>9}" for count in CONNECTIONS))
    for name, counts in rows.items():
        print(f"{name:28}" + "".join(f"{counts[count][0]:>18,.0f}{counts[count][1]:>9.1f}" for count in CONNECTIONS))
    pinned = rows["Promptuary, by number"]
    print("\nfetch by number, as a multiple of")
    for name, counts in rows.items():
        if name != "Promptuary, by number":
            print(f"  {name:28}" + "".join(f"{pinned[count][0] / counts[count][0]:>10.2f}x" for count in CONNECTIONS))


def wrk(url: str, key: str, connections: int) -> tuple[float, float]:
    """Requests a second and the p99 in ms; any answer but 200 ends the benchmark."""
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{SECONDS}s",
        "--latency",
        "-H",
        f"Authorization: Bearer {key}",
        url,
    ]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        sys.exit(f"{url}: {text}")
    rate, p99 = re.search(r"Requests/sec:\s+([\d.]+)", text), re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    if rate is None or p99 is None:
        sys.exit(f"wrk said something unexpected: {text}")
    return float(rate[1]), float(p99[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[p99[2]]


@contextmanager
def granian(target: str, port: int, environment: dict[str, str], folder: Path) -> Iterator[None]:
    """The server as `manage.py serve` starts it."""
    command = [
        str(Path(sys.executable).with_name("granian")),
        "--interface",
        "wsgi",
        "--port",
        str(port),
        "--workers",
        "2",
    ]
    command += ["--blocking-threads", "4", "--no-ws", "--log-level", "error", target]
    with started(command, port, environment, folder):
        yield


@contextmanager
def ceiling(home: Path, environment: dict[str, str]) -> Iterator[str]:
    """granian with an application that gives the same bytes."""
    (home / "ceiling.py").write_text(CEILING.format(path=str(home / "body.json")))
    port = free_port()
    with granian("ceiling:application", port, environment, home):
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def nginx(home: Path) -> Iterator[str]:
    """nginx with the same bytes in a file."""
    port = free_port()
    settings = f"""
    daemon off; pid {home}/nginx.pid; error_log {home}/nginx.log; worker_processes 2;
    events {{ worker_connections 512; }}
    http {{ access_log off; server {{ listen 127.0.0.1:{port}; root {home}; }} }}
    """
    (home / "nginx.conf").write_text(settings)
    with started(["nginx", "-c", str(home / "nginx.conf")], port, dict(os.environ), home):
        yield f"http://127.0.0.1:{port}/body.json"


@contextmanager
def mlflow(home: Path, environment: dict[str, str]) -> Iterator[str]:
    """mlflow's registry with its defaults and the same text as a prompt's first version."""
    port = free_port()
    command = ["mlflow", "server", "--port", str(port), "--backend-store-uri", f"sqlite:///{home}/mlflow.db"]
    with started(command, port, environment, home, patience=120):
        code = f"import mlflow; mlflow.set_tracking_uri('http://127.0.0.1:{port}')\n"
        code += f"mlflow.genai.register_prompt(name='reply', template={DOCUMENT!r})"
        run(["mlflow", "--version"], environment)
        run([str(Path(shutil.which("mlflow") or "").with_name("python")), "-c", code], environment)
        yield f"http://127.0.0.1:{port}/api/2.0/mlflow/model-versions/get?name=reply&version=1"


@contextmanager
def started(
    command: list[str], port: int, environment: dict[str, str], folder: Path, patience: float = 30
) -> Iterator[None]:
    """A server for the time of the block, once its port answers."""
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as server:
        try:
            deadline = time.monotonic() + patience
            while not answers(port):
                if server.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"{command[0]} does not start")
                time.sleep(0.1)  # bounded polling: another process gives no signal
            yield
        finally:
            server.terminate()


def fetch(url: str, key: str) -> bytes:
    """The body of one answer."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=30) as response:
        body: bytes = response.read()
    return body


def run(command: list[str], environment: dict[str, str]) -> str:
    """A command's output."""
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def answers(port: int) -> bool:
    """Whether somebody listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port that nobody uses at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


median = statistics.median

if __name__ == "__main__":
    main()
