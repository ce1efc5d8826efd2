"""Every entry point tried for an unapproved version and the protected label `production`:
each refuses, and the label stays."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from typer.testing import CliRunner

from promptuary.commands.app import app
from registry.accounts.actor import Actor
from registry.accounts.actor import build_operator_actor as on_the_machine
from registry.accounts.models import Key
from registry.changes import decisions
from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired, Conflict, NotAllowed
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove
from tests.api.conftest import OTHER, REPLY, Caller, Cast
from tests.support.recorded_rows import write_or_insert
from tests.support.seen_versions import seen_versions

LABEL = f"templates/{REPLY}/-/labels/production"
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def label(cast: Cast) -> Iterator[Cast]:
    """`production` on version 1, with version 2 not proposed. Afterwards, checks that nothing has moved."""

    def write() -> None:
        cast.save(OTHER, base=cast.save().version.digest)
        cast.publish(1)

    write_or_insert("a version that nobody approved", write)
    moves = LabelMove.objects.count()
    yield cast
    label = Label.objects.get(template__name=REPLY, name="production")
    assert (label.version.number, LabelMove.objects.count()) == (1, moves)


@pytest.fixture
def run(server: str, label: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line with a write key, the author's or the admin's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTUARY_URL", server)

    def call(*arguments: str, role: str = "author") -> tuple[int, str]:
        monkeypatch.setenv("PROMPTUARY_KEY", label.key(role, "write"))
        result = CliRunner().invoke(app, list(arguments))
        return result.exit_code, result.output

    return call


@pytest.mark.parametrize("role", ["author", "reviewer", "admin"])
def test_the_form_of_a_browser(label, role):
    client = Client()
    client.force_login(label.people[role])
    for sent in (
        {"label": "production", "version": "2", "expected": "1", "do": "move"},
        {"label": "production", "version": "2", "expected": "1", "do": "roll_back", "reason": "Because"},
        {"label": "production", "version": "1", "expected": "1", "do": "remove"},
    ):
        assert client.post(f"/t/{REPLY}/-/labels", sent).status_code == 403, sent


@pytest.mark.parametrize("role", ["author", "reviewer", "admin"])
def test_a_request_that_nobody_approved_is_not_published_from_the_page(label, role):
    number = label.propose(2).number
    client = Client()
    client.force_login(label.people[role])
    assert client.post(f"/changes/{number}", {**seen_versions(number), "do": "publish"}).status_code == 403


@pytest.mark.parametrize("role", ["author", "reviewer", "admin"])
def test_the_api_with_a_session(label, role):
    caller = Caller(person=label.people[role])
    assert caller.put(LABEL, {"version": 2, "expected": 1}).json()["type"] == "approval-required"
    number = label.propose(2).number
    assert caller.post(f"changes/{number}/publish").json()["type"] == "approval-required"
    assert caller.post(f"changes/{number}/emergency", {"reason": "Now"}).status_code == 403


@pytest.mark.parametrize("role", ["author", "admin"])
def test_a_key_of_the_author_or_of_an_admin(label, role):
    caller = Caller(key=label.key(role, "write"))
    change = label.propose(2)
    assert caller.put(LABEL, {"version": 2, "expected": 1}).json()["type"] == "approval-required"
    assert caller.post(f"changes/{change.number}/publish").json()["type"] == "approval-required"
    approval = {"decision": "approve", "digest": change.version.digest}
    assert caller.post(f"changes/{change.number}/decisions", approval).status_code == 403
    assert caller.post(f"changes/{change.number}/emergency", {"reason": "Now"}).status_code == 403
    going_back = caller.post(f"{LABEL}/roll-back", {"version": 2, "reason": "Back"})
    assert going_back.status_code == 403


def test_authors_cannot_approve_their_own_change(label):
    change = label.propose(2, role="reviewer")
    caller = Caller(person=label.people["reviewer"])
    approval = {"decision": "approve", "digest": change.version.digest}
    assert caller.post(f"changes/{change.number}/decisions", approval).status_code == 403


def test_an_approval_of_another_text_does_not_count(label):
    change = label.propose(2)
    label.save(OTHER.replace("well", "worse"), base=change.version.digest)
    decided = decisions.decide_on_change(
        actor=label.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    assert decided.digest == change.version.digest
    change_services.set_head(actor=label.actor("author"), number=change.number, version=3)
    with pytest.raises(ApprovalRequired):
        change_services.publish_change(actor=label.actor("author"), number=change.number)


def test_rules_do_not_let_a_key_or_an_author_around_the_gate(label):
    for caller in (Caller(key=label.key("admin", "write")), Caller(person=label.people["author"])):
        assert caller.call("PATCH", "namespaces/support", {"protected_labels": []}).status_code == 403
        assert caller.call("PATCH", "namespaces/support", {"approvals": 0}).status_code == 403


def test_a_command_on_the_machine_goes_through_the_same_gate(label):
    actor = on_the_machine()
    with pytest.raises(ApprovalRequired):
        labels.move_label(actor=actor, name=REPLY, label="production", version=2, expected=1)
    number = label.propose(2).number
    with pytest.raises(ApprovalRequired):
        change_services.publish_change(actor=actor, number=number)
    with pytest.raises(NotAllowed, match="never by a command"):
        decisions.decide_on_change(actor=actor, number=number, decision="approve", digest="sha256:" + "0" * 64)


def test_a_key_for_the_label_alone_is_not_a_key_to_the_gate(label):
    caller = Caller(key=label.key("admin", "", verbs=["move", "publish"], labels=["production"]))
    assert caller.put(LABEL, {"version": 2, "expected": 1}).json()["type"] == "approval-required"


def test_no_key_gets_the_verb_that_opens_it(label):
    with pytest.raises(CommandError):
        call_command("createkey", "support", "--person", "admin", "--verbs", "approve")
    assert not Key.objects.filter(scope=Key.CHOSEN).exists()


@pytest.mark.parametrize("role", ["author", "admin"])
def test_the_command_line(run, role):
    code, said = run("move", f"{REPLY}@2", "production", role=role)
    assert (code, "propose" in said) == (1, True)
    code, said = run("propose", f"{REPLY}@2", "--label", "production", "-m", "Please", "--json", role=role)
    number = str(json.loads(said)["number"])
    assert run("publish", number, role=role)[0] == 1
    assert run("approve", number, role=role)[0] == 1
    assert run("rollback", REPLY, "2", "--reason", "Back", role=role)[0] == 1


def test_a_push_proposes_and_moves_nothing(run):
    assert run("pull", REPLY)[0] == 0
    path = Path(f"{REPLY}.yml.j2")
    path.write_text(path.read_text().replace("well", "at once"))
    code, said = run("push", "-m", "Mine", "--propose", "production", "--json")
    assert (code, json.loads(said)["pushed"][0].get("change") is not None) == (0, True)


def test_an_import_that_names_the_label_moves_nothing(run):
    prompt = {"name": "reply", "type": "text", "prompt": "Hi\n", "config": {}, "labels": ["production"], "tags": []}
    Path("reply.json").write_text(json.dumps(prompt))
    run("import", "reply.json", "--namespace", "support", "--push", "--json", role="admin")
    assert not Label.objects.filter(template__name="support/reply").exists()


def test_langfuse_s_door_is_for_reading(server, label):
    key = label.key("admin", "write")
    headers = {"Authorization": "Basic " + base64.b64encode(f"x:{key}".encode()).decode()}
    name = REPLY.replace("/", "%2F")
    for method, path, body in (
        ("PATCH", f"/api/public/v2/prompts/{name}/versions/2", {"newLabels": ["production"]}),
        ("POST", "/api/public/v2/prompts", {"name": REPLY, "prompt": "Hi", "labels": ["production"]}),
    ):
        answer = httpx.request(method, server + path, json=body, headers=headers)
        assert answer.status_code in (403, 405), (method, path, answer.text)


@pytest.mark.parametrize("how", ["one", "many", "rendered", "langfuse"])
def test_a_reading_key_gets_no_unapproved_version_from_any_door(server, label, how):
    key = label.key("reader", "read")
    bearer = {"Authorization": f"Bearer {key}"}
    basic = {"Authorization": "Basic " + base64.b64encode(f"x:{key}".encode()).decode()}
    name = REPLY.replace("/", "%2F")
    with httpx.Client(base_url=server, timeout=30) as client:
        if how == "one":
            statuses = [
                client.get(f"/api/v1/templates/{REPLY}@{ref}", headers=bearer).status_code for ref in ("2", "latest")
            ]
        elif how == "many":
            body = client.post("/api/v1/fetch", json={"refs": [f"{REPLY}@2", f"{REPLY}@1"]}, headers=bearer).json()
            statuses = [body["results"][0]["status"]]
            assert body["results"][1]["status"] == 200
        elif how == "rendered":
            fields = {"template": REPLY, "ref": "2", "data": {"question": "Why?"}}
            statuses = [client.post("/api/v1/render", json=fields, headers=bearer).status_code]
        else:
            statuses = [client.get(f"/api/public/v2/prompts/{name}?version=2", headers=basic).status_code]
    assert set(statuses) == {403}


def test_the_gate_is_the_service_itself(label):
    for role in ("author", "reviewer", "admin"):
        actor = Actor(label.people[role])
        with pytest.raises(ApprovalRequired):
            labels.move_label(actor=actor, name=REPLY, label="production", version=2, expected=1)
        with pytest.raises(ApprovalRequired):
            labels.remove_label(actor=actor, name=REPLY, label="production", expected=1)
        with pytest.raises((ApprovalRequired, NotAllowed, Conflict)):
            labels.roll_back_label(actor=actor, name=REPLY, label="production", version=2, reason="Back")
