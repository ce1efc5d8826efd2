"""A page loads its many stylesheets as two bundles, which browsers keep for good."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.test import Client

from frontend.web import stylesheets
from frontend.web.stylesheets import build_bundle_url
from tests.frontend.conftest import REPLY, read_html
from tests.support.unmarked_texts import STYLESHEETS

FRONTEND = Path(stylesheets.__file__).parents[1]
SOURCES = sorted((FRONTEND / "static/frontend/css").rglob("*.css"))
FOR_GOOD = "public, max-age=31536000, immutable"


def read_source(name: str) -> str:
    return (FRONTEND / f"static/frontend/css/{name}.css").read_text(encoding="utf-8")


def list_names(template: Path) -> list[str]:
    """The names of stylesheets in a template."""
    parts = STYLESHEETS.finditer(template.read_text(encoding="utf-8"))
    return [name for part in parts for name in re.findall(r"[\w-]+/[\w-]+", part[0])]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Iterator[Path]:
    """A folder of sources with two stylesheets, instead of the product's."""
    monkeypatch.setattr(stylesheets, "_FOLDER", tmp_path)
    (tmp_path / "web").mkdir()
    (tmp_path / "web/one.css").write_text("a { color: red }")
    (tmp_path / "web/two.css").write_text("b { color: blue }")
    yield tmp_path
    build_bundle_url.cache_clear()
    stylesheets._read_bundle.cache_clear()


def test_a_page_loads_one_bundle_of_every_page_and_one_of_its_own(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}"))
    links = re.findall(r'<link rel="stylesheet" href="(/styles/[^"]+)">', page)
    assert [urlsplit(link).path.partition(",")[0] for link in links] == [
        "/styles/web/theme",
        "/styles/diff/prompt-messages",
    ]
    assert "frontend/css/" not in page


def test_a_page_without_styles_of_its_own_loads_one_bundle(db):
    assert read_html(Client().get("/no/such")).count('href="/styles/') == 1


def test_a_panel_over_a_page_brings_one_bundle(reply, browser):
    over = {"HX-Request": "true", "HX-Target": "panel"}
    page = read_html(browser("author").get(f"/t/{REPLY}/-/propose?version=2", headers=over))
    assert page.count('href="/styles/') == 1


def test_a_bundle_is_its_sources_in_their_order():
    answer = Client().get(build_bundle_url(("web/theme", "web/badges", "web/base")))
    assert answer.content.decode() == "\n".join(map(read_source, ("web/theme", "web/badges", "web/base")))
    assert answer["Content-Type"] == "text/css; charset=utf-8"


def test_a_bundle_is_kept_for_good_and_needs_neither_session_nor_database():
    answer = Client().get(build_bundle_url(("web/theme",)))
    assert (answer.status_code, answer["Cache-Control"], answer["Vary"]) == (200, FOR_GOOD, "Accept-Encoding")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert not answer.cookies


def test_a_bundle_is_compressed_for_browsers():
    answer = Client().get(build_bundle_url(("web/theme",)), headers={"accept-encoding": "gzip, deflate, br"})
    assert answer["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.content).decode() == read_source("web/theme")


def edit(path: Path, content: str) -> None:
    """Change a stylesheet and start again."""
    path.write_text(content)
    build_bundle_url.cache_clear()
    stylesheets._read_bundle.cache_clear()


def test_an_edited_source_has_a_new_url(folder):
    before = build_bundle_url(("web/one", "web/two"))
    edit(folder / "web/two.css", "b { color: teal }")
    after = build_bundle_url(("web/one", "web/two"))
    assert after != before
    assert Client().get(after).content == b"a { color: red }\nb { color: teal }"


def test_a_url_of_another_content_is_not_kept(folder):
    url = build_bundle_url(("web/one",))
    edit(folder / "web/one.css", "a { color: green }")
    answer = Client().get(url)
    assert (answer.content, answer["Cache-Control"]) == (b"a { color: green }", "no-cache")


@pytest.mark.parametrize(
    "path",
    [
        "web/none",
        "web/theme,web/none",
        "web/theme,web/theme",
        "../web/theme",
        "web/../web/theme",
        "web//theme",
        "",
        ",",
    ],
)
def test_what_is_no_bundle_is_not_found(db, path):
    assert Client().get(f"/styles/{path}.css").status_code == 404


def test_a_bundle_is_only_read(db):
    assert Client().head(build_bundle_url(("web/theme",))).status_code == 200
    assert Client().post(build_bundle_url(("web/theme",))).status_code == 404


def test_templates_name_each_stylesheet_and_nothing_else():
    named = {name for path in (FRONTEND / "templates").rglob("*.html") for name in list_names(path)}
    assert named == {f"{path.parent.name}/{path.stem}" for path in SOURCES}


def test_a_stylesheet_can_stand_anywhere_in_a_bundle():
    """It has no relative address, nothing that must come first, and nothing open at its end."""
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"url\(|@import|@charset", source), path
        assert source.count("{") == source.count("}"), path
        assert source.count("/*") == source.count("*/"), path
