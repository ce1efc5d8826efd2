"""Creating namespaces: the first admin, the default rules, and refused names."""

import json
from typing import Any

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import check_results, rules
from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Role
from registry.namespaces.permissions import find_role


def test_the_creator_of_a_namespace_is_its_admin(db):
    person = User.objects.create(username="founder")
    namespace = namespace_services.create_namespace(
        actor=Actor(person), name="sales", protected_labels=["production"], approvals=2
    )
    assert find_role(person, namespace) == Role.ADMIN
    body = json.loads(Event.objects.get().text)["body"]
    assert (body["name"], body["admin"], body["rules"]["approvals"]) == ("sales", "founder", 2)


DEFAULT = ["problems", "samples", "budget", "contract"]


@pytest.mark.parametrize(
    ("given", "required"),
    [
        ({}, DEFAULT),
        ({"required_checks": None}, DEFAULT),
        ({"required_checks": []}, []),
        ({"required_checks": ["budget"]}, ["budget"]),
        ({"approvals": 2, "break_glass": True}, DEFAULT),
    ],
)
def test_a_new_namespace_requires_the_usual_checks_by_default(operator, given, required):
    made = namespace_services.create_namespace(actor=operator, name="sales", **given)
    assert made.required_checks == required
    body = json.loads(Event.objects.get(kind="namespace.created").text)["body"]
    assert body["rules"]["required_checks"] == required


def test_an_older_namespace_keeps_what_it_has(admin, support):
    assert support.required_checks == []
    assert rules.set_rules(actor=admin, namespace="support", approvals=2).namespace.required_checks == []


def test_by_default_no_label_moves_before_its_checks_passed(operator, admin, reviewer, save, propose, approve):
    rules.set_rules(actor=admin, namespace="support", required_checks=DEFAULT)
    change = propose(save("one"))
    approve(change)
    with pytest.raises(Conflict, match="has not finished") as refused:
        change_services.publish_change(actor=reviewer, number=change.number)
    blockers: Any = refused.value.facts["blockers"]
    assert [blocker["code"] for blocker in blockers] == [f"check:{name}" for name in DEFAULT]
    check_results.run_checks(number=change.number)
    assert change_services.publish_change(actor=reviewer, number=change.number).state == "published"


def test_a_name_is_given_once(operator, support):
    with pytest.raises(Conflict, match="a namespace support already"):
        namespace_services.create_namespace(actor=operator, name="support")


@pytest.mark.parametrize("name", ["", "Support", "a/b", "con", "-"])
def test_a_name_is_a_slug(operator, name):
    with pytest.raises(Invalid):
        namespace_services.create_namespace(actor=operator, name=name)


def test_only_admins_of_the_installation_and_commands_make_namespaces_where_the_setting_says_so(
    admin, operator, settings
):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "admins"
    with pytest.raises(NotAllowed, match="by the operator, with the command createnamespace"):
        namespace_services.create_namespace(actor=admin, name="sales")
    User.objects.create(username="root", is_superuser=True)
    with pytest.raises(NotAllowed, match="Ask one of them: root"):
        namespace_services.create_namespace(actor=admin, name="sales")
    admin.person.is_superuser = True
    for actor, name in ((admin, "sales"), (operator, "returns")):
        assert namespace_services.create_namespace(actor=actor, name=name).name == name


def test_a_key_makes_no_namespace(admin):
    key = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write").key
    with pytest.raises(NotAllowed):
        namespace_services.create_namespace(actor=Actor(admin.person, key), name="other")


def test_rules_change_one_by_one(admin):
    rules.set_rules(actor=admin, namespace="support", approvals=2)
    namespace = rules.set_rules(actor=admin, namespace="support", self_approval=True).namespace
    assert (namespace.approvals, namespace.self_approval, namespace.protected_labels) == (2, True, ["production"])


def test_rules_as_they_are_make_no_event(admin):
    before = Event.objects.count()
    rules.set_rules(actor=admin, namespace="support", approvals=1)
    assert Event.objects.count() == before


def test_owners_are_members(admin):
    with pytest.raises(Invalid, match="nobody: not a member"):
        rules.set_rules(actor=admin, namespace="support", owners=[{"pattern": "*", "people": ["nobody"]}])


def test_only_admins_rule(reviewer, outsider):
    with pytest.raises(NotAllowed):
        rules.set_rules(actor=reviewer, namespace="support", approvals=0)
    with pytest.raises(NotFound):
        rules.set_rules(actor=outsider, namespace="support", approvals=0)


def test_an_admin_gives_and_takes_roles(admin, reader, support):
    namespace_services.set_role(actor=admin, namespace="support", username="reader", role="author")
    assert find_role(reader.person, support) == Role.AUTHOR
    namespace_services.set_role(actor=admin, namespace="support", username="reader", role=None)
    assert find_role(reader.person, support) is None
    assert json.loads(Event.objects.latest("number").text)["body"] == {"person": "reader", "role": None}


def test_the_last_admin_stays(admin):
    for role in ("author", None):
        with pytest.raises(Conflict, match="last admin"):
            namespace_services.set_role(actor=admin, namespace="support", username="admin", role=role)


def test_an_invalid_role_is_refused(admin):
    with pytest.raises(Invalid, match="one of reader"):
        namespace_services.set_role(actor=admin, namespace="support", username="reader", role="owner")


def test_only_accounts_become_members(admin):
    for username in ("nobody", "operator"):
        with pytest.raises(NotFound, match="no active account"):
            namespace_services.set_role(actor=admin, namespace="support", username=username, role="reader")


def test_only_admins_give_roles(reviewer):
    with pytest.raises(NotAllowed):
        namespace_services.set_role(actor=reviewer, namespace="support", username="reviewer", role="admin")
