"""The comment at the top of a template lists the variables that it needs: each is used there or in an included one."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "frontend/templates"
COMMENT = re.compile(r"{% comment %}(.*?){% endcomment %}", re.DOTALL)
INCLUDE = re.compile(r'{% (?:include|extends) "([^"]+)"')
NEEDED = re.compile(r"`([a-z_]+)`")


def read_body(path: Path) -> str:
    """The template without its comments, followed by the templates that it includes or extends."""
    body = COMMENT.sub("", path.read_text(encoding="utf-8"))
    included = (FOLDER / name for name in INCLUDE.findall(body))
    return body + "".join(read_body(other) for other in included if other != path and other.is_file())


def list_needed(path: Path) -> list[str]:
    comment = COMMENT.search(path.read_text(encoding="utf-8"))
    needs = (comment[1] if comment else "").partition("Needs ")[2].partition(". ")[0]
    return [name for name in NEEDED.findall(needs) if not name.endswith("_context")]


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.html")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_each_needed_name_is_used(path):
    body = read_body(path)
    assert [name for name in list_needed(path) if not re.search(rf"\b{name}\b", body)] == []
