"""Copies of the tree in which code is mutated, so that the tree itself never is."""

import filecmp
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["ROOT", "Settings", "format_settings", "update_copy"]

Settings = Mapping[str, Sequence[str] | bool]

ROOT = Path(__file__).resolve().parents[2]


def update_copy(folder: Path, settings: Settings) -> Path:
    """Make the folder hold the files that Git tracks, as they are now, with `settings` as the table `tool.mutmut`.

    A file that did not change keeps its time, so that what was found out about it stays valid.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        source, target = ROOT / name, folder / name
        if not source.exists() and not source.is_symlink():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if name == "pyproject.toml":
            _write_if_changed(target, source.read_text(encoding="utf-8") + format_settings(settings))
        elif source.is_symlink():
            if not target.is_symlink():
                target.symlink_to(source.readlink())
        elif not target.exists() or not filecmp.cmp(source, target, shallow=False):
            shutil.copy2(source, target)
    return folder


def format_settings(settings: Settings) -> str:
    """The table as TOML; JSON's texts, lists and truth values are TOML's."""
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    return "\n".join(["", "[tool.mutmut]", *lines, ""])


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
