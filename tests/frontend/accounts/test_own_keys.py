"""The keys that act for a person: on their home page, on their account page, and revoked there."""

import json

import pytest

from registry.accounts.models import Key
from registry.journal.models import Event
from registry.namespaces import keys
from tests.frontend.conftest import read_html


@pytest.fixture
def key(desk):
    issued = keys.issue_key(
        actor=desk.actor("admin"),
        namespace="support",
        name="chat",
        verbs=["fetch"],
        labels=["production"],
        person="author",
    )
    return issued.key


def test_a_new_key_is_reported_at_home_until_it_was_seen(key, browser):
    client = browser("author")
    sentence = "admin issued a key that acts in your name: chat in support."
    assert sentence in read_html(client.get("/"))
    assert sentence not in read_html(browser("admin").get("/"))
    assert client.post("/account/keys", {"do": "seen"})["Location"] == "/account/keys"
    assert sentence not in read_html(client.get("/"))


@pytest.mark.parametrize("address", ["/account", "/account/keys"])
def test_the_account_page_lists_the_keys_that_act_for_the_person(key, browser, address):
    page = read_html(browser("author").get(address))
    assert f"pb_{key.id}_" in page
    assert "fetch, only what production serves, approved versions only" in page
    assert "by admin" in page
    assert f"pb_{key.id}_" not in read_html(browser("reviewer").get(address))


@pytest.mark.parametrize(("role", "address"), [("author", "/account/keys"), ("admin", "/n/support/keys")])
def test_the_usage_of_a_key_is_shown_before_it_is_revoked(key, reply, browser, role, address):
    client = browser(role)
    assert f'href="{address if role == "author" else ""}?revoke={key.id}"' in read_html(client.get(address))
    page = read_html(client.get(f"{address}?revoke={key.id}"))
    assert "It fetched nothing in the last 30 days" in page
    assert all(f">{when}</label>" in page for when in ("Now", "In 1 hour", "In 1 day"))
    assert Key.objects.get().revoked_at is None


@pytest.mark.parametrize(("after", "ended"), [("", True), ("0", True), ("1", False), ("24", False)])
def test_a_person_revokes_a_key_of_theirs(key, browser, after, ended):
    client = browser("author")
    client.post("/account/keys", {"do": "revoke", "key": key.id, "after": after, "reason": "Its secret was mailed"})
    stored = Key.objects.get()
    assert (stored.revoked_at is not None, stored.expires_at is None) == (ended, ended)
    assert json.loads(Event.objects.latest("number").text)["body"]["reason"] == "Its secret was mailed"
    audit = read_html(browser("admin").get("/n/support/audit"))
    assert f"revoked the key pb_{key.id}{'' if ended else ', to end later'}: Its secret was mailed" in audit


def test_without_a_reason_the_panel_comes_back_and_nothing_ends(key, browser):
    answer = browser("author").post("/account/keys", {"do": "revoke", "key": key.id, "after": "24"})
    page = read_html(answer)
    assert answer.status_code == 422
    assert "Say why: it is recorded in the audit." in page
    assert 'name="after" value="24" class="visually-hidden" checked>' in page
    assert Key.objects.get().expires_at is None


def test_nobody_revokes_a_key_of_another_there(key, browser):
    sent = {"do": "revoke", "key": key.id, "reason": "Lost"}
    assert browser("reviewer").post("/account/keys", sent).status_code == 403
    assert browser("outsider").post("/account/keys", sent).status_code == 404
    assert browser("author").post("/account/keys", {**sent, "after": "9"}).status_code == 422
    assert Key.objects.get().revoked_at is None
