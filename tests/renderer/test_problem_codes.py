"""Every code has its page, and every page its code."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_codes_of_the_source_are_those_of_the_reference():
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "renderer").rglob("*.py")]
    used = {code for text in sources for code in re.findall(r'"(PT\d{3})"', text)}
    page = (ROOT / "docs" / "reference" / "problems.md").read_text(encoding="utf-8")
    described = re.findall(r"^### (PT\d{3})$", page, re.MULTILINE)
    assert sorted(used) == sorted(described)
