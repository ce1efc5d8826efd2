"""Installs packages into the environment whose Python runs it: `.venv/bin/python deploy/install_packages.py -r FILE`.

`--python PATH` names another environment; the other options are those that `uv pip install` and `pip install` have in
common. uv takes a fifth of pip's time for the same packages. It does not read pip's configuration, so the settings that
name an index, certificates or constraints are handed on. Where uv cannot be installed or fails, pip installs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
UV = (sys.executable, "-m", "uv")
SETTING = re.compile(r"^(?:global|install|:env:)\.([a-z-]+)='(.*)'$", re.MULTILINE)
# pip's name of a setting, the environment variable from which uv reads the same, and what separates its values.
UV_VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "constraint": ("UV_CONSTRAINT", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "proxy": ("ALL_PROXY", " "),
}


def main(arguments: Sequence[str]) -> int:
    """Install what the arguments name; the exit code is that of the installer that ran last."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--python", default=sys.executable)
    known, options = parser.parse_known_args(arguments)
    if install_uv():
        environment = build_uv_environment(read_settings(_run([*PIP, "config", "list"], is_captured=True).stdout))
        command = [*UV, "pip", "install", "-q", "--compile-bytecode", "--python", known.python, *options]
        if _run(command, environment).returncode == 0:
            return 0
        sys.stderr.write("uv could not install the packages; pip installs them, which takes longer.\n")
    return _run([*PIP, "--python", known.python, "install", "-q", "--no-warn-conflicts", *options]).returncode


def install_uv() -> bool:
    """Install uv unless it is here; False if that fails."""
    if _run([*UV, "--version"], is_captured=True).returncode == 0:
        return True
    return _run([*PIP, "install", "-q", "-c", str(ROOT / "constraints.txt"), "uv"], is_captured=True).returncode == 0


def read_settings(printed: str) -> dict[str, str]:
    """Read the settings from what `pip config list` prints; the environment's come first there, and win."""
    settings: dict[str, str] = {}
    for name, value in SETTING.findall(printed):
        settings.setdefault(name, value.replace("\\n", " "))
    return settings


def build_uv_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, with pip's settings where it says nothing of its own about uv."""
    # Like pip, take a version from any of the indexes; uv would stop at the first that has the package.
    built = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_LINK_MODE": "copy"}
    for name, (variable, separator) in UV_VARIABLES.items():
        if name in settings:
            built[variable] = separator.join(settings[name].split())
    return built | os.environ


def _run(
    command: Sequence[str], environment: Mapping[str, str] | None = None, *, is_captured: bool = False
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  # commands of this file, with the options of the Makefile
        command, env=environment, capture_output=is_captured, text=True, check=False
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
