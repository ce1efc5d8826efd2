"""An address with a NUL character is a 404, on every database and at every entry point, and a chunked body a 400."""

import pytest

from registry.middleware import LARGEST_BODY

pytestmark = pytest.mark.usefixtures("db")


@pytest.mark.parametrize(
    "address",
    [
        "/t/support/%00",
        "/api/v1/templates/%00",
        "/api/v1/templates/a/b%00@1",
        "/t/?tag=%00",
        "/api/public/v2/prompts/%00",
    ],
)
def test_an_address_with_a_nul_is_not_found(client, address):
    assert client.get(address).status_code == 404


def test_below_the_api_it_is_a_problem_document(client):
    answer = client.get("/api/v1/templates/%00")
    assert (answer["content-type"], answer.json()["type"]) == ("application/problem+json", "not-found")


@pytest.mark.parametrize("address", ["/api/v1/changes/1/publish", "/login"])
def test_a_chunked_body_which_django_would_take_for_an_empty_one_is_refused(client, address):
    answer = client.post(address, headers={"Transfer-Encoding": "chunked"})
    assert answer.status_code == 400
    assert "Content-Length" in answer.content.decode()


@pytest.mark.parametrize("address", ["/api/v1/render", "/api/public/ingestion", "/login", "/nowhere"])
def test_a_body_that_no_view_accepts_is_refused_before_any_of_it_is_written_to_the_disk(client, address):
    answer = client.post(address, CONTENT_LENGTH=str(LARGEST_BODY + 1))
    assert answer.status_code == 413


def test_chunked_traces_of_langfuse_clients_are_still_dropped_after_the_key_was_asked_for(client):
    assert client.post("/api/public/otel/v1/traces", headers={"Transfer-Encoding": "chunked"}).status_code == 401
