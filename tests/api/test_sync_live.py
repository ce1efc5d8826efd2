"""Two people on one template: conflicts are reported, nothing is lost, and edits are merged."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from promptuary.commands.app import app
from tests.api.conftest import DOCUMENT, REPLY, SAMPLES

pytestmark = pytest.mark.slow

Run = Callable[..., Result]
FILE = Path(f"{REPLY}.yml.j2")
LONG = DOCUMENT + "".join(f"- name: rule {number}\n  role: system\n  content: Rule {number}.\n" for number in range(9))


@pytest.fixture
def run(server, cast, tmp_path: Path, monkeypatch) -> Run:
    """Run the command in a folder that was pulled before somebody else saved version 2."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write"))

    def invoke(*arguments):
        return CliRunner().invoke(app, [str(item) for item in arguments])

    saved = cast.save(LONG, samples=SAMPLES)
    cast.save(name="support/other")
    assert invoke("pull", "support").exit_code == 0
    cast.save(LONG.replace("Rule 8.", "Their rule."), base=saved.version.digest)
    return invoke


def test_a_conflict_is_reported_the_file_stays_and_the_others_are_saved(run):
    FILE.write_text(LONG.replace("Rule 1.", "My rule."))
    Path("support/other.yml.j2").write_text(DOCUMENT.replace("Answer", "Reply to"))
    result = run("push", "--json")
    told = {item["name"]: item for item in json.loads(result.stdout)["pushed"]}
    assert (result.exit_code, told[REPLY]["result"], told["support/other"]["version"]) == (1, "conflict", 2)
    assert "My rule." in FILE.read_text()
    assert f"promptuary pull --merge {REPLY}" in run("push").stderr


def test_edits_of_two_people_are_brought_together_and_pushed(run, cast):
    FILE.write_text(LONG.replace("Rule 1.", "My rule."))
    assert run("push").exit_code == 1
    result = run("pull", "--merge", REPLY)
    assert (result.exit_code, "merged" in result.stderr) == (0, True)
    assert {"My rule.", "Their rule."} <= {word for word in ("My rule.", "Their rule.") if word in FILE.read_text()}
    pushed = json.loads(run("push", "-m", "Both", "--json").stdout)["pushed"]
    assert [(item["name"], item["version"]) for item in pushed] == [(REPLY, 3)]


def test_conflicting_edits_are_between_markers_until_resolved(run):
    FILE.write_text(LONG.replace("Rule 8.", "My rule."))
    result = run("pull", "--merge", REPLY)
    text = FILE.read_text()
    assert (result.exit_code, "1 conflict" in result.stderr) == (1, True)
    assert "<<<<<<< yours\n  content: My rule.\n=======\n  content: Their rule.\n>>>>>>> version 2\n" in text
    assert run("push").exit_code == 1  # conflict marks aren't a valid document
    FILE.write_text(LONG.replace("Rule 8.", "Our rule."))
    assert run("push").exit_code == 0


def test_edited_samples_stay_when_a_document_is_merged(run):
    FILE.write_text(LONG.replace("Rule 1.", "My rule."))
    samples = Path(f"{REPLY}.samples.yml")
    samples.write_text("mine: {question: Why?}\n")
    run("pull", "--merge", REPLY)
    assert samples.read_text() == "mine: {question: Why?}\n"
    assert run("push").exit_code == 0


def test_there_is_nothing_to_merge_where_nobody_saved(run):
    path = Path("support/other.yml.j2")
    path.write_text(DOCUMENT.replace("Answer", "Reply to"))
    result = run("pull", "--merge", "support/other")
    assert (result.exit_code, "nothing to merge" in result.stderr) == (0, True)
    assert "Reply to" in path.read_text()


def test_a_document_with_an_error_keeps_no_other_from_being_saved(run):
    Path("support/other.yml.j2").write_text("- name: [\n")
    Path("support/new.yml.j2").write_text(DOCUMENT)
    result = run("push", "support/other", "support/new")
    assert result.exit_code == 1
    assert "support/new@1  saved" in result.stderr
    assert "support/other  refused" in result.stderr
