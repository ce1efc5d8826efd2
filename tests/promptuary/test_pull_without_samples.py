"""A key that may not read samples: pulling leaves the file alone, and pushing sends nothing in its place."""

import json
from pathlib import Path

from promptuary.workspace import Workspace

BODY = {
    "name": "support/reply",
    "version": 1,
    "digest": "sha256:1",
    "document": "- name: a\n  content: b\n",
    "fragments": {},
}


def test_samples_that_could_not_be_read_stay_as_they_are(tmp_path: Path):
    workspace = Workspace(tmp_path)
    workspace.write(BODY, {"short": {"q": "Why?"}})
    before = workspace.samples_path("support/reply").read_text()
    workspace.write(BODY, None)
    assert workspace.samples_path("support/reply").read_text() == before
    assert not workspace.is_edited("support/reply", workspace.read_pulled()["support/reply"])


def test_samples_that_are_gone_are_removed(tmp_path: Path):
    workspace = Workspace(tmp_path)
    workspace.write(BODY, {"short": {"q": "Why?"}})
    workspace.write(BODY, {})
    assert not workspace.samples_path("support/reply").exists()
    state = json.loads((tmp_path / ".promptuary" / "workspace.json").read_text())
    assert state["templates"]["support/reply"]["samples"] is None
