"""The pages' templates compile and stay readable: no long lines, and a partial documents its purpose and context."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

MAX_LENGTH = 120
FOLDER = Path(__file__).parents[2] / "frontend" / "templates"
BEGINNING = re.compile(r"(?:{% (?:load|extends) [^%]*%}\s*)*{% comment %}\s*\S")


@pytest.mark.parametrize("name", sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.*")))
def test_each_template_compiles(name: str) -> None:
    get_template(name)


def test_no_template_line_is_too_long():
    too_long = [
        f"{path.relative_to(FOLDER)}:{number} has {len(line)} characters"
        for path in sorted(FOLDER.rglob("*.html"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > MAX_LENGTH
    ]
    assert too_long == []


def test_each_part_of_a_page_begins_with_what_it_is():
    without = [
        str(path.relative_to(FOLDER))
        for path in sorted(FOLDER.rglob("_*.html"))
        if not BEGINNING.match(path.read_text(encoding="utf-8"))
    ]
    assert without == []
