"""People in the API."""

import pytest

from tests.api.conftest import problem
from tests.support.sessions import manage_accounts, open_session


@pytest.fixture
def boss(cast, caller):
    manage_accounts(cast.people["admin"])
    return caller("admin", session=True)


def test_people_are_listed_with_roles(boss):
    rows = {row["username"]: row for row in boss.get("people").json()["results"]}
    assert rows["author"]["roles"] == [
        {"namespace": "demo", "role": "author", "own_role": "author", "folder_roles": {}},
        {"namespace": "support", "role": "author", "own_role": "author", "folder_roles": {}},
    ]
    assert (rows["author"]["has_two_step"], "asleep" in rows) == (False, False)
    asleep = boss.get("people?deactivated=yes&q=asleep").json()["results"]
    assert [(row["username"], row["is_active"], row["has_two_step"]) for row in asleep] == [("asleep", False, True)]


def test_an_account_is_deactivated_and_reactivated(cast, caller, boss):
    author = caller("author")
    open_session(cast.people["author"])
    effects = boss.get("people/author/deactivation").json()
    assert [key["name"] for key in effects["keys"]] == ["author write"]
    assert boss.post("people/author/deactivate").json() == {"username": "author", "is_active": False}
    assert author.get("namespaces").status_code == 401
    assert boss.post("people/author/reactivate").json() == {"username": "author", "is_active": True}
    assert author.get("namespaces").status_code == 200
    assert boss.call("DELETE", "people/author/sessions").json() == {"ended": 0}


def test_the_last_admin_is_refused_by_name(boss):
    answer = boss.post("people/outsider/deactivate")
    assert "other needs another admin first" in problem(answer, 409, "conflict")["detail"]
