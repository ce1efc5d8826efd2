"""`promptuary release` against a real server."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from promptuary.commands.app import app
from registry.releases import services as release_services
from registry.releases.models import Release

pytestmark = pytest.mark.slow

ONE, TWO = "support/refunds/one", "support/refunds/two"


@pytest.fixture
def run(server, cast, tmp_path, monkeypatch):
    """Run the command with the author's write key; staging serves version 1 of two templates."""
    for name in (ONE, TWO):
        cast.save(name=name)
        cast.move("staging", 1, name=name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write"))
    return lambda *arguments: CliRunner().invoke(app, ["release", *arguments])


def test_a_dry_run_shows_what_would_be_proposed_and_stores_nothing(run):
    result = run("propose", "support/refunds", "-n")
    assert result.exit_code == 0
    assert f"{ONE}: production from nothing to version 1" in result.output
    assert "lines change, callers must send question." in result.output
    evidence = "  Not evaluated yet.\n  No check was run on it yet; they run once it is proposed.\n  Needs 1 approval."
    assert evidence in result.output
    assert not Release.objects.exists()


def test_reviewers_and_a_moment_are_given_with_the_proposal(run):
    refused = run("propose", "support/refunds", "--at", "2001-01-01T00:00")
    assert refused.exit_code == 1
    assert not Release.objects.exists()
    soon = (datetime.now(UTC) + timedelta(days=1)).isoformat(timespec="minutes")
    opened = run("propose", "support/refunds", "--reviewer", "reviewer", "--at", soon)
    assert f"goes live {soon[:16]}" in opened.output
    assert {tuple(member.asked) for member in Release.objects.get().members.all()} == {("reviewer",)}


def test_a_folder_is_proposed_shown_and_published(run, cast):
    opened = run("propose", "support/refunds", "--title", "Refunds")
    assert (opened.exit_code, opened.output.splitlines()[0]) == (0, "release 1: Refunds for production is open")
    refused = run("publish", "support", "1")
    assert refused.exit_code == 1
    assert "Needs 1 more approval" in refused.output
    members = Release.objects.get().members.select_related("version")
    digests = {member.number: member.version.digest for member in members}
    release_services.approve_release(actor=cast.actor("reviewer"), number=1, digests=digests)
    assert "Nothing blocks it: publish it." in run("show", "support", "1").output
    published = run("publish", "support", "1", "--json")
    assert json.loads(published.stdout)["state"] == "published"


def test_left_out_templates_are_shown(run, cast):
    cast.publish(1, name=ONE)
    result = run("propose", ONE, TWO)
    assert f"left out: {ONE}. production already serves exactly this." in result.output


def test_templates_of_two_namespaces_are_refused(run):
    result = run("propose", ONE, "demo/other")
    assert result.exit_code == 1
    assert "templates of one namespace" in result.output
