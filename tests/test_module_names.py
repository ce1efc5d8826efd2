"""Each of our files is one module: links inside `promptuary/` must not load one twice under two names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("renderer", "evaluation", "promptuary", "registry", "frontend")
SERVER = r"""
import importlib, pkgutil, sys
import django

django.setup()
for package in ("promptuary", "registry", "frontend"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
for name, module in list(sys.modules.items()):
    if getattr(module, "__file__", None):
        print(name, module.__file__, sep="\t")
"""


def names_of_files(modules: list[tuple[str, str]]) -> dict[Path, set[str]]:
    """Our files, without links, and the names under which each is loaded."""
    names: dict[Path, set[str]] = {}
    for name, file in modules:
        path = Path(file).resolve()
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS:
            names.setdefault(path, set()).add(name)
    return names


@pytest.mark.slow
def test_the_server_loads_no_file_under_two_names(tmp_path):
    environment = {**os.environ, "PROMPTUARY_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "registry.settings"}
    command = [sys.executable, "-c", SERVER]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    names = names_of_files([(name, file) for name, file in lines])
    assert {path: loaded for path, loaded in names.items() if len(loaded) > 1} == {}
    assert len({path for path in names if path.is_relative_to(ROOT / "renderer")}) > 100
    assert not {"renderer", "evaluation"} & {name for loaded in names.values() for name in loaded}


def test_the_tests_load_no_file_under_two_names():
    loaded = [
        (name, module.__file__) for name, module in list(sys.modules.items()) if getattr(module, "__file__", None)
    ]
    assert {path: names for path, names in names_of_files(loaded).items() if len(names) > 1} == {}
