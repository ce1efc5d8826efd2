"""Links between documentation pages resolve within the documentation, so that the site can be built."""

import re

import pytest

from tests.docs.pages import ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def list_links(text: str) -> list[str]:
    """The relative links of a page, without those in code."""
    links = [link.partition("#")[0] for link in LINK.findall(CODE.sub("", text))]
    return [link for link in links if link and "://" not in link and not link.startswith("mailto:")]


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_a_link_leads_to_a_file_of_the_documentation(page):
    targets = {link: (page.parent / link).resolve() for link in list_links(page.read_text(encoding="utf-8"))}
    assert [link for link, path in targets.items() if not (path.is_file() and path.is_relative_to(DOCS))] == []


def test_a_link_of_the_readme_leads_to_something_in_the_repository():
    links = list_links((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []
