"""A fresh proof before publishing and before creating keys, if the setting requires one."""

import time

import pytest
from django.test import Client

from registry.accounts.models import Key
from registry.changes import decisions
from registry.changes.models import ChangeRequest
from registry.namespaces import keys
from registry.templates.label_models import Label
from tests.frontend.accounts.test_sign_in import compute_code, sign_in, turn_on_second_step
from tests.frontend.conftest import REPLY, read_html
from tests.support.seen_versions import seen_versions

KEY = {"name": "chat", "scope": "read", "person": "admin", "days": "0"}


@pytest.fixture
def approved(reply) -> ChangeRequest:
    change: ChangeRequest = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    return change


def age_proofs(client: Client, seconds: float) -> None:
    """Let the session's proofs be that old."""
    session = client.session
    records = session["account_authentication_methods"]
    session["account_authentication_methods"] = [{**one, "at": time.time() - seconds} for one in records]
    session.save()


def read_production() -> int:
    return Label.objects.get(template__name=REPLY, name="production").version.number


def open_session_as(name: str = "author") -> Client:
    client = Client()
    sign_in(client, name, f"{name}-promptuary")
    return client


def test_off_asks_nothing(approved):
    client = open_session_as()
    age_proofs(client, 5000)
    client.post(f"/changes/{approved.number}", {**seen_versions(approved.number), "do": "publish"})
    assert read_production() == 2


def test_the_sign_in_itself_is_a_proof_for_fifteen_minutes(approved, settings):
    settings.PROMPTUARY_STEP_UP = "password"
    client = open_session_as()
    age_proofs(client, 890)
    client.post(f"/changes/{approved.number}", {**seen_versions(approved.number), "do": "publish"})
    assert read_production() == 2


def test_an_older_one_is_asked_for_again_and_then_the_act_goes_on(approved, settings):
    settings.PROMPTUARY_STEP_UP = "password"
    client = open_session_as()
    age_proofs(client, 910)
    response = client.post(f"/changes/{approved.number}", {**seen_versions(approved.number), "do": "publish"})
    assert (response["Location"], read_production()) == (f"/account/prove?next=%2Fchanges%2F{approved.number}", 1)
    wrong = client.post(response["Location"], {"password": "wrong", "next": f"/changes/{approved.number}"})
    assert ("This is not your password." in read_html(wrong), read_production()) == (True, 1)
    client.post(response["Location"], {"password": "author-promptuary", "next": f"/changes/{approved.number}"})
    assert read_production() == 2


def test_making_and_rotating_keys_ask_too(reply, settings):
    settings.PROMPTUARY_STEP_UP = "password"
    old = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="old", scope="read").key
    client = open_session_as("admin")
    age_proofs(client, 910)
    for sent in (KEY, {"do": "rotate", "key": old.id, "hours": "1"}):
        assert client.post("/n/support/keys", sent)["Location"] == "/account/prove?next=%2Fn%2Fsupport%2Fkeys"
    assert Key.objects.count() == 1
    done = client.post("/account/prove", {"password": "admin-promptuary", "next": "/n/support/keys"})
    assert done.status_code == 201
    assert Key.objects.filter(replaces=old).exists()


def test_reading_and_revoking_ask_nothing(reply, settings):
    settings.PROMPTUARY_STEP_UP = "password"
    old = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="old", scope="read").key
    client = open_session_as("admin")
    age_proofs(client, 910)
    assert client.get("/n/support/keys").status_code == 200
    client.post("/n/support/keys", {"do": "revoke", "key": old.id, "reason": "Lost"})
    assert Key.objects.get(id=old.id).revoked_at


def test_where_a_code_is_asked_for_a_password_is_not_enough(approved, settings):
    settings.PROMPTUARY_STEP_UP = "totp"
    client = open_session_as()
    secret = turn_on_second_step(client)
    assert (
        client.post(f"/changes/{approved.number}", {**seen_versions(approved.number), "do": "publish"}).status_code
        == 302
    )
    assert read_production() == 1
    response = client.get(f"/account/prove?next=/changes/{approved.number}")
    assert "Confirm that it is you" in read_html(response) or response.status_code == 302
    client.post("/account/prove/code", {"code": compute_code(secret), "next": f"/changes/{approved.number}"})
    assert read_production() == 2


def test_a_person_without_a_second_step_is_redirected_to_set_it_up(approved, settings):
    settings.PROMPTUARY_STEP_UP = "totp"
    client = open_session_as()
    response = client.post(f"/changes/{approved.number}", {**seen_versions(approved.number), "do": "publish"})
    assert response["Location"] == "/account/second-step"
    assert read_production() == 1


def test_the_api_refuses_a_session_with_a_code_of_its_own(approved, settings):
    settings.PROMPTUARY_STEP_UP = "password"
    client = open_session_as()
    age_proofs(client, 910)
    answer = client.post(f"/api/v1/changes/{approved.number}/publish", {}, content_type="application/json")
    body = answer.json()
    assert (answer.status_code, body["type"], body["proof"]) == (403, "proof-required", "password")
    client = open_session_as("admin")
    age_proofs(client, 910)
    issue = client.post("/api/v1/namespaces/support/keys", {"name": "chat", "scope": "read"}, "application/json")
    assert issue.json()["type"] == "proof-required"


def test_a_key_publishes_without_being_asked(approved, reply, settings):
    settings.PROMPTUARY_STEP_UP = "totp"
    secret = keys.issue_key(
        actor=reply.actor("admin"), namespace="support", name="ci", scope="write", person="author"
    ).secret
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    answer = client.post(f"/api/v1/changes/{approved.number}/publish", {}, content_type="application/json")
    assert (answer.status_code, read_production()) == (200, 2)
