"""An address with a NUL character is a 404, on every database and at every entry point."""

import pytest

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
