"""Fixtures of the browser tests: a running Promptuary with the demo in its own home folder, and Chromium."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Route,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.support.child_process import start_child
from tests.support.home_programs import HomePrograms
from tests.support.server_process import wait_for_demo

ROOT = Path(__file__).resolve().parents[2]
# The same engine without the browser's own windows takes a third of the processor time for each new context.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
# Refusals that tests provoke; the browser's console logs them as errors.
WANTED_REFUSALS = (
    "status of 401",
    "status of 403",
    "status of 409",
    "status of 412",
    "status of 413",
    "status of 422",
    "ERR_INTERNET_DISCONNECTED",
)
START_SECONDS = 280  # two servers may load the demo concurrently on a busy machine
# Two servers, two workers and two browsers share two cores; the default of 5 seconds is too short for a long page.
expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests without Chromium or the built scripts."""
    reason = ""
    if CHROMIUM is None:
        reason = "Chromium is not installed"
    elif not (ROOT / "frontend/static/frontend/dist/editor.js").exists():
        reason = "the frontend is not built (npm run build in frontend/)"
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker("browser")
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


@dataclass(frozen=True)
class Server:
    """A running Promptuary: web server and worker."""

    url: str
    home: Path

    @property
    def key(self) -> str:
        """The demo's reading key for the namespace support."""
        return (self.home / "demo-key").read_text(encoding="ascii").strip()

    @property
    def mirror(self) -> Path:
        return self.home / "mirror.git"

    @cached_property
    def programs(self) -> HomePrograms:
        return HomePrograms(self.home)

    def run_program(self, program: str, *arguments: str, timeout: float = 240) -> str:
        """Run a program of tests/support in the server's home; what it printed. timeout: seconds."""
        return self.programs.run(program, arguments, timeout)

    def close(self) -> None:
        """End the process of the programs, if one was run."""
        if "programs" in vars(self):
            self.programs.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One of this tree, or the one with the demo that TEST_SERVER_URL and TEST_SERVER_HOME name."""
    if running := os.environ.get("TEST_SERVER_URL"):
        with closing(Server(running, Path(os.environ["TEST_SERVER_HOME"]))) as ours:
            yield ours
        return
    home = tmp_path_factory.mktemp("home")
    port = _find_free_port()
    facts = {"PROMPTUARY_HOME": str(home), "PORT": str(port), "DJANGO_SETTINGS_MODULE": "registry.settings"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PROMPTUARY_")}
    log = home / "server.log"
    with log.open("wb") as output:
        process = start_child(
            [sys.executable, "manage.py", "serve", "--demo"],
            cwd=ROOT,
            env={**environment, **facts},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/login", process, log)
            wait_for_demo(home)
            with closing(Server(f"http://127.0.0.1:{port}", home)) as ours:
                yield ours
        finally:
            _stop(process)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@dataclass
class Visit:
    """Opens windows for people and remembers what their consoles complained of."""

    browser: Browser
    server: Server
    sessions: dict[str, list[Any]]
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, person: str = "", path: str = "/", mode: str = "source", **options) -> Page:
        """A new window at a path, with the person signed in; options are Playwright's for a context.

        mode: how the editor shows documents to this person, source or form, as if it had been picked before.
        """
        options.setdefault("viewport", DESKTOP)
        options.setdefault("base_url", self.server.url)
        # Colours, which the tests measure, change immediately instead of over 120 ms.
        options.setdefault("reduced_motion", "reduce")
        context = self.browser.new_context(**options)
        context.set_default_timeout(30_000)
        context.add_init_script(f"localStorage.getItem('editor-mode') ?? localStorage.setItem('editor-mode', '{mode}')")
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"error in {page.url}: {error}"))
        if person:
            self._sign_in(context, person)
        page.goto(path)
        return page

    def _sign_in(self, context: BrowserContext, person: str) -> None:
        if person not in self.sessions:
            page = context.new_page()
            page.goto("/login")
            page.get_by_label("Account").fill(person)
            page.get_by_label("Password").fill(f"{person}-promptuary")
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(lambda url: "/login" not in url)
            self.sessions[person] = context.cookies()
            page.close()
        context.add_cookies(self.sessions[person])

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(wanted in message.text for wanted in WANTED_REFUSALS):
            self.complaints.append(f"console of {message.location.get('url')}: {message.text}")


@pytest.fixture(scope="session")
def sessions() -> dict[str, list[Any]]:
    return {}


@pytest.fixture
def visit(browser: Browser, server: Server, sessions: dict[str, list[Any]]) -> Iterator[Visit]:
    """Windows for one test; it fails if a console shows an error, a refused style or script among them."""
    made = Visit(browser, server, sessions)
    yield made
    for context in made.contexts:
        for page in context.pages:
            page.close()  # tells the server that the editor was closed; ending the context alone doesn't
        context.close()
    assert made.complaints == []


@pytest.fixture
def fetch(server: Server) -> Callable[[str], httpx.Response]:
    """Fetches an address of the API as the demo's service would."""

    def get(path: str) -> httpx.Response:
        return httpx.get(f"{server.url}/api/v1{path}", headers={"Authorization": f"Bearer {server.key}"}, timeout=60)

    return get


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits for something the worker or another process does, at most a minute."""

    def wait(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, "it did not come about within a minute"
            time.sleep(0.1)  # bounded polling: another process gives no signal

    return wait


def wait_until_held(page: Page, held: list[Route]) -> None:
    """Wait until a request of the page has come to the route that holds it; at most half a minute."""
    for _ in range(600):
        if held:
            return
        page.wait_for_timeout(50)  # bounded polling: Playwright tells the route meanwhile
    raise AssertionError("no request came that is held")


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the server ended: {log.read_text(errors='replace')[-3000:]}"
        try:
            if httpx.get(url, timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            pass  # not up yet
        time.sleep(0.2)  # bounded polling: another process gives no signal
    raise AssertionError(f"no answer within {START_SECONDS} s: {log.read_text(errors='replace')[-3000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the group that was started here to end, then make it."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            break
        try:
            process.wait(timeout=15)
            break
        except subprocess.TimeoutExpired:
            continue


def make_four_templates(server: Server, namespace: str) -> None:
    """Make a namespace with four templates on the running server; one of them fails its samples."""
    server.run_program("browser_release_data.py", namespace)
