"""The commands on the command line's reference page, run as written against a real server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.conftest import DOCUMENT, REPLY

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/cli.md").read_text()
BLOCKS = re.findall(
    r"^<!-- run by tests/api/test_cli_page_live.py -->\n```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)


@pytest.fixture
def environment(server, cast, tmp_path: Path) -> dict[str, str]:
    """Two templates, `promptuary` on the path, and an editor that changes a line."""
    cast.save(samples={"short question": {"question": "Where is it?"}})
    cast.publish(1)
    cast.save(name="support/summary")
    cast.move("staging", 1, name="support/summary")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, line in (
        ("promptuary", f'exec "{sys.executable}" -m promptuary "$@"'),
        ("editor", 'sed -i "s/Answer a question/Answer it/" "$1"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "EDITOR": "editor",
        "PROMPTUARY_URL": server,
        "PROMPTUARY_KEY": cast.key(scope="write"),
    }


def test_the_commands_on_the_page_run_as_written(environment, tmp_path, cast):
    folder = tmp_path / "application"
    folder.mkdir()
    for block in BLOCKS:
        done = subprocess.run(
            ["bash", "-euc", block],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    assert (folder / f"{REPLY}.yml.j2").read_text() == DOCUMENT.replace("Answer a question", "Answer it")
    assert (folder / "promptuary.templates.json").exists()
