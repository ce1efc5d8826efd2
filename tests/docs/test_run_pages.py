"""The pages' commands and programs, run as written against a demo server that is started once."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.model_provider import serve_models
from tests.docs.pages import ROOT, list_run_pages, write_program
from tests.support.instances import Instance
from tests.support.server_process import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Iterator[tuple[Instance, Server]]:
    """The demo, as `make run` starts it."""
    place = Instance(tmp_path_factory.mktemp("docs") / "home")
    place.home.mkdir(mode=0o700)
    server = Server(place, "--demo")
    try:
        server.start()
        yield place, server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def models() -> Iterator[str]:
    """The address of a provider of models that answers with canned replies."""
    with serve_models() as url:
        yield url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the commands of a page run: like the clone's folder, with its environment and its `manage.py`."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for name in ("manage.py", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("promptuary", "uvicorn", "celery"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n')
        (programs / name).chmod(0o755)
    # A server that a page starts in the background needs a moment before it answers.
    (tmp_path / ".curlrc").write_text("retry = 60\nretry-delay = 1\nretry-connrefused\n")
    return tmp_path


@pytest.mark.parametrize("page", list_run_pages(), ids=lambda page: page.stem)
def test_a_page_runs_as_written(page, demo, models, folder):
    place, server = demo
    more = {
        "HOME": str(folder),
        "PATH": f"{folder}/programs:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PORT": str(server.port),
        "PROMPTUARY_URL": server.url,
        "PROMPTUARY_CACHE": str(place.home.parent / "cache"),
        "OPENAI_BASE_URL": f"{models}/v1",
        "OPENAI_API_KEY": "unused",
        "ANTHROPIC_BASE_URL": models,
        "ANTHROPIC_API_KEY": "unused",
        "NO_PROXY": "*",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", write_program(page, server.url)],
        cwd=folder,
        env=place.environment(**more),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    told = re.sub(r"pb_\w+", "pb_…", f"{done.stdout}\n{done.stderr}")
    assert done.returncode == 0, told[-4000:]
