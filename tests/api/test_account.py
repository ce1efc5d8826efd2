"""A person's own account and sessions in the API."""

import pytest

from tests.support.sessions import open_session


def test_name_zone_and_address_are_read_and_changed(cast, caller):
    author = caller("author", session=True)
    before = {"username": "author", "full_name": "", "time_zone": "UTC", "language": "", "email": ""}
    assert author.get("account").json() == before
    values = {"full_name": "An Author", "time_zone": "Europe/Zurich", "language": "de"}
    assert author.call("PATCH", "account", values).json() == before | values
    assert author.call("PATCH", "account", {"email": "author@example.org"}).json()["email"] == "author@example.org"


def test_an_address_that_a_link_was_sent_to_is_reported(cast, caller, settings):
    settings.MAIL_IS_SENT = True
    changed = caller("author", session=True).call("PATCH", "account", {"email": "author@example.org"}).json()
    assert (changed["email"], changed["unconfirmed_email"]) == ("", "author@example.org")


@pytest.mark.parametrize(("field", "value"), [("time_zone", "Mars/Base"), ("language", "xx")])
def test_wrong_values_name_their_field(cast, caller, field, value):
    answer = caller("author", session=True).call("PATCH", "account", {field: value})
    assert (answer.status_code, list(answer.json()["fields"])) == (422, [field])


def test_sessions_are_listed_and_ended(cast, caller):
    author = caller("author", session=True)
    first, second = open_session(cast.people["author"]), open_session(cast.people["author"])
    listed = author.get("account/sessions").json()["results"]
    assert {row["id"] for row in listed} == {first.pk, second.pk}
    assert (listed[0]["browser"], listed[0]["address"]) == ("Firefox on Linux", "192.0.2.7")
    assert author.call("DELETE", f"account/sessions/{first.pk}").status_code == 204
    assert author.call("DELETE", "account/sessions").json() == {"ended": 1}
    assert author.get("account").status_code == 200
