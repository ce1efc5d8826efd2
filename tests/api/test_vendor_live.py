"""`promptuary lock`, `vendor` and `diff` against a real server, and the client that reads their files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from promptuary import Promptuary
from promptuary.commands.app import app
from tests.api.conftest import OTHER, REPLY, SAMPLES

pytestmark = pytest.mark.slow

Run = Callable[..., Result]


@pytest.fixture
def run(server, cast, tmp_path: Path, monkeypatch) -> Run:
    """Run the command in a new folder with the author's write key; production serves version 1 of 2."""
    cast.save(OTHER.replace('"{{ question }}"', '"Q: {{ question }}"'), base=cast.save(samples=SAMPLES).version.digest)
    cast.publish(1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write"))
    return lambda *arguments: CliRunner().invoke(app, [str(item) for item in arguments])


def test_a_vendored_and_locked_application_asks_nobody(run, cast):
    assert run("lock", REPLY).exit_code == 0
    assert run("vendor").exit_code == 0
    cast.publish(2)
    nowhere = Promptuary(
        "http://127.0.0.1:9", "key", lock="promptuary.lock", frozen=True, vendored="promptuary.templates.json"
    )
    with nowhere:
        assert nowhere.warm()[0].source == "vendored"
        assert nowhere.render(REPLY, SAMPLES["short"]).stamp.version == 1


def test_vendor_frozen_compares_without_asking_anyone(run, monkeypatch):
    run("lock", REPLY)
    assert run("vendor", "--frozen").exit_code == 2
    run("vendor")
    monkeypatch.setenv("PROMPTUARY_URL", "http://127.0.0.1:9")
    assert run("vendor", "--frozen").exit_code == 0
    path = Path("promptuary.templates.json")
    path.write_text(path.read_text().replace("Answer a question", "Answer some question"))
    result = run("vendor", "--frozen")
    assert (result.exit_code, "hashes to" in result.stderr) == (1, True)


def test_vendor_frozen_reports_locked_versions_that_are_missing(run):
    run("vendor", f"{REPLY}@1")
    run("lock", f"{REPLY}@latest")
    result = run("vendor", "--frozen", "--json")
    assert (result.exit_code, "version 2 is locked and not in" in result.stdout) == (1, True)


def test_vendor_takes_names_without_a_lock_file_and_writes_the_same_again(run):
    assert run("vendor").exit_code == 2
    data = json.loads(run("vendor", REPLY, "--json").stdout)
    assert [entry["version"] for entry in data["templates"]] == [1]
    first = Path("promptuary.templates.json").read_bytes()
    run("vendor", REPLY)
    assert Path("promptuary.templates.json").read_bytes() == first
    assert run("vendor", "support/none").exit_code == 1


def test_diff_shows_what_each_sample_renders_to(run):
    result = run("diff", f"{REPLY}@1", f"{REPLY}@2", "--rendered", "--exit-code")
    assert result.exit_code == 1
    assert '-  content: "{{ question }}"' in result.stdout
    assert "-Where is my parcel?\n+Q: Where is my parcel?\n" in result.stdout
    assert "short: renders otherwise" in result.stderr


def test_diff_renders_the_given_data_and_prints_json(run):
    data = json.loads(run("diff", f"{REPLY}@1", f"{REPLY}@2", "--data", '{"question": "Why?"}', "--json").stdout)
    (sample,) = data["rendered"]
    assert (data["equal"], sample["sample"], sample["equal"]) == (False, "data", False)
    assert all(isinstance(tokens, int) for tokens in sample["tokens"])


def test_a_side_that_does_not_render_is_part_of_the_difference(run):
    Path("bad.yml.j2").write_text("- name: question\n  content: '{{ other }}'\n")
    result = run("diff", f"{REPLY}@1", "bad.yml.j2", "-r")
    assert (result.exit_code, "+! " in result.stdout) == (0, True)


def test_no_samples_to_render_with_is_a_usage_error(run):
    Path("a.yml.j2").write_text("- name: a\n  content: b\n")
    assert run("diff", "a.yml.j2", "a.yml.j2", "--rendered").exit_code == 2
