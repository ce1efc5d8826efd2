"""The documentation site: its links resolve, nothing is loaded from another host, axe finds no barrier."""

import functools
import os
import subprocess
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import DESKTOP, PHONE, ROOT
from tests.support.accessibility import list_barriers

MKDOCS = ROOT / ".venv/docs/bin/mkdocs"
PAGES = ["", "tutorial/first-service/", "guide/editing/", "reference/settings/", "explanation/comparison/"]
LOADED_BY = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class HtmlFile(HTMLParser):
    """The ids of one HTML file, the targets of its links, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.ids.update(filter(None, [attributes.get("id"), attributes.get("name") if tag == "a" else None]))
        for name, value in attrs:
            if tag == "a" and name == "href" and value:
                self.links.append(value)
            if (tag, name) in LOADED_BY and value and attributes.get("rel") != "canonical":
                self.loaded.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site. `make browser` installs its builder; strict, so a warning is an error."""
    if not MKDOCS.exists():
        pytest.skip("the builder of the documentation is not installed (make docs)")
    folder = tmp_path_factory.mktemp("site")
    command = [str(MKDOCS), "build", "--quiet", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "https_proxy": "http://127.0.0.1:9"}
    built = subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(_QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def html_files(site: Path) -> dict[Path, HtmlFile]:
    return {path: HtmlFile(path) for path in sorted(site.rglob("*.html"))}


def test_a_link_of_the_site_leads_to_a_file_and_its_heading(site: Path, html_files: dict[Path, HtmlFile]):
    broken = [
        f"{path.relative_to(site)}: {link}"
        for path, html in html_files.items()
        for link in [*html.links, *html.loaded]
        if not _leads_somewhere(site, html, link, html_files)
    ]
    assert len(html_files) > 100
    assert broken == []


def test_the_site_loads_nothing_from_another_host(site: Path, html_files: dict[Path, HtmlFile]):
    foreign = {
        f"{path.relative_to(site)}: {link}"
        for path, html in html_files.items()
        for link in html.loaded
        if urlsplit(link).netloc
    }
    assert foreign == set()


@pytest.mark.parametrize(("viewport", "theme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_barrier_in_a_page(browser: Browser, address: str, path: str, viewport, theme):
    options: dict[str, Any] = {"viewport": viewport, "color_scheme": theme, "reduced_motion": "reduce"}
    with browser.new_context(base_url=address, **options) as context:
        page = context.new_page()
        page.goto(path)
        assert list_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_search_of_the_site_works_without_a_network(browser: Browser, address: str):
    with browser.new_context(base_url=address) as context:
        page = context.new_page()
        page.goto("")
        page.get_by_role("textbox", name="Search").fill("emergency")
        # The page reads its index of all texts first, which takes a busy machine more than the usual five seconds.
        expect(page.locator(".md-search-result__item").first).to_contain_text("mergency", timeout=30_000)


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Keep the requests out of the output of the tests."""


def _leads_somewhere(site: Path, html: HtmlFile, link: str, html_files: dict[Path, HtmlFile]) -> bool:
    """Whether a link within the site refers to an existing file and id. Links to other hosts aren't followed."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    start = site if parts.path.startswith("/") else html.path.parent
    target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else html.path
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return False
    return not parts.fragment or target not in html_files or unquote(parts.fragment) in html_files[target].ids
