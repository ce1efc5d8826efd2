"""`/.well-known/security.txt` in the format of RFC 9116."""

from datetime import UTC, datetime, timedelta

PATH = "/.well-known/security.txt"


def fields(client) -> list[tuple[str, str]]:
    text = client.get(PATH).content.decode()
    return [(name, value) for name, _, value in (line.partition(": ") for line in text.splitlines())]


def test_anybody_reads_it_as_plain_text(client):
    answer = client.get(PATH)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert client.head(PATH).status_code == 200
    assert client.post(PATH).status_code == 405


def test_it_names_a_contact_and_an_end_within_a_year(client, settings):
    settings.BASE_URL = "https://prompts.example"
    found = dict(fields(client))
    assert found["Contact"] == "mailto:security@prompts.example"
    assert found["Canonical"] == f"https://prompts.example{PATH}"
    expires = datetime.fromisoformat(found["Expires"])
    assert datetime.now(UTC) < expires < datetime.now(UTC) + timedelta(days=365)


def test_the_operator_names_contacts_and_the_policy(client, settings):
    settings.SECURITY_CONTACTS = ["https://example.org/report", "mailto:team@example.org"]
    settings.SECURITY_POLICY_URL = "https://example.org/policy"
    found = fields(client)
    assert [value for name, value in found if name == "Contact"] == settings.SECURITY_CONTACTS
    assert ("Policy", "https://example.org/policy") in found
