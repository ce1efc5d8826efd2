"""A key limited to network addresses, at every entry point that accepts keys."""

import base64

import pytest
from django.test import Client

from registry.namespaces import keys
from registry.serving.fetcher import get_fetcher
from registry.serving.wsgi_fast_path import serve_fetches_first
from tests.api.conftest import REPLY, Caller, problem

INSIDE, OUTSIDE = "203.0.113.9", "198.51.100.1"
OFFICE = ["203.0.113.0/24"]
ENTRY_POINTS = {
    "list": ("get", "/api/v1/templates"),
    "fetch by Django": ("get", f"/api/v1/templates/{REPLY}@1"),
    "fetch with a bucket": ("get", f"/api/v1/templates/{REPLY}@1?bucket=a"),
    "bundle": ("get", "/api/v1/namespaces/support/bundle?label=latest"),
    "moves": ("get", "/api/v1/namespaces/support/moves"),
    "check": ("post", "/api/v1/check"),
    "many": ("post", "/api/v1/fetch"),
    "langfuse": ("get", "/api/public/v2/prompts/support%2Frefunds%2Freply?version=1"),
}
BODIES = {"check": {"document": "- name: a\n  content: b\n"}, "many": {"refs": [f"{REPLY}@1"]}}


@pytest.fixture
def secret(cast) -> str:
    get_fetcher().clear()
    cast.save()
    return str(cast.key("author", "write", addresses=OFFICE))


def ask(entry_point: str, secret: str, **headers: str):
    method, path = ENTRY_POINTS[entry_point]
    authorization = f"Bearer {secret}"
    if entry_point == "langfuse":
        authorization = "Basic " + base64.b64encode(f"public:{secret}".encode()).decode()
    more = {"data": BODIES[entry_point], "content_type": "application/json"} if method == "post" else {}
    return getattr(Client(), method)(path, HTTP_AUTHORIZATION=authorization, **more, **headers)


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_every_entry_point_takes_the_key_from_its_addresses_only(secret, entry_point):
    assert ask(entry_point, secret, REMOTE_ADDR=INSIDE).status_code == 200
    refused = ask(entry_point, secret, REMOTE_ADDR=OUTSIDE)
    assert (refused.status_code, OUTSIDE in refused.content.decode()) == (403, True)
    assert ask(entry_point, secret, REMOTE_ADDR=INSIDE).status_code == 200


def test_the_refusal_has_a_type_of_its_own(secret):
    body = problem(ask("list", secret, REMOTE_ADDR=OUTSIDE), 403, "address-not-allowed")
    assert (body["address"], body["key"]) == (OUTSIDE, secret.split("_")[1])


def test_a_forwarded_address_counts_behind_a_trusted_proxy_only(secret, settings):
    def status() -> int:
        return int(ask("list", secret, REMOTE_ADDR=INSIDE, HTTP_X_FORWARDED_FOR=f"{INSIDE}, {OUTSIDE}").status_code)

    assert status() == 200
    settings.TRUST_PROXY = True
    assert status() == 403


def fetch_fast(secret: str, address: str) -> str:
    """The status line of a fetch ahead of Django."""
    lines: list[str] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": f"/api/v1/templates/{REPLY}@1",
        "HTTP_HOST": "testserver",
        "HTTP_AUTHORIZATION": f"Bearer {secret}",
        "REMOTE_ADDR": address,
        "QUERY_STRING": "",
    }
    serve_fetches_first(lambda *_: [b""])(environ, lambda line, _headers: lines.append(line))
    return lines[0][:3]


def test_no_memory_of_the_fast_path_lets_another_address_in(secret):
    assert [fetch_fast(secret, address) for address in (INSIDE, OUTSIDE, INSIDE, OUTSIDE)] == ["200", "403"] * 2


def test_a_limit_that_is_set_holds_for_what_was_fetched_before(cast):
    get_fetcher().clear()
    cast.save()
    secret = cast.key("author", "write")
    assert [fetch_fast(secret, OUTSIDE) for _ in range(2)] == ["200", "200"]
    keys.set_key_addresses(actor=cast.actor("admin"), key_id=secret.split("_")[1], addresses=OFFICE)
    get_fetcher().follower.mark_due()
    assert fetch_fast(secret, OUTSIDE) == "403"


def test_addresses_are_given_changed_and_listed_over_the_api(cast):
    admin = Caller(person=cast.people["admin"])
    fields = {"name": "bot", "person": "author", "scope": "read", "addresses": ["203.0.113.7"]}
    issued = admin.post("namespaces/support/keys", fields).json()
    assert issued["addresses"] == ["203.0.113.7/32"]
    changed = admin.call("PATCH", f"keys/{issued['id']}", {"addresses": ["2001:db8::/32"]})
    assert (changed.status_code, changed.json()["addresses"]) == (200, ["2001:db8::/32"])
    (listed,) = admin.get("namespaces/support/keys").json()["results"]
    assert listed["addresses"] == ["2001:db8::/32"]
    body = problem(admin.call("PATCH", f"keys/{issued['id']}", {"addresses": ["office"]}), 422, "invalid")
    assert list(body["fields"]) == ["addresses"]
    problem(admin.call("PATCH", f"keys/{issued['id']}", {}), 400, "bad-request")
