"""`promptuary import --push` and `export` against a real server:
versions are made once, and labels stay where they are."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from promptuary.commands.app import app
from tests.api.conftest import REPLY

pytestmark = pytest.mark.slow

PROMPT = {
    "name": "Greet",
    "type": "text",
    "prompt": "Hi {{name}}\n",
    "config": {},
    "labels": ["production"],
    "tags": [],
}


@pytest.fixture
def run(server, cast, tmp_path: Path, monkeypatch):
    cast.save()
    cast.publish(1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write"))
    Path("greet.json").write_text(json.dumps(PROMPT))
    return lambda *arguments: CliRunner().invoke(app, [str(item) for item in arguments])


def _only(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    (entry,) = json.loads(result.stdout)["imported"]
    return {key: entry.get(key) for key in ("name", "result", "version")}


def _import(run, *more: str) -> dict[str, Any]:
    return _only(run("import", "greet.json", "--namespace", "support", "--push", "--json", *more))


def test_an_import_makes_a_version_once_and_moves_no_label(run, caller):
    dry = {"name": "support/greet", "result": "would be new", "version": None}
    assert _import(run, "--dry-run") == dry
    assert _import(run) == {"name": "support/greet", "result": "new", "version": 1}
    assert _import(run) == {"name": "support/greet", "result": "unchanged", "version": 1}
    assert caller("author").get("templates/support/greet").json()["labels"] == {}


def test_a_repeated_import_keeps_later_saves(run, caller):
    _import(run)
    run("pull", "support/greet")
    path = Path("support/greet.yml.j2")
    path.write_text(path.read_text() + "Bye.\n")
    run("push", "-m", "Say goodbye")
    assert _import(run) == {"name": "support/greet", "result": "unchanged", "version": 1}
    Path("greet.json").write_text(json.dumps({**PROMPT, "prompt": "Hello {{name}}\n"}))
    assert _import(run, "--dry-run")["result"] == "would change"
    assert _import(run) == {"name": "support/greet", "result": "changed", "version": 3}


def test_a_template_of_the_registry_is_exported_at_a_ref(run):
    _import(run)
    data = json.loads(run("export", "support/greet@1", "--to", "langfuse").stdout)
    assert (data["prompt"], data["name"]) == (PROMPT["prompt"], "Greet")
    refused = run("export", REPLY, "--to", "haystack")
    assert (refused.exit_code, "format" in refused.stderr) == (1, True)
