"""Requests that are broken below the JSON: every API address refuses them, and HEAD works wherever GET does."""

import base64
import json

import pytest
from django.db import transaction
from django.test import Client

from tests.api.test_permissions import TABLE, fill_body, world  # noqa: F401  # the fixture

BODIES = [
    b"",
    b"\0",
    b"[]",
    b'{"a":',
    b'{"reason": "\\u0000"}',
    b"\xff\xfe",
    b'"' * 100,
    b"[" * 5000,
    b"1e999",
    b"x=%00",
]
KINDS = [
    "application/json",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "application/json; charset=no-such",
    "",
]
QUERIES = [
    "limit=%00",
    "limit=" + "9" * 5000,
    "cursor=%ff",
    "cursor=%C2%B2",
    "%ff=%zz",
    "q=" + "x" * 9000,
    "state=%F0%9F%98%80",
    "&".join(["q=1"] * 1_500),
]


@pytest.fixture
def client(cast):
    client = Client(raise_request_exception=False)
    client.force_login(cast.people["admin"])
    return client


def _rows(methods):
    return [(method, path) for (_, method), (path, _, _) in TABLE.items() if method in methods]


def test_no_broken_body_makes_the_server_fail(client, world):  # noqa: F811
    failed = []
    for index, (method, path) in enumerate(_rows({"POST", "PUT", "PATCH", "DELETE"})):
        for step in range(3):  # three of the bodies, others for each address
            number = index * 3 + step
            body, kind = BODIES[number % len(BODIES)], KINDS[number % len(KINDS)]
            with transaction.atomic():
                answer = client.generic(method, f"/api/v1/{path.format(**world)}", body, content_type=kind)
                transaction.set_rollback(True)
            if answer.status_code >= 500 or (answer.status_code >= 400 and "json" not in answer["Content-Type"]):
                failed.append((method, path, body[:20], answer.status_code))
    assert failed == []


def test_head_and_odd_questions_are_answered_as_get_is(client, world):  # noqa: F811
    failed = []
    for index, (_, path) in enumerate(_rows({"GET"})):
        address = f"/api/v1/{path.format(**world)}"
        response, head = client.get(address), client.head(address)
        if head.status_code != response.status_code or b"".join(head):
            failed.append((path, response.status_code, head.status_code))
        for query in QUERIES[index % 3 :: 3]:
            mark = "&" if "?" in address else "?"
            if (status := client.get(f"{address}{mark}{query}").status_code) >= 500:
                failed.append((path, query, status))
    assert failed == []


@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**40])
def test_numbers_of_any_size_in_addresses_are_answered(client, world, number):  # noqa: F811
    numbers = {name: number if isinstance(value, int) else value for name, value in world.items()}
    failed = []
    for (_, method), (path, body, _) in TABLE.items():
        address = f"/api/v1/{path.format(**numbers)}"
        if address == f"/api/v1/{path.format(**world)}":
            continue
        content = json.dumps(fill_body(body, world) if body else {})
        with transaction.atomic():
            answer = client.generic(method, address, content, content_type="application/json")
            transaction.set_rollback(True)
        if not 400 <= answer.status_code < 500:
            failed.append((method, path, answer.status_code))
    assert failed == []


@pytest.mark.parametrize("secret", ["", "\0", "pb_\0", "x" * 9000, "é", ":::"])
@pytest.mark.parametrize("address", ["projects", "v2/prompts", "v2/prompts/a%2Fb", "otel/v1/traces", "ingestion"])
def test_odd_keys_make_no_langfuse_address_fail(client, address, secret):
    basic = base64.b64encode(f"pk:{secret}".encode()).decode()
    for sent in (f"Basic {basic}", f"Basic {secret}", f"Bearer {secret}", "Basic"):
        for method in ("GET", "HEAD", "POST", "BREW"):
            answer = client.generic(method, f"/api/public/{address}", b"\0", headers={"authorization": sent})
            assert answer.status_code < 500


def test_too_many_parameters_are_refused_with_their_limit(client):
    answer = client.get(f"/api/v1/templates?{'&'.join(['q=1'] * 1_500)}")
    assert answer.status_code == 400
    assert answer.json()["detail"] == "The request has too many parameters: at most 1,000 are allowed."
