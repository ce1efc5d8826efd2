"""The image's locked requirements are those of the tests, each with the hashes of its files."""

import re
from importlib import metadata

import pytest

from tests.docs.pages import ROOT

ENTRY = re.compile(
    r"^([A-Za-z0-9._-]+)==([^\s;]+)( ; [^\\\n]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)", re.M
)
PAIRS = [
    ("requirements.txt", "requirements.lock"),
    ("requirements-vocabularies.txt", "requirements-vocabularies.lock"),
]


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.partition("[")[0]).lower()


def pins(name: str) -> dict[str, str]:
    found = re.findall(r"^([A-Za-z0-9._\[\],-]+)==([^\s;]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return {normalized(package): version for package, version in found}


@pytest.mark.parametrize(("requirements", "lock"), PAIRS)
def test_each_locked_package_has_the_hashes_of_its_files(requirements, lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert {normalized(name) for name, *_ in ENTRY.findall(text)} == set(pins(lock))
    assert ENTRY.sub("", text).strip() == ""  # no other content, such as an address


@pytest.mark.parametrize(("requirements", "lock"), PAIRS)
def test_the_lock_contains_all_requirements(requirements, lock):
    locked = pins(lock)
    assert {name: locked.get(name) for name in pins(requirements)} == pins(requirements), "run `make lock`"


def test_the_lock_holds_the_versions_of_the_constraints():
    constraints, locked = pins("constraints.txt"), pins("requirements.lock")
    differing = {name: (version, constraints[name]) for name, version in locked.items() if name in constraints}
    assert {name: pair for name, pair in differing.items() if pair[0] != pair[1]} == {}, "run `make lock`"


def test_each_locked_package_that_is_installed_has_that_version():
    locked = pins("requirements.lock")
    installed = {normalized(each.name): each.version for each in metadata.distributions()}
    others = {name: installed[name] for name in locked if name in installed and installed[name] != locked[name]}
    assert others == {}


def test_the_image_installs_by_hashes_only():
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    installs = re.findall(r"pip install .*", dockerfile)
    assert installs
    assert all("--require-hashes" in line for line in installs)
