"""docs/security.md: every finding of the review names existing tests."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FINDINGS = [*(f"H{n}" for n in range(1, 6)), *(f"M{n}" for n in range(1, 8)), *(f"L{n}" for n in range(1, 6))]
ROWS = re.findall(r"^\| ([HML]\d) \| .+ \| (.+) \|$", (ROOT / "docs" / "security.md").read_text(), re.MULTILINE)
NAMED = [(finding, address) for finding, cell in ROWS for address in re.findall(r"`(tests/[^`]+)`", cell)]


def test_every_finding_has_its_tests():
    assert sorted({finding for finding, _ in NAMED}) == sorted(FINDINGS)


@pytest.mark.parametrize("address", sorted({address for _, address in NAMED}))
def test_each_named_test_exists(address):
    path, _, name = address.partition("::")
    tree = ast.parse((ROOT / path).read_text())
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert any(found.startswith("test_") for found in names)
    assert not name or name in names
