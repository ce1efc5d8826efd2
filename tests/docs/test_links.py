"""Links between documentation pages lead to a page of the documentation, and to a heading that it has."""

import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
CODE_BLOCK = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
HEADING_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
HTML_ID = re.compile(r'\bid="([^"]+)"')


def list_links(page: Path) -> list[str]:
    """The links of a page within the repository, with their anchors, without those in code."""
    links = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    return [link for link in links if "://" not in link and not link.startswith("mailto:")]


def find_target(page: Path, link: str) -> Path:
    path = link.partition("#")[0]
    return (page.parent / path).resolve() if path else page


def list_anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as Python-Markdown's `toc` makes them for the site, and its HTML ids."""
    text = CODE_BLOCK.sub("", text)
    counts: Counter[str] = Counter()
    anchors = set(HTML_ID.findall(text))
    for heading in HEADING.findall(text):
        slug = make_slug(HEADING_LINK.sub(r"\1", heading))
        anchors.add(f"{slug}_{counts[slug]}" if counts[slug] else slug)
        counts[slug] += 1
    return anchors


def make_slug(heading: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_text).strip().lower())


def has_anchor(page: Path, link: str) -> bool:
    """Whether the linked page has the heading that the link names; true for a link without an anchor."""
    anchor, target = link.partition("#")[2], find_target(page, link)
    return not anchor or target.suffix != ".md" or anchor in list_anchors(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_a_link_leads_to_a_heading_of_the_documentation(page):
    targets = {link: find_target(page, link) for link in list_links(page)}
    assert [link for link, path in targets.items() if not (path.is_file() and path.is_relative_to(DOCS))] == []
    assert [link for link in targets if not has_anchor(page, link)] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_a_link_at_the_top_leads_to_something_in_the_repository(name):
    page = ROOT / name
    links = list_links(page)
    assert [link for link in links if not find_target(page, link).exists()] == []
    assert [link for link in links if not has_anchor(page, link)] == []


def test_anchors_are_made_as_the_site_makes_them():
    page = "# The `--demo` option\n## Was ist é?\n## Same\n## Same\n```\n# no heading\n```\n"
    page += '<a id="place"></a>\n## See [the page](a.md#b) #\n'
    assert list_anchors(page) == {"the-demo-option", "was-ist-e", "same", "same_1", "place", "see-the-page"}


def test_a_missing_heading_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Known\n[here](#known) [there](other.md#gone) [file](data.json#any)\n", encoding="utf-8")
    (tmp_path / "other.md").write_text("# Here\n", encoding="utf-8")
    assert [link for link in list_links(page) if not has_anchor(page, link)] == ["other.md#gone"]
