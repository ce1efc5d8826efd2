"""Writes docs/reference/licences.md: the licence of each package that a running Promptuary contains.

    .venv/bin/python docs/generate_licences.py          write the page
    .venv/bin/python docs/generate_licences.py --check  write nothing; exit with 1 if the page is not up to date

The Python packages are those that requirements.lock and requirements-vocabularies.lock list for this system and the
image's Python. Their licences are read from the metadata of the installed packages. The packages of the browser's
bundle, with their licences, are read from package-lock.json.
"""

import json
import re
import sys
from importlib import metadata
from pathlib import Path

from packaging.markers import Marker

__all__ = ["PAGE", "write_page"]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "licences.md"
LOCKS = ("requirements.lock", "requirements-vocabularies.lock")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(?: ; ([^\\\n]+))?", re.MULTILINE)
IMAGE_PYTHON = {"python_version": "3.12", "python_full_version": "3.12.0"}  # older ones take packages for their gaps
INTRODUCTION = """# Licences

Promptuary itself is licensed under Apache-2.0. These are the packages that it is installed with, as
`requirements.lock` and `frontend/package-lock.json` pin them. `docs/generate_licences.py` writes this page from the
packages' own metadata.
"""


def write_page() -> str:
    """The text of the page."""
    python = [(name, version, _find_licence(name)) for name, version in _read_python_pins()]
    return "\n".join(
        [
            INTRODUCTION,
            "## Python\n",
            _write_table(python),
            "## The browser's bundle\n",
            _write_table(_list_bundled_packages()),
        ]
    )


def _read_python_pins() -> list[tuple[str, str]]:
    """Name and version of each locked package, less those that are for other systems or another Python only."""
    pins = {pin for name in LOCKS for pin in PIN.findall((ROOT / name).read_text(encoding="utf-8"))}
    return sorted((name, version) for name, version, marker in pins if not marker or _fits(marker))


def _fits(marker: str) -> bool:
    return Marker(marker).evaluate(IMAGE_PYTHON)


def _find_licence(name: str) -> str:
    fields = metadata.metadata(name)
    if expression := fields.get("License-Expression"):
        return str(expression)
    classifiers = [each.split(" :: ")[-1] for each in fields.get_all("Classifier", []) if each.startswith("License ::")]
    named = [each for each in classifiers if each != "OSI Approved"]
    first_line = (fields.get("License") or "").strip().partition("\n")[0]
    return "; ".join(named) or (first_line if len(first_line) < 80 else "") or "see the package"


def _list_bundled_packages() -> list[tuple[str, str, str]]:
    packages = json.loads((ROOT / "frontend" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    return sorted(
        (path.rpartition("node_modules/")[2], package["version"], package.get("license", "see the package"))
        for path, package in packages.items()
        if path and not package.get("dev")
    )


def _write_table(rows: list[tuple[str, str, str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(["| package | version | licence |", "| --- | --- | --- |", *lines, ""])


def main() -> None:
    """Write the page, or with --check compare it."""
    page = write_page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page:
        sys.exit("docs/reference/licences.md is not up to date: run .venv/bin/python docs/generate_licences.py")


if __name__ == "__main__":
    main()
