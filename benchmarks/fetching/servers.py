"""The measured servers; each runs on its own port while a `with` block lasts."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "find_free_port",
    "find_mlflow",
    "is_listening",
    "run_ceiling",
    "run_command",
    "run_mlflow",
    "run_nginx",
    "run_registry",
    "run_server",
    "run_whole_registry",
]

ROOT = Path(__file__).resolve().parent.parent.parent
HIGHER = ["nice", "-n", "-10"]  # without permission it prints a warning and runs the command anyway
CEILING = """
from pathlib import Path
body = Path({path!r}).read_bytes()
headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("ETag", '"x"')]
def application(environ, start_response):
    start_response("200 OK", headers)
    return [body]
"""
NGINX = """
daemon off; pid {home}/nginx.pid; error_log {home}/nginx.log; worker_processes 2; {user}
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {home}/n1; proxy_temp_path {home}/n2; fastcgi_temp_path {home}/n3;
  uwsgi_temp_path {home}/n4; scgi_temp_path {home}/n5;
  proxy_cache_path {home}/cache keys_zone=kept:10m;
  server {{
    listen 127.0.0.1:{port};
    location = /body.json {{ root {home}; }}
    location /api/ {{
      proxy_pass http://127.0.0.1:{behind};
      proxy_cache kept; proxy_cache_key "$request_uri $http_authorization"; proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Vary;
    }}
  }}
}}
"""


@contextmanager
def run_registry(port: int, environment: Mapping[str, str]) -> Iterator[None]:
    """Promptuary's web processes, as `manage.py serve` runs them, without a worker."""
    with run_server([sys.executable, "manage.py", "serve", "--only", "web"], port, environment, ROOT):
        yield


@contextmanager
def run_whole_registry(port: int, environment: Mapping[str, str]) -> Iterator[None]:
    """Promptuary with its worker, as `manage.py serve` runs it."""
    with run_server([*HIGHER, sys.executable, "manage.py", "serve"], port, environment, ROOT):
        yield


@contextmanager
def run_ceiling(home: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """granian with an application that returns the same bytes and does nothing else."""
    (home / "ceiling.py").write_text(CEILING.format(path=str(home / "body.json")))
    port = find_free_port()
    granian = [str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--port", str(port)]
    command = [*granian, "--workers", "2", "--blocking-threads", "4", "--no-ws", "--log-level", "error"]
    with run_server([*command, "ceiling:application"], port, environment, home):
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def run_nginx(home: Path, behind: int) -> Iterator[str]:
    """nginx with the bytes in a file, and with a cache in front of the registry that is keyed on the API key."""
    port = find_free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    (home / "nginx.conf").write_text(NGINX.format(home=home, port=port, behind=behind, user=user))
    with run_server(["nginx", "-c", str(home / "nginx.conf")], port, os.environ, home):
        yield f"http://127.0.0.1:{port}"


def find_mlflow() -> Path | None:
    """The `mlflow` program: from MLFLOW, or else from the path."""
    found = os.environ.get("MLFLOW") or shutil.which("mlflow")
    return Path(found) if found else None


@contextmanager
def run_mlflow(program: Path, home: Path, text: str) -> Iterator[str]:
    """mlflow's registry with its default settings, with the text as the first version of a prompt."""
    port = find_free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PROMPTUARY")}
    environment |= {"PATH": f"{program.parent}:{os.environ['PATH']}", "MLFLOW_DISABLE_TELEMETRY": "true"}
    command = [str(program), "server", "--port", str(port), "--backend-store-uri", f"sqlite:///{home}/mlflow.db"]
    with run_server(command, port, environment, home, patience=180):
        code = f"import mlflow; mlflow.set_tracking_uri('http://127.0.0.1:{port}')\n"
        code += f"mlflow.genai.register_prompt(name='reply', template={text!r})"
        run_command([str(program.with_name("python")), "-c", code], environment)
        yield f"http://127.0.0.1:{port}/api/2.0/mlflow/model-versions/get?name=reply&version=1"


@contextmanager
def run_server(
    command: list[str], port: int, environment: Mapping[str, str], folder: Path, patience: float = 60
) -> Iterator[None]:
    """Run a server while the block runs, which starts once the port answers."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as server:
        try:
            deadline = time.monotonic() + patience
            while not is_listening(port):
                if server.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"{command[0]} does not start")
                time.sleep(0.1)  # bounded polling: another process gives no signal
            yield
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # the workers too: each server has its own session
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                pass  # killed below
            try:
                os.killpg(server.pid, signal.SIGKILL)  # mlflow leaves workers behind that don't listen
            except ProcessLookupError:
                pass  # all of them have ended


def run_command(command: list[str], environment: Mapping[str, str]) -> str:
    """Run a command and return its output."""
    done = subprocess.run(command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:200]} failed:\n{re.sub(r'(?m)^', '  ', done.stderr[-3000:])}")
    return done.stdout


def is_listening(port: int) -> bool:
    """Whether something listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def find_free_port() -> int:
    """A port that is currently unused."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
