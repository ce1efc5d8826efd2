"""Regular expressions mean the same in every Python from 3.11."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
POSSESSIVE_GROUP = re.compile(r"\(\?.*\)(?:[*+?]|\{\d*,?\d*\})\+")
FOLDERS = ("promptuary", "registry", "frontend", "renderer", "evaluation")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_group_is_repeated_possessively(folder: str) -> None:
    """Python before 3.11.5, as in Debian 12, matches `(?:a|b+)*+` wrongly, but an atomic `(?>(?:a|b+)*)` rightly."""
    paths = [path for path in (ROOT / folder).resolve().rglob("*.py") if "node_modules" not in path.parts]
    assert paths
    lines = [(path, line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    assert [f"{path}: {line.strip()}" for path, line in lines if POSSESSIVE_GROUP.search(line)] == []


def test_a_possessive_group_is_found() -> None:
    assert POSSESSIVE_GROUP.search("(?:a|b+)*+")
    assert POSSESSIVE_GROUP.search("(?P<name>a){0,3}+")
    assert not POSSESSIVE_GROUP.search("(?>(?:a|b++)*)[a-z]*+")
