"""Searchable names: a public function's name includes its object, so that it doesn't recur in many modules."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("renderer", "evaluation", "promptuary", "registry", "frontend")
MAX_MODULES = 3
# A command's entry point is called `main` everywhere, and Django calls a command's `handle`.
USUAL = {"main", "handle"}


def _modules_of_functions(package: str) -> dict[str, list[str]]:
    """{name of a public function: the modules of the package that define one}."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    # `**` does not follow the links from promptuary/ to the renderer and to evaluation, which are packages of their
    # own here.
    for path in sorted((ROOT / package).glob("**/*.py")):
        if "node_modules" in path.parts:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                module = str(path.relative_to(ROOT))
                if module not in modules[node.name]:
                    modules[node.name].append(module)
    return modules


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_function_name_is_in_more_than_three_modules(package):
    crowded = {
        name: modules
        for name, modules in _modules_of_functions(package).items()
        if len(modules) > MAX_MODULES and name not in USUAL
    }
    assert crowded == {}
