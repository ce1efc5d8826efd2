"""Namespaces, their rules and members in the API."""

import pytest

from registry.accounts.models import User
from registry.changes import decisions
from registry.namespaces.models import Namespace
from tests.api.conftest import Caller, problem


@pytest.fixture
def admin(cast) -> Caller:
    return Caller(person=cast.people["admin"])


@pytest.fixture
def approved(cast) -> int:
    """The number of an open change that the reviewer approved."""
    digest = cast.save().version.digest
    number: int = cast.propose(1).number
    decisions.decide_on_change(actor=cast.actor("reviewer"), number=number, decision="approve", digest=digest)
    return number


def test_a_caller_sees_their_namespaces_with_role_and_rules(cast):
    results = Caller(person=cast.people["reader"]).get("namespaces").json()["results"]
    assert [(one["name"], one["role"]) for one in results] == [("demo", "reader"), ("support", "reader")]
    assert results[1]["rules"]["protected_labels"] == ["production"]


def test_a_key_sees_its_own_namespace(cast):
    results = Caller(key=cast.key()).get("namespaces").json()["results"]
    assert [one["name"] for one in results] == ["support"]


def test_the_creator_of_a_namespace_is_its_admin(cast):
    caller = Caller(person=cast.people["reader"])
    response = caller.post("namespaces", {"name": "sales", "protected_labels": ["production"], "approvals": 2})
    assert (response.status_code, response["Location"]) == (201, "/api/v1/namespaces/sales")
    assert (response.json()["role"], response.json()["rules"]["approvals"]) == ("admin", 2)
    problem(caller.post("namespaces", {"name": "sales"}), 409, "conflict")


def test_a_refusal_to_create_a_namespace_says_whom_to_ask(cast, settings):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "admins"
    User.objects.create(username="root", is_superuser=True)
    refused = problem(Caller(person=cast.people["admin"]).post("namespaces", {"name": "sales"}), 403, "not-allowed")
    assert refused["detail"] == "Namespaces are created by admins of the installation. Ask one of them: root."


DEFAULT = ["problems", "samples", "budget", "contract"]


@pytest.mark.parametrize(
    ("given", "required"),
    [
        ({}, DEFAULT),
        ({"required_checks": None}, DEFAULT),
        ({"required_checks": []}, []),
        ({"required_checks": ["budget"]}, ["budget"]),
    ],
)
def test_a_new_namespace_requires_the_usual_checks_by_default(admin, given, required):
    made = admin.post("namespaces", {"name": "sales", "protected_labels": ["production"], **given})
    assert (made.status_code, made.json()["rules"]["required_checks"]) == (201, required)
    assert admin.get("namespaces/sales").json()["rules"]["required_checks"] == required


def test_rules_change_one_by_one_and_the_rest_stays(admin):
    fields = {"approvals": 2, "owners": [{"pattern": "refunds/*", "people": ["reviewer"]}], "keys_approved_only": False}
    rules = admin.call("PATCH", "namespaces/support", fields).json()["rules"]
    assert (rules["approvals"], rules["keys_approved_only"], rules["protected_labels"]) == (2, False, ["production"])
    assert rules["owners"] == fields["owners"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"approvals": 21}, "approvals"),
        ({"required_checks": ["luck"]}, "required_checks"),
        ({"compatibility": "forward"}, "compatibility"),
        ({"protected_labels": ["latest"]}, "protected_labels"),
        ({"owners": [{"pattern": "*", "people": ["nobody"]}]}, "owners"),
    ],
)
def test_a_wrong_rule_is_refused_at_its_field(admin, given, field):
    body = problem(admin.call("PATCH", "namespaces/support", given), 422, "invalid")
    assert list(body["fields"]) == [field]
    assert Namespace.objects.get(name="support").approvals == 1


@pytest.mark.parametrize("given", [{"approvals": "2"}, {"approval": 2}, {"owners": [{"pattern": "*"}]}])
def test_a_rule_of_another_form_is_a_bad_request(admin, given):
    problem(admin.call("PATCH", "namespaces/support", given), 400, "bad-request")


def test_roles_are_given_and_taken(admin, cast):
    assert admin.put("namespaces/support/members/outsider", {"role": "reader"}).json()["role"] == "reader"
    assert Caller(person=cast.people["outsider"]).get("namespaces/support").json()["role"] == "reader"
    assert admin.call("DELETE", "namespaces/support/members/outsider").status_code == 204
    assert Caller(person=cast.people["outsider"]).get("namespaces/support").status_code == 404


def test_a_role_that_takes_an_approval_away_is_set_when_that_was_read(admin, approved):
    place = "namespaces/support/members/reviewer"
    losses = admin.get(f"{place}/preview?role=author").json()
    assert (losses["role_before"], losses["approvals"]) == ("reviewer", [approved])
    refused = problem(admin.put(place, {"role": "author", "confirmed": "an older seal"}), 409, "conflict")
    assert (refused["losses"], refused["seal"]) == (losses["losses"], losses["seal"])
    assert admin.put(place, {"role": "author", "confirmed": losses["seal"]}).json()["role"] == "author"
    assert admin.get(f"{place}/preview?role=reader").json()["losses"] == []


def test_a_member_with_an_approval_is_removed_when_that_was_read(admin, approved):
    place = "namespaces/support/members/reviewer"
    seal = problem(admin.call("DELETE", place), 409, "conflict")["seal"]
    assert seal == admin.get(f"{place}/preview").json()["seal"]
    assert admin.call("DELETE", f"{place}?confirmed={seal}").status_code == 204


def test_the_preview_of_a_role_refuses_an_unknown_one(admin):
    problem(admin.get("namespaces/support/members/reviewer/preview?role=owner"), 422, "invalid")


def test_the_last_admin_stays(admin):
    problem(admin.call("DELETE", "namespaces/support/members/admin"), 409, "conflict")
    problem(admin.put("namespaces/support/members/admin", {"role": "reader"}), 409, "conflict")


def test_a_refusal_says_which_role_is_missing_and_who_grants_it(cast):
    caller = Caller(person=cast.people["author"])
    body = problem(caller.call("PATCH", "namespaces/support", {"approvals": 0}), 403, "not-allowed")
    assert (body["needed"], body["role"]) == ("admin", "author")
    assert "need the role admin" in body["detail"]
    assert body["detail"].endswith("Ask an admin of support: admin.")
