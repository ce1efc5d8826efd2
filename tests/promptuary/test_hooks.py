"""The hooks and the action for other repositories, run as written."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from promptuary.renderer.syntax.yaml_reader import Bounds, compose, read_value

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
DOCUMENT = "- name: question\n  content: '{{ question }}'\n"
BAD = "- name: [\n"


def _read(name: str):
    return read_value(compose((ROOT / name).read_text(), Bounds(depth=20, nodes=2000)))


HOOKS = {hook["id"]: hook for hook in _read(".pre-commit-hooks.yaml")}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An application's folder, with `promptuary` on the path as a hook finds it."""
    programs = tmp_path / "programs"
    programs.mkdir()
    command = programs / "promptuary"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m promptuary "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("PROMPTUARY_URL", "PROMPTUARY_KEY"):
        monkeypatch.delenv(name, raising=False)
    here = tmp_path / "application"
    here.mkdir()
    monkeypatch.chdir(here)
    Path("reply.yml.j2").write_text(DOCUMENT)
    Path("reply.samples.yml").write_text("short: {question: Why?}\n")
    return here


def _hook(name: str, *files: str):
    hook = HOOKS[name]
    named = [file for file in files if re.search(hook["files"], file)] if hook.get("pass_filenames", True) else []
    return subprocess.run([*shlex.split(hook["entry"]), *named], capture_output=True, text=True, check=False)


def test_the_lint_hook_takes_documents_and_their_samples(folder):
    assert _hook("promptuary-lint", "reply.yml.j2", "reply.samples.yml", "README.md").returncode == 0
    Path("reply.yml.j2").write_text(BAD)
    done = _hook("promptuary-lint", "reply.samples.yml")
    assert (done.returncode, "reply.yml.j2:" in done.stdout) == (1, True)


def test_the_hook_for_vendored_templates_runs_offline(folder):
    Path("promptuary.lock").write_text('{"templates": {}}')
    Path("promptuary.templates.json").write_text('{"form": 1, "templates": []}')
    assert _hook("promptuary-vendor").returncode == 0
    digest = "sha256:" + "0" * 64
    Path("promptuary.lock").write_text(
        f'{{"templates": {{"support/a": {{"ref": "production", "version": 1, "digest": "{digest}"}}}}}}'
    )
    done = _hook("promptuary-vendor")
    assert (done.returncode, "support/a version 1 is locked" in done.stderr) == (1, True)


def test_the_lock_hook_says_what_it_needs(folder):
    Path("promptuary.lock").write_text('{"templates": {}}')
    done = _hook("promptuary-lock")
    assert (done.returncode, "nothing to lock" in done.stderr) == (2, True)


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_installs_the_packages_that_the_command_needs(name):
    assert HOOKS[name]["additional_dependencies"] == ["typer>=0.29", "rich>=15"]
    assert '"typer>=0.29", "rich>=15"' in (ROOT / "pyproject.toml").read_text()


def _action(**inputs: str):
    action = _read("action.yml")
    step = action["runs"]["steps"][-1]
    given = {name: str(value.get("default", "")) for name, value in action["inputs"].items()} | inputs
    env = {name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in step["env"].items()}
    return subprocess.run(
        ["bash", "-c", step["run"]], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )


def test_the_action_lints_and_tests(folder):
    done = _action(test='reply.yml.j2 --gate "exact_match >= 0"')
    assert done.returncode != 0  # the samples have no expectations to match
    assert _action(test="reply.yml.j2").returncode == 0, done.stderr
    Path("reply.yml.j2").write_text(BAD)
    assert _action().returncode == 1


def test_the_action_compares_what_is_vendored_with_what_is_locked(folder):
    Path("promptuary.lock").write_text('{"templates": {}}')
    Path("promptuary.templates.json").write_text("{}")
    assert _action().returncode == 2


def test_inputs_of_the_action_are_never_executed(folder):
    assert _action(paths="reply.yml.j2\n$(touch pwned)").returncode == 2
    assert _action(test="reply.yml.j2; touch pwned $(touch pwned)").returncode != 0
    assert not Path("pwned").exists()
