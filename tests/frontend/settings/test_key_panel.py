"""The panel "What can this key do?", and what a new key starts with."""

import re

import pytest

from registry.namespaces import keys
from tests.frontend.conftest import REPLY, words


@pytest.fixture
def key(reply):
    issued = keys.issue_key(
        actor=reply.actor("admin"), namespace="support", name="chat", verbs=["fetch"], labels=["production"]
    )
    return issued.key


def test_the_panel_says_what_the_key_can_do(key, browser):
    page = words(browser("admin").get(f"/n/support/keys?can={key.id}"))
    assert "<b>Can fetch</b> what production serves, where it is approved, in the one template of support." in page
    assert "No key can ever." in page
    assert "What can this key do?" not in words(browser("admin").get("/n/support/keys?can=nothing"))


def test_a_trial_shows_what_the_server_would_answer(key, browser):
    client, path = browser("admin"), f"/n/support/keys?can={key.id}&act=fetch&template={REPLY}"
    allowed = words(client.get(f"{path}&ref=production"))
    assert re.search(r"Allowed, 200</b> fetch support/refunds/reply@production", allowed)
    assert "Would return v1" in allowed
    refused = words(client.get(f"{path}&ref=2"))
    assert "Refused, 403</b>" in refused
    assert "is not" in refused
    assert "Say which version or label" in words(client.get(path))


def test_a_new_key_starts_as_fetch_only_for_ninety_days(reply, browser):
    page = words(browser("admin").get("/n/support/keys"))
    assert '<option value="chosen" selected>' in page
    assert '<option value="90" selected>' in page
    boxes = re.findall(r'name="verbs" value="(\w+)"( checked)?', page)
    assert [verb for verb, checked in boxes if checked] == ["fetch"]


def test_the_panel_sets_the_addresses_and_a_trial_is_from_one(key, browser):
    client, path = browser("admin"), "/n/support/keys"
    form = {"do": "addresses", "key": key.id, "addresses": "203.0.113.0/24, 2001:db8::/32"}
    answer = client.post(path, form)
    assert (answer.status_code, answer["Location"]) == (302, f"{path}?can={key.id}#can")
    page = words(client.get(f"{path}?can={key.id}"))
    assert "from network addresses other than 203.0.113.0/24 and 2001:db8::/32." in page
    assert "from 203.0.113.0/24, 2001:db8::/32" in page
    trial = f"{path}?can={key.id}&act=fetch&template={REPLY}&ref=production&address="
    assert "Allowed, 200" in words(client.get(f"{trial}203.0.113.9"))
    assert "may not be used from 198.51.100.1" in words(client.get(f"{trial}198.51.100.1"))


def test_addresses_that_are_none_are_refused_beside_their_field(key, browser):
    answer = browser("admin").post("/n/support/keys", {"do": "addresses", "key": key.id, "addresses": "office"})
    page = words(answer)
    assert answer.status_code == 422
    assert "&#x27;office&#x27; is no network, such as 203.0.113.0/24" in page
    assert 'value="office"' in page
