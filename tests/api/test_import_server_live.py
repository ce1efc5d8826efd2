"""`promptuary import --source-url`: prompts from a Langfuse server, here this registry's own Langfuse API:
out and in again."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from promptuary import Promptuary, renderer
from promptuary.commands.app import app
from tests.api.conftest import REPLY

pytestmark = pytest.mark.slow

CHAT = """---
description: Answer
tags: [support]
settings: {temperature: 0.2}
---
- name: rules
  role: system
  content: "Help {{ customer }}. {{ '{%' }} 50 % off\\n"
- name: question
  content: "{{ question }}"
"""
TEXT = "---\nformat: text\n---\nSay {{ word }} twice.\n\n"
LOOP = "{% for word in words %}\n- name: w\n  content: {{ word }}\n{% endfor %}\n"
DATA = {"customer": "a", "question": "{{7*7}}", "word": "tea\n- name: evil"}


@pytest.fixture
def run(server, cast, tmp_path: Path, monkeypatch):
    """Import into `demo` what `support` has: a chat that production holds, then a newer one, and a text."""
    saved = cast.save(CHAT)
    cast.publish(1)
    cast.save(CHAT.replace("50", "60"), base=saved.version.digest)
    cast.save(TEXT, name="support/say")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write", namespace="demo"))
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "any")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", cast.key(scope="write"))

    def invoke(*arguments) -> Result:
        told = ("import", *arguments, "--source-url", server, "--namespace", "demo", "--push", "--json")
        return CliRunner().invoke(app, [str(item) for item in told])

    return invoke


def _told(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.stdout
    return {entry["name"]: (entry["result"], entry.get("version")) for entry in json.loads(result.stdout)["imported"]}


def test_an_imported_namespace_renders_the_same(run, server, cast):
    assert _told(run("--dry-run")) == {
        "demo/support/refunds/reply": ("would be new", None),
        "demo/support/say": ("would be new", None),
    }
    assert _told(run()) == {"demo/support/refunds/reply": ("new", 1), "demo/support/say": ("new", 1)}
    with Promptuary(server, cast.key(scope="write"), reports=False) as there:
        before = [there.get(REPLY, 2), there.get("support/say", 1)]
    with Promptuary(server, cast.key(scope="write", namespace="demo"), reports=False) as here:
        after = [here.get("demo/support/refunds/reply", 1), here.get("demo/support/say", 1)]
    for old, new in zip(before, after, strict=True):
        assert new.render(DATA).messages == old.render(DATA).messages
    assert after[0].document.settings == {"temperature": 0.2}


def test_again_changes_nothing_and_no_label_is_moved(run, caller, stored):
    run()
    before = stored()
    assert _told(run()) == {"demo/support/refunds/reply": ("unchanged", 1), "demo/support/say": ("unchanged", 1)}
    assert stored() == before
    for name in ("support/refunds/reply", "support/say"):
        body = caller("author", namespace="demo").get(f"templates/demo/{name}").json()
        assert body["labels"] == {}


def test_a_label_selects_the_imported_versions(run):
    assert _told(run("--source-label", "production")) == {"demo/support/refunds/reply": ("new", 1)}
    shown = CliRunner().invoke(app, ["render", "demo/support/refunds/reply@1", "-d", json.dumps(DATA), "-t", "text"])
    assert "50 % off" in shown.stdout


def test_one_that_cannot_be_carried_is_named_and_nothing_is_imported(run, cast, stored):
    cast.save(LOOP, name="support/loop")
    before = stored()
    result = run()
    assert (result.exit_code, stored()) == (1, before)
    assert "support/loop: This prompt can't be carried" in json.loads(result.stdout)["error"]["detail"]
    assert _told(run("support/say")) == {"demo/support/say": ("new", 1)}


def test_wrong_keys_and_other_servers_are_reported(run, monkeypatch, server):
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "pb_wrong")
    assert run().exit_code == 2
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")
    result = run()
    assert (result.exit_code, "LANGFUSE_SECRET_KEY" in result.stdout) == (2, True)


def test_the_mark_of_a_statement_survives_the_way_out(run, server, cast):
    _told(run())
    with Promptuary(server, cast.key(scope="write", namespace="demo"), reports=False) as here:
        messages = here.get("demo/support/refunds/reply", 1).render(DATA).messages
    assert messages[0] == {"role": "system", "content": "Help a. {% 60 % off"}
    assert renderer.load(CHAT).render(DATA).messages[1] == messages[1]
