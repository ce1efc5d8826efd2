"""`promptuary promote`: from one registry to another, both real servers."""

import json

import pytest
from typer.testing import CliRunner

from promptuary.commands.app import app
from registry.changes import rules
from registry.changes.models import ChangeRequest
from registry.redaction.services import redact_version
from registry.templates import save as template_save
from registry.templates.models import Template
from tests.api.conftest import DOCUMENT, OTHER, REPLY
from tests.support import instances
from tests.support.server_process import Server

pytestmark = pytest.mark.slow

OUTSIDE = "other/refunds/reply"
PEOPLE = """
import django, json, sys
django.setup()
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.namespaces import keys, services
admin = Actor(User.objects.create(username="owner"))
services.create_namespace(actor=admin, name="support", protected_labels=["production"], required_checks=[])
issued = {
    scope: keys.issue_key(actor=admin, namespace="support", name=scope, scope=scope, person="owner").secret
    for scope in ("read", "write")
}
print(json.dumps(issued))
"""


@pytest.fixture
def run(server, cast, tmp_path, monkeypatch):
    """Run the command with a key of `support`; `other`, in place of another registry, has a key of its own."""
    cast.save(OTHER, base=cast.save().version.digest)
    cast.publish(1)
    outsider = cast.actor("outsider")
    rules.set_rules(actor=outsider, namespace="other", protected_labels=["production"], required_checks=[])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write"))
    monkeypatch.setenv("PROMPTUARY_TO_KEY", cast.key("outsider", "write", "other"))

    def promote(*arguments, **options):
        return CliRunner().invoke(app, ["promote", *arguments, "--to", server], **options)

    return promote


def test_the_difference_comes_first_and_a_no_stores_nothing(run):
    result = run(REPLY, "--as", OUTSIDE, input="n\n")
    assert result.exit_code == 1
    assert "+description: Answer a question\n" in result.stdout
    assert "Propose this for production" in result.stderr
    assert "Nothing was stored." in result.stderr
    assert not Template.objects.filter(name=OUTSIDE).exists()


def test_a_yes_opens_a_change_that_names_registry_pin_and_digest(run, server):
    result = run(REPLY, "--as", OUTSIDE, "-m", "Works well", input="y\n")
    assert result.exit_code == 0, result.stderr
    change = ChangeRequest.objects.get(template__name=OUTSIDE)
    digest = change.version.digest
    origin = f"Works well\n\nPromoted from {server}: {REPLY}@1, {digest}"
    assert (change.label, change.message, change.version.message) == ("production", origin, origin)
    assert change.version.document == DOCUMENT
    assert f"/changes/{change.number}" in result.stderr


def test_a_dry_run_stores_nothing_and_needs_no_answer(run):
    result = run(f"{REPLY}@2", "--as", OUTSIDE, "--dry-run", "--json")
    facts = json.loads(result.stdout)
    assert (result.exit_code, facts["stored"], facts["holds"]) == (0, False, None)
    assert facts["source"]["pin"] == f"{REPLY}@2"
    assert "question well" in facts["diff"]
    assert not Template.objects.filter(name=OUTSIDE).exists()


def test_a_dry_run_for_a_reader_says_that_nothing_was_stored(run):
    result = run(f"{REPLY}@2", "--as", OUTSIDE, "--dry-run")
    assert (result.exit_code, "This was a dry run: nothing was stored." in result.stderr) == (0, True)
    assert not Template.objects.filter(name=OUTSIDE).exists()


def test_a_dry_run_shows_what_follows_there_as_proposing_there_does(run):
    assert run(REPLY, "--as", OUTSIDE, "--yes").exit_code == 0
    result = run(f"{REPLY}@2", "--as", OUTSIDE, "--dry-run")
    assert result.exit_code == 0, result.stderr
    for line in (
        "It would be version 2 there.",
        "No service fetched production in the last 30 days.",
        "Change 2 proposes version 1 for production too; it is superseded by it.",
        "problems passed",
        "Needs 1 approval.",
    ):
        assert f"  {line}\n" in result.stderr, result.stderr
    facts = json.loads(run(f"{REPLY}@2", "--as", OUTSIDE, "--dry-run", "--json").stdout)
    assert (facts["preview"]["version"], facts["preview"]["state"], facts["fault"]) == (2, "new", "")
    assert Template.objects.get(name=OUTSIDE).latest.number == 1


def test_a_dry_run_of_what_the_rules_there_refuse_shows_the_rest_and_fails(run, cast):
    standards = {"tags": {"severity": "error", "least": 3}}
    rules.set_rules(actor=cast.actor("outsider"), namespace="other", standards=standards)
    result = run(REPLY, "--as", OUTSIDE, "--dry-run")
    assert result.exit_code == 1
    assert "+description: Answer a question\n" in result.stdout
    assert "It would be version 1 there." in result.stderr
    assert "Line 3: error PT002: this namespace requires at least 3 tags" in result.stderr
    assert "The document can't be saved there. line 3:" in result.stderr
    result = run(REPLY, "--as", OUTSIDE, "--dry-run", "--json")
    assert (result.exit_code, "at least 3 tags" in json.loads(result.stdout)["fault"]) == (1, True)


def test_a_newer_version_joins_the_open_change_and_the_same_one_is_refused(run):
    assert run(REPLY, "--as", OUTSIDE, "--yes").exit_code == 0
    again = run(REPLY, "--as", OUTSIDE, "--yes")
    assert (again.exit_code, "proposes this text already" in again.stderr) == (1, True)
    assert run(f"{REPLY}@2", "--as", OUTSIDE, "--yes").exit_code == 0
    change = ChangeRequest.objects.get(template__name=OUTSIDE)
    assert (change.version.number, change.version.document) == (2, OTHER)


def test_a_version_that_the_label_already_serves_is_refused(run, monkeypatch, cast):
    monkeypatch.setenv("PROMPTUARY_TO_KEY", cast.key(scope="write"))
    result = run(REPLY, "--yes")
    assert (result.exit_code, "serves this text already, as version 1" in result.stderr) == (1, True)


def test_a_missing_namespace_is_named(run):
    result = run(REPLY, "--as", "nowhere/reply", "--yes")
    assert (result.exit_code, "There is no namespace nowhere" in result.stderr) == (1, True)


def test_a_key_without_the_right_is_refused_and_nothing_is_stored(run, monkeypatch, cast):
    monkeypatch.setenv("PROMPTUARY_TO_KEY", cast.key("outsider", "read", "other", approved_only=False))
    result = run(REPLY, "--as", OUTSIDE, "--yes")
    assert result.exit_code == 1
    assert "http://127.0.0.1" in result.stderr
    assert not Template.objects.filter(name=OUTSIDE).exists()
    monkeypatch.setenv("PROMPTUARY_TO_KEY", "pb_nokeyatall_x")
    assert run(REPLY, "--as", OUTSIDE, "--yes").exit_code == 2


def test_a_label_that_is_not_protected_is_refused(run):
    result = run(REPLY, "--as", OUTSIDE, "--label", "staging", "--yes")
    assert (result.exit_code, "staging is not protected in other" in result.stderr) == (1, True)


def test_a_document_whose_fragment_is_missing_there_is_refused_before_anything_is_stored(run, cast):
    cast.save("---\nformat: text\n---\nBe kind.\n", name="support/policy")
    text = DOCUMENT.replace("{{ question }}", "{{ question }}{{ fragment('support/policy@1') }}")
    cast.save(text, name="support/kind")
    result = run("support/kind@1", "--as", "other/kind", "--yes")
    assert (result.exit_code, "support/policy@1" in result.stderr) == (1, True)
    assert not Template.objects.filter(name="other/kind").exists()


def test_json_cannot_ask(run):
    assert run(REPLY, "--as", OUTSIDE, "--json").exit_code == 2


def test_another_registry_with_a_home_of_its_own_gets_the_change(server, cast, tmp_path, monkeypatch):
    cast.save("---\nformat: text\n---\nBe kind.\n", name="support/policy")
    text = DOCUMENT.replace("{{ question }}", "{{ question }}{{ fragment('support/policy@1') }}")
    digest = cast.save(text, name="support/kind").version.digest
    place = instances.make_instance(tmp_path / "home", "sqlite")
    issued = json.loads(place.run("-c", PEOPLE).stdout)
    other = Server(place)
    other.start()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="read", approved_only=False))

    def promote(*arguments, key=issued["write"]):
        options = ["--to", other.url, "--to-key", key, "--yes", "--json"]
        told = CliRunner().invoke(app, ["promote", *arguments, *options])
        return told.exit_code, json.loads(told.stdout)

    try:
        code, told = promote("support/kind@1")
        assert (code, "support/policy@1" in told["error"]["detail"]) == (1, True)
        code, told = promote("support/policy@1", key=issued["read"])
        assert (code, other.url in told["error"]["detail"]) == (1, True)
        assert promote("support/policy@1")[0] == 0
        code, told = promote("support/kind@1")
        assert (code, told["change"]["state"], told["change"]["digest"]) == (0, "open", digest)
        assert told["change"]["message"] == f"Promoted from {server}: support/kind@1\n\n{digest}"
        assert promote("support/kind@1")[0] == 1
    finally:
        other.kill()
        instances.remove_instance(place)


def test_a_redacted_version_is_not_promoted(run, cast):
    redact_version(actor=cast.actor("admin"), name=REPLY, version=1, reason="A name", force=True)
    result = run(REPLY, "--as", OUTSIDE, "--yes")
    assert (result.exit_code, f"{REPLY}@1 was redacted on" in result.stderr) == (1, True), result.stderr
    assert not Template.objects.filter(name=OUTSIDE).exists()


def test_a_version_follows_one_that_the_other_registry_redacted(run, cast):
    outsider = cast.actor("outsider")
    written = DOCUMENT.replace("Answer a question", "Answer Kim")
    template_save.save_version(actor=outsider, name=OUTSIDE, document=written, message="", base=None)
    redact_version(actor=outsider, name=OUTSIDE, version=1, reason="A name", force=True)
    result = run(REPLY, "--as", OUTSIDE, "--yes")
    assert result.exit_code == 0, result.stderr
    change = ChangeRequest.objects.latest("number")
    assert (change.template.name, change.version.number, change.version.document) == (OUTSIDE, 2, DOCUMENT)
