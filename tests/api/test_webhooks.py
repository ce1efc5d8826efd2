"""Webhooks in the API."""

import pytest

from registry.webhooks.models import Delivery
from tests.api.conftest import Caller

PLACE = "namespaces/support/webhooks"
URL = "http://127.0.0.1:9/hook"


@pytest.fixture
def call(cast, settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    caller = Caller(person=cast.people["admin"])
    return caller.call


@pytest.fixture
def made(call):
    return call("POST", PLACE, {"url": URL, "kinds": ["label.moved"], "template": "refunds/*"}).json()


def test_the_answer_to_making_one_alone_holds_the_secret(call, made):
    assert made["secret"].startswith("whsec_")
    (listed,) = call("GET", PLACE).json()["results"]
    assert "secret" not in listed
    assert (listed["url"], listed["kinds"], listed["template"]) == (URL, ["label.moved"], "refunds/*")


def test_an_address_inside_is_refused_at_its_field(call):
    answer = call("POST", PLACE, {"url": "https://169.254.169.254/"})
    assert answer.status_code == 422
    assert "169.254.169.254" in str(answer.json()["fields"]["url"])


def test_an_unknown_kind_is_refused_naming_those_there_are(call):
    answer = call("POST", PLACE, {"url": URL, "kinds": ["label.eaten"]})
    assert "label.moved" in str(answer.json()["fields"]["kinds"])


def test_a_ping_is_queued_and_is_in_the_log(call, made):
    queued = call("POST", f"webhooks/{made['id']}/ping")
    assert queued.status_code == 202
    (row,) = call("GET", f"webhooks/{made['id']}/deliveries?state=pending").json()["results"]
    assert (row["message"], row["kind"], row["attempts"]) == (queued.json()["message"], "webhook.ping", [])


def test_pausing_and_going_on(call, made):
    assert call("PATCH", f"webhooks/{made['id']}", {"paused": True}).json()["paused_at"]
    assert call("POST", f"webhooks/{made['id']}/ping").status_code == 409
    assert call("PATCH", f"webhooks/{made['id']}", {"paused": False}).json()["paused_at"] is None


def test_a_rotation_reports_until_when_the_old_secret_signs(call, made):
    fresh = call("POST", f"webhooks/{made['id']}/rotate", {"overlap_hours": 1}).json()
    assert fresh["secret"] != made["secret"]
    assert fresh["old_secret_until"] is not None
    assert call("POST", f"webhooks/{made['id']}/rotate", {"overlap_hours": 721}).status_code == 400


def test_failed_messages_can_be_replayed(call, made):
    message = call("POST", f"webhooks/{made['id']}/ping").json()["message"]
    Delivery.objects.update(state=Delivery.FAILED)
    assert call("POST", f"webhooks/{made['id']}/replay", {}).json() == {"queued": 1}
    assert call("POST", f"webhooks/{made['id']}/replay", {"message": message}).json() == {"queued": 0}
    assert call("POST", f"webhooks/{made['id']}/replay", {"message": "msg_absent"}).status_code == 404


def test_one_that_is_removed_is_gone(call, made):
    assert call("DELETE", f"webhooks/{made['id']}").status_code == 204
    assert call("DELETE", f"webhooks/{made['id']}").status_code == 404
    assert call("GET", PLACE).json() == {"results": []}


def test_a_channel_of_slack_is_answered_without_its_address_and_without_a_secret(call):
    made = call("POST", PLACE, {"url": URL, "receiver": "slack"}).json()
    assert (made["receiver"], made["url"], made["secret"]) == ("slack", "http://127.0.0.1:9/…", "")
    assert call("POST", f"webhooks/{made['id']}/rotate", {}).status_code == 409


def test_an_unknown_receiver_is_refused_at_its_field(call):
    answer = call("POST", PLACE, {"url": URL, "receiver": "irc"})
    assert (answer.status_code, list(answer.json()["fields"])) == (422, ["receiver"])
