"""The help: every page is public, and every link resolves."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from frontend.help.documents import find_page, list_pages

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted((ROOT / "frontend/templates").rglob("*.html"))
TERM = re.compile(r"{% term [\"']([^\"']+)[\"']")


class Anchors(HTMLParser):
    """The ids and the links of a page."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            assert found["id"] not in self.ids
            self.ids.add(found["id"])
        if "href" in found:
            self.links.append(found["href"])


@pytest.fixture
def stranger(db) -> Client:
    return Client()


@pytest.mark.parametrize("path", list_pages())
def test_each_page_is_served_to_anyone(path, stranger):
    response = stranger.get(f"/help/{path}")
    assert response.status_code == 200
    assert f"<title>{find_page(path).title}" in response.content.decode().replace("&#x27;", "'").replace("&amp;", "&")


@pytest.mark.parametrize("path", list_pages())
def test_each_link_of_a_page_leads_somewhere(path):
    for link in Anchors(find_page(path).html).links:
        if "://" in link or link.startswith("mailto:"):
            continue
        address, anchor = urldefrag(link)
        target = path
        if address.startswith("/help/"):
            target = address.removeprefix("/help/")
        elif address:
            try:
                resolve(address)
            except Resolver404:
                pytest.fail(f"{link} is no page")
            continue
        assert not anchor or anchor in Anchors(find_page(target).html).ids, link


def test_a_code_leads_to_its_page_and_the_page_shows_the_example(stranger):
    page = stranger.get("/help/problems/PT208").content.decode()
    assert "Tell a story about {topic}." in page
    assert "How to fix it" in page


def test_the_start_of_the_help_lists_the_pages(stranger):
    page = stranger.get("/help/").content.decode()
    assert 'href="/help/reference/problems"' in page
    assert 'href="/help/glossary"' in page


@pytest.mark.parametrize("path", ["nothing", "problems/PT999", "../README", "architecture/README", "problems/PT101.md"])
def test_an_address_without_a_page_is_answered_as_one(path, stranger):
    response = stranger.get(f"/help/{path}")
    assert response.status_code == 404
    assert "There is no help page" in response.content.decode()


def test_comments_of_a_file_are_not_shown():
    assert "generated:" not in find_page("reference/problems").html


def test_each_term_that_a_template_links_is_in_the_glossary():
    entries = Anchors(find_page("glossary").html).ids
    used = {name for path in TEMPLATES for name in TERM.findall(path.read_text(encoding="utf-8"))}
    assert used
    assert {name for name in used if name.replace(" ", "-") not in entries} == set()


def test_the_key_sheet_and_the_help_page_name_the_same_keys():
    script = (ROOT / "frontend/src/app/keys.ts").read_text(encoding="utf-8")
    sheet = re.findall(r'^  \["(.+?)", gettext\("(.+?)"\)\],', script, re.MULTILINE)
    page = (ROOT / "docs/reference/keys.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(.+?)` \| (.+?) \|$", page, re.MULTILINE) == sheet
