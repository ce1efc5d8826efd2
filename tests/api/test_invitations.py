"""Invitations in the API: one address, and several with a result for each."""

import pytest

from registry.accounts.models import User
from registry.invitations.models import Invitation
from tests.api.conftest import problem

PATH = "namespaces/support/invitations"


@pytest.fixture
def admin(caller):
    return caller("admin", session=True)


def test_one_address_is_answered_with_its_link(admin):
    answer = admin.post(PATH, {"role": "author", "email": "one@example.org"})
    body = answer.json()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert (body["email"], body["role"], body["is_sent"]) == ("one@example.org", "author", False)
    assert "/invitations/" in body["link"]
    assert "open invitation already" in problem(admin.post(PATH, body_of("one@example.org")), 409, "conflict")["detail"]


def body_of(*emails, role="author"):
    return {"role": role, "email": emails[0]} if len(emails) == 1 else {"role": role, "emails": list(emails)}


def test_several_addresses_have_a_result_each(admin):
    User.objects.filter(username="reviewer").update(email="reviewer@example.org")
    User.objects.create(username="fresh", email="fresh@example.org")
    admin.post(PATH, body_of("waiting@example.org"))
    emails = ["Reviewer@example.org", "new@example.org", "fresh@example.org", "waiting@example.org", "new@example.org"]
    answer = admin.post(PATH, body_of(*emails))
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    rows = answer.json()["results"]
    assert [(row["email"], row["outcome"], row["invitation"] is None) for row in rows] == [
        ("reviewer@example.org", "already_member", True),
        ("new@example.org", "invited", False),
        ("fresh@example.org", "role_given", True),
        ("waiting@example.org", "already_invited", True),
    ]
    assert "/invitations/" in rows[1]["invitation"]["link"]
    assert rows[0]["detail"] == "reviewer@example.org is the address of reviewer, who is reviewer of support already."
    assert len(admin.get(PATH).json()["results"]) == 2


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({"role": "author", "emails": ["a@example.org", "b", "c@"]}, "emails", "not mail addresses: b, c@."),
        ({"role": "author", "emails": ["a@example.org", " "]}, "emails", "an address is empty: number 2."),
        ({"role": "author", "emails": ["a@example.org"], "email": "b@example.org"}, "emails", "say either"),
        ({"role": "owner", "emails": ["a@example.org"]}, "role", "one of"),
        ({"role": "author", "emails": [f"p{n}@example.org" for n in range(21)]}, "emails", "at most 20"),
    ],
)
def test_a_wrong_list_names_its_field_and_invites_nobody(admin, body, field, sentence):
    fields = problem(admin.post(PATH, body), 422, "invalid")["fields"]
    assert list(fields) == [field]
    assert sentence in str(fields[field])
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("emails", [[], "a@example.org", ["a@example.org", 3], None, {"a": 1}])
def test_a_list_of_another_shape_is_a_wrong_request(admin, emails):
    answer = admin.post(PATH, {"role": "author", "emails": emails})
    (field,) = problem(answer, 400, "bad-request")["fields"]
    assert field.partition(".")[0] == "emails"
    assert not Invitation.objects.exists()
