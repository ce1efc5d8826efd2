"""Every error is a problem document, whichever layer raises it."""

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client

from tests.api.conftest import DOCUMENT, Caller, problem


@pytest.mark.parametrize(
    "path", ["nothing", "templates/", "changes/x", "changes/1/nothing", "", "templates/a/b/-/nothing/x"]
)
def test_an_unknown_address_is_not_found_even_without_a_key(db, path):
    problem(Caller().get(path), 404, "not-found")


@pytest.mark.parametrize("path", ["/api/v1/releases/1/publish", "/api/v2/templates"])
def test_a_post_to_an_unknown_address_is_answered_without_a_word_on_forms(db, path):
    answer = problem(Client(enforce_csrf_checks=True).post(path, {}), 404, "not-found")
    assert path in answer["detail"]


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v2/templates"])
def test_an_unknown_address_outside_the_api_is_answered_with_a_problem_too(db, path):
    problem(Client().get(path), 404, "not-found")


def test_a_call_without_a_key_is_asked_for_one(db):
    response = Caller().get("templates")
    problem(response, 401, "unauthenticated")
    assert response["WWW-Authenticate"] == 'Bearer realm="promptuary"'


@pytest.mark.parametrize("key", ["nonsense", "pb_aaaaaaaa_" + "x" * 43, "pb__", "pb_é_x"])
def test_a_wrong_key_is_refused_even_with_a_session(cast, key):
    caller = Caller(person=cast.people["author"])
    response = caller.get("templates", Authorization=f"Bearer {key}".encode().decode("latin-1"))
    problem(response, 401, "unauthenticated")


def test_a_method_that_there_is_not_is_refused_naming_those_there_are(caller):
    response = caller("author").call("DELETE", "templates")
    problem(response, 405, "method-not-allowed")
    assert "GET" in response["Allow"]


@pytest.mark.parametrize(
    "body", [b"{", b"[1, 2", b'{"a": 1, "a": 2}', b'{"document": "\\ud800"}', b'{"document": "\\u0000"}']
)
def test_bad_json_is_refused_with_its_reason(caller, stored, body):
    author, before = caller("author"), stored()
    problem(author.put("templates/support/a", body), 400, "bad-json")
    assert stored() == before


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"3", b"null"])
def test_a_body_that_is_not_an_object_is_refused(caller, body):
    problem(caller("author").put("templates/support/a", body), 400, "bad-request")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/yaml"]
)
def test_a_body_that_is_not_json_is_refused(cast, kind):
    headers = {"Authorization": f"Bearer {cast.key(scope='write')}"}
    response = Client().put("/api/v1/templates/support/a", b"a=b", content_type=kind, headers=headers)
    problem(response, 415, "unsupported-media-type")


def test_the_answer_is_json_for_every_accept_header(caller):
    response = caller("reader").get("templates", Accept="text/html")
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")


def test_a_rate_limited_response_says_when_to_retry(caller, settings):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "caller": "2/min"}
    reader = caller("reader")
    responses = [reader.get("templates") for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    problem(responses[2], 429, "too-many")
    assert 1 <= int(responses[2]["Retry-After"]) <= 60


def test_renderings_have_a_rate_of_their_own(caller, settings):
    settings.PROMPTUARY_RATES = {**settings.PROMPTUARY_RATES, "render": "1/min"}
    reader = caller("reader")
    statuses = [reader.post("check", {"document": DOCUMENT}).status_code for _ in range(2)]
    assert statuses == [200, 429]
    assert reader.get("templates").status_code == 200


def lose_connection(_execute, _sql, _params, _many, _context):
    """Raise what Django's database layer raises when PostgreSQL is unavailable."""
    raise OperationalError from psycopg.OperationalError("server closed the connection unexpectedly")


@pytest.mark.parametrize("ask", [Caller.get, Caller.put])
def test_a_database_that_is_away_is_busy_and_no_failure(cast, ask):
    caller = Caller(key=cast.key(scope="write"))
    with connection.execute_wrapper(lose_connection):
        response = ask(caller, "templates/support/a", *([{"document": DOCUMENT}] if ask is Caller.put else []))
    problem(response, 503, "busy")
    assert response["Retry-After"] == "1"
    assert ("Check whether this was done" in response.json()["detail"]) is (ask is Caller.put)


def test_a_session_that_can_t_be_read_is_busy_too(cast):
    client = Client(raise_request_exception=False)
    client.force_login(cast.people["author"])
    with connection.execute_wrapper(lose_connection):
        problem(client.get("/api/v1/templates"), 503, "busy")
