"""Every writing API call in a session whose proof is too old: which of them require a fresh one."""

import json

import pytest
from django.db import transaction
from django.test import Client

from registry.journal.models import Event
from tests.api.test_permissions import TABLE, fill_body, world
from tests.support.recent_proof import prove_identity

__all__ = ["world"]  # the fixture

ASK = {  # everything that weakens the gate, which excludes rolling back and revoking
    ("api-change-decisions", "POST"),
    ("api-change-contract", "POST"),
    ("api-change-publish", "POST"),
    ("api-change-schedule", "PUT"),
    ("api-release-schedule", "PUT"),
    ("api-change-emergency", "POST"),
    ("api-release-approvals", "POST"),
    ("api-release-publish", "POST"),
    ("api-rollouts", "POST"),
    ("api-rollout-step", "POST"),
    ("api-rollout-finish", "POST"),
    ("api-namespace", "PATCH"),
    ("api-account", "PATCH"),
    ("api-person-reactivate", "POST"),
    ("api-person-second-step", "DELETE"),
    ("api-member", "PUT"),
    ("api-member", "DELETE"),
    ("api-folder-role-of-person", "PUT"),
    ("api-folder-role-of-person", "DELETE"),
    ("api-folder-role-of-group", "PUT"),
    ("api-folder-role-of-group", "DELETE"),
    ("api-groups", "POST"),
    ("api-group", "PATCH"),
    ("api-group", "DELETE"),
    ("api-group-person", "PUT"),
    ("api-group-person", "DELETE"),
    ("api-invitations", "POST"),
    ("api-freeze", "DELETE"),
    ("api-rename", "POST"),
    ("api-rename-folder", "POST"),
    ("api-keys", "POST"),
    ("api-key", "PATCH"),
    ("api-key-rotate", "POST"),
    ("api-connections", "POST"),
    ("api-connection", "PATCH"),
    ("api-spending", "PUT"),
    ("api-webhooks", "POST"),
    ("api-webhook", "PATCH"),
    ("api-webhook-rotate", "POST"),
    ("api-attachment", "PUT"),
    ("api-attachment", "DELETE"),
}
WRITES = {asked: row for asked, row in TABLE.items() if asked[1] != "GET"}


@pytest.fixture
def session(cast, settings):
    settings.PROMPTUARY_STEP_UP = "password"
    client = Client()
    client.force_login(cast.people["admin"])  # leaves no proof in the session
    return client


def send(client, asked, world):
    """The answer and how many events it made; both are undone."""
    path, body, _ = WRITES[asked]
    body = fill_body(body, world)
    data = b"" if body is None else json.dumps(body).encode()
    before = Event.objects.count()
    with transaction.atomic():
        answer = client.generic(asked[1], "/api/v1/" + path.format(**world), data, content_type="application/json")
        made = Event.objects.count() - before
        transaction.set_rollback(True)
    return answer, made


def test_only_calls_that_weaken_the_gate_require_a_proof(world, session):
    assert set(WRITES) >= ASK
    answers = {asked: send(session, asked, world) for asked in WRITES}
    refused = {asked for asked, (answer, _) in answers.items() if b"proof-required" in answer.content}
    assert refused == ASK
    assert {asked: made for asked, (_, made) in answers.items() if asked in ASK and made} == {}
    failed = {asked: answer.content for asked, (answer, _) in answers.items() if answer.status_code >= 400}
    # Keys report; another reviewer closes; the connection's endpoint doesn't answer; this restore names no base.
    # Only its writer edits or deletes a comment, the decision is not there, and nobody asks themselves for a review. An
    # improvement is its person's own. No revocation of a key waits that could be cancelled, and no namespace requires
    # two-step sign-in, of which somebody could be reminded.
    others = {
        ("api-reports", "POST"),
        ("api-change-emergency-close", "POST"),
        ("api-connection-try", "POST"),
        ("api-restore", "POST"),
        ("api-thread-comment", "PATCH"),
        ("api-thread-comment", "DELETE"),
        ("api-release-comment", "PATCH"),
        ("api-release-comment", "DELETE"),
        ("api-change-decision", "PATCH"),
        ("api-change-decision", "DELETE"),
        ("api-change-reviewers", "POST"),
        ("api-key-keep", "POST"),
        ("api-person-remind", "POST"),
        ("api-improvement-dismiss", "POST"),
        ("api-improvement-stop", "POST"),
        ("api-improvement-take", "POST"),
    }
    assert set(failed) - ASK == others, failed


def test_where_it_is_off_only_an_emergency_asks_for_a_proof(world, session, settings, cast):
    settings.PROMPTUARY_STEP_UP = "off"
    emergency = ("api-change-emergency", "POST")
    refused = {asked for asked in ASK if send(session, asked, world)[0].status_code >= 400}
    assert refused == {emergency}
    assert b"proof-required" in send(session, emergency, world)[0].content
    prove_identity(session, cast.people["admin"])
    assert send(session, emergency, world)[0].status_code == 200


@pytest.mark.parametrize("decision", ["comment", "request_changes"])
def test_decisions_other_than_approving_require_no_proof(world, session, decision):
    body = {"decision": decision, "digest": world["digest"], "text": "Why?"}
    answer = session.post(f"/api/v1/changes/{world['open']}/decisions", body, "application/json")
    assert answer.status_code == 201


def test_pausing_a_webhook_asks_for_nothing(world, session):
    answer = session.patch(f"/api/v1/webhooks/{world['webhook']}", {"paused": True}, "application/json")
    assert answer.status_code == 200
