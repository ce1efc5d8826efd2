"""Every writing form in a session whose proof is too old: which of them redirect to the page for a fresh one."""

from copy import copy

import pytest
from django.db import transaction

from frontend.changes import actions as change_actions
from registry.changes import rules
from registry.journal.models import Event
from tests.frontend.conftest import OTHER, read_html
from tests.frontend.test_permissions import TABLE, Row, _ask, clients, world

__all__ = ["clients", "world"]  # the fixtures

C, W, N = "/changes/{open}", "/n/support/webhooks/{webhook}", "/n/support"
SAID = {"digest": "{digest}", "text": "Why?"}
FURTHER = {  # actions at addresses for which the table of permissions has a different one
    **{("change", "POST", do): Row(C, (), {"do": do, **SAID}) for do in ("acknowledge", "request_changes", "send")},
    ("change", "POST", "withdraw"): Row(C, (), {"do": "withdraw", "text": "Enough"}),
    ("change", "POST", "rerun"): Row(C, (), {"do": "rerun"}),
    ("emergency", "POST", "with a reason"): Row(
        "/changes/{open}/emergency", (), {"reason": "It insults people", "seen_version": "1", "expected": "0"}
    ),
    ("members", "POST", "remove"): Row(f"{N}/members", (), {"username": "reader", "role": ""}),
    ("members", "POST", "raise"): Row(f"{N}/members", (), {"username": "reader", "role": "reviewer"}),
    ("webhook", "POST", "rotate"): Row(W, (), {"do": "rotate"}),
    ("webhook", "POST", "pause"): Row(W, (), {"do": "pause"}),
    ("webhook", "POST", "ping"): Row(W, (), {"do": "ping"}),
    ("webhook", "POST", "change"): Row(W, (), {"url": "http://127.0.0.1:9/new"}),
}
ASK = {
    ("mfa_index", "POST", "address"),
    ("people", "POST", "role"),
    ("people", "POST", "reactivate"),
    ("reset-sign-in", "POST", ""),
    ("change", "POST", "approve"),
    ("change", "POST", "acknowledge"),
    ("change", "POST", "publish"),
    ("change", "POST", "schedule"),
    ("change", "POST", "publish too early"),
    ("release", "POST", "schedule"),
    ("release", "POST", "approve"),
    ("release", "POST", "publish too early"),
    ("emergency", "POST", ""),
    ("emergency", "POST", "with a reason"),
    ("members", "POST", ""),
    ("members", "POST", "a role in a folder"),
    ("members", "POST", "invite"),
    ("members", "POST", "a new link"),
    ("members", "POST", "remove"),
    ("members", "POST", "raise"),
    ("members", "POST", "owners"),
    ("groups", "POST", "make"),
    ("groups", "POST", "change"),
    ("groups", "POST", "add"),
    ("groups", "POST", "take out"),
    ("groups", "POST", "remove"),
    ("keys", "POST", "issue"),
    ("keys", "POST", "rotate"),
    ("keys", "POST", "addresses"),
    ("rename", "POST", ""),
    ("rename-folder", "POST", ""),
    ("rules", "POST", ""),
    ("freezes", "POST", "remove"),
    ("evaluations", "POST", "save"),
    ("connections", "POST", ""),
    ("connections", "POST", "cap"),
    ("connection", "POST", "change"),
    ("webhooks", "POST", ""),
    ("webhook", "POST", "rotate"),
    ("webhook", "POST", "change"),
}
WRITES = {asked: row for asked, row in {**TABLE, **FURTHER}.items() if asked[1] != "GET"}
OWN = {
    "mfa_activate_totp",
    "mfa_generate_recovery_codes",
    "mfa_reauthenticate",
    "mfa_authenticate",
    "mfa_login_webauthn",
    "mfa_reauthenticate_webauthn",
    "mfa_add_webauthn",
    "mfa_edit_webauthn",
    "mfa_remove_webauthn",
}  # allauth's own proof


def test_the_page_of_a_change_has_no_act_that_nobody_looked_at():
    approving = {"approve", "acknowledge", "publish", "schedule", "unschedule", "close_emergency"}
    approving |= {"take_back"}  # if it takes back what held the change up
    others = {"request_changes", "comment", "send", "withdraw", "reopen", "set_version", "rerun", "thread", "suggest"}
    others |= {"ask", "edit_comment", "delete_comment"}
    others |= {"keep", "discard", "reply", "keep_reply", "resolve", "unresolve", "apply", "apply_batch"}
    assert set(change_actions.MESSAGES) == approving | others | {"batch", "unbatch", "empty_batch"}


def test_only_forms_that_weaken_the_gate_require_a_proof(desk, world, clients, settings):
    rules.set_rules(actor=desk.actor("admin"), namespace="support", break_glass=True)
    settings.PROMPTUARY_STEP_UP = "password"
    client, led, made = clients["admin"], set(), {}
    for asked, row in WRITES.items():
        if asked[0] in OWN:
            continue
        cookies, before = copy(client.cookies), Event.objects.count()
        with transaction.atomic():
            answer = _ask(client, asked[1], row, world)
            if answer.get("Location", "").startswith("/account/prove?"):
                led.add(asked)
                made[asked] = Event.objects.count() - before
            transaction.set_rollback(True)
        client.cookies = cookies
    assert led == ASK
    assert set(made.values()) == {0}


def test_the_rules_that_were_typed_are_set_after_the_proof(desk, browser, settings):
    settings.PROMPTUARY_STEP_UP = "password"
    client = browser("admin")
    typed = {"protected_labels": "production, live", "approvals": "2", "compatibility": "backward"}
    response = client.post("/n/support/rules", {**typed, "owners": "refunds/*: reviewer, admin"})
    done = client.post(response["Location"], {"password": "admin-promptuary", "next": "/n/support/rules"})
    assert done["Location"] == "/n/support/rules"
    page = read_html(client.get("/n/support/rules"))
    assert ('value="production, live"' in page, "refunds/*: reviewer, admin" in page) == (True, True)


@pytest.mark.parametrize("query", ["", "?view=conversation&against=label"])
def test_an_approval_goes_on_after_the_proof_with_its_words(reply, browser, settings, query):
    change = reply.propose(2)
    settings.PROMPTUARY_STEP_UP = "password"
    client, path = browser("reviewer"), f"/changes/{change.number}"
    sent = {"do": "approve", "digest": change.version.digest, "text": "Reads well, ship it"}
    response = client.post(path + query, sent)
    assert change.decisions.count() == 0
    assert "What you typed is kept" in read_html(client.get(response["Location"]))
    done = client.post(response["Location"], {"password": "reviewer-promptuary", "next": path})
    assert (done.status_code, done["Location"].partition("?")[0]) == (302, path)
    assert [said.text for said in change.decisions.all()] == ["Reads well, ship it"]


def test_the_review_that_approves_asks_and_keeps_its_remarks(reply, browser, settings):
    change = reply.propose(2)
    settings.PROMPTUARY_STEP_UP = "totp"
    client, path = browser("reviewer"), f"/changes/{change.number}"
    keep = {"do": "keep", "version": "2", "line": "9", "side": "source", "text": "Shorter"}
    client.post(path, keep)
    answer = client.post(path, {"do": "approve", "digest": change.version.digest, "text": "Fine, with one wish"})
    # People without a second step get a message and their text back.
    assert (answer.status_code, "Fine, with one wish" in read_html(answer)) == (403, True)
    assert change.decisions.count() == 0


def test_a_person_without_a_means_of_proof_is_told_what_to_do(reply, browser, settings):
    change = reply.propose(2)
    settings.PROMPTUARY_STEP_UP = "password"
    person = reply.people["reviewer"]
    person.set_unusable_password()
    person.save()
    client = browser("reviewer")
    sent = {"do": "approve", "digest": change.version.digest, "text": "Reads well"}
    answer = client.post(f"/changes/{change.number}", sent)
    assert (answer.status_code, "sign out, sign in again" in read_html(answer)) == (403, True)


def test_rolling_back_and_revoking_ask_for_nothing(reply, desk, browser, settings):
    reply.publish(2)
    settings.PROMPTUARY_STEP_UP = "totp"
    sent = {"label": "production", "version": "1", "reason": "Broken", "do": "roll_back"}
    assert browser("reviewer").post("/t/support/refunds/reply/-/labels", sent)["Location"] == "/t/support/refunds/reply"
    assert OTHER not in browser("reader").get("/api/v1/templates/support/refunds/reply@production").json()["document"]
