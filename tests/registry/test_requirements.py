"""The server imports only what `make run` installs, although the tests run with much more."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = r"""
import importlib, pkgutil, re, sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from importlib.abc import MetaPathFinder
from packaging.requirements import Requirement

def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()

def below(requirement, found):
    # With the extras that were asked for: a package is met again for each of them.
    for extra in {"", *requirement.extras}:
        if (plain(requirement.name), extra) in found:
            continue
        found.add((plain(requirement.name), extra))
        try:
            wanted = requires(requirement.name) or []
        except PackageNotFoundError:
            continue
        for text in wanted:
            more = Requirement(text)
            if more.marker is None or more.marker.evaluate({"extra": extra}):
                below(more, found)
    return found

lines = [line.split("#")[0].strip() for path in sys.argv[1:] for line in open(path)]
installed = set()
for line in lines:
    if line:
        below(Requirement(line), installed)
names = {name for name, _ in installed}
others = {
    module for module, owners in packages_distributions().items() if not names & {plain(owner) for owner in owners}
} - {"promptuary"}

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others:
            raise ModuleNotFoundError(f"No module named {name!r} with what make run installs", name=name)

for name in [name for name in sys.modules if name.partition(".")[0] in others]:
    del sys.modules[name]
sys.meta_path.insert(0, Absent())
assert "pytest" in others and "django" not in others
import django
django.setup()
for package in ("promptuary.renderer", "promptuary.evaluation", "registry", "frontend"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
print("ok")
"""


def test_the_server_imports_nothing_that_make_run_does_not_install(tmp_path):
    files = [str(ROOT / "requirements.txt"), str(ROOT / "requirements-vocabularies.txt")]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *files],
        cwd=ROOT,
        env={"PROMPTUARY_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "registry.settings", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout == "ok\n", done.stderr
