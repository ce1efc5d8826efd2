"""The command line in its own folder, without a registry."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from promptuary.commands.app import app

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROMPTUARY_URL", raising=False)
    monkeypatch.delenv("PROMPTUARY_KEY", raising=False)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])
