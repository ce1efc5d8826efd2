"""Rules of a namespace: reading them, defaults, and the error for each wrong field."""

import pytest

from registry.core.errors import Invalid
from registry.namespaces import rule_fields
from registry.namespaces.rules import ApprovalRule, Owner, Rules


def test_omitted_rules_are_unchanged():
    before = Rules(protected_labels=("production",), approvals=2)
    assert rule_fields.read_rules({"approvals": 3, "self_approval": None}, before) == Rules(
        protected_labels=("production",), approvals=3
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("approvals", -1),
        ("approvals", 21),
        ("approvals", True),
        ("approvals", "2"),
        ("protected_labels", "production"),
        ("protected_labels", ["latest"]),
        ("protected_labels", ["Prod"]),
        ("self_approval", 1),
        ("required_checks", ["luck"]),
        ("compatibility", "forward"),
        ("owners", [{"pattern": "*"}]),
        ("owners", ["reviewer"]),
        ("approval_rules", {}),
        ("approval_rules", [{}]),
        ("approval_rules", [{"approvals": 0}]),
        ("approval_rules", [{"approvals": 21}]),
        ("approval_rules", [{"approvals": 1, "label": "latest"}]),
        ("approval_rules", [{"approvals": 1, "folder": "a//b"}]),
        ("approval_rules", [{"approvals": 1, "folder": "Refunds"}]),
        ("approval_rules", [{"groups": "legal"}]),
        ("approval_rules", [{"groups": ["Not a slug"]}]),
        ("approval_rules", [{"approvals": 1, "colour": "blue"}]),
        ("approval_rules", [{"approvals": 1}] * 51),
        ("colour", "blue"),
    ],
)
def test_a_wrong_rule_is_refused_by_its_field(field, value):
    with pytest.raises(Invalid) as caught:
        rule_fields.read_rules({field: value}, Rules())
    assert list(caught.value.fields) == [field]


def test_labels_are_kept_once():
    assert rule_fields.read_rules({"protected_labels": ["a", "b", "a"]}, Rules()).protected_labels == ("a", "b")


def test_the_last_pattern_that_fits_names_the_owners():
    ours = Rules(owners=(Owner("*", ("admin",)), Owner("refunds/*", ("reviewer",))))
    assert ours.find_owners("refunds/reply", {}) == ("reviewer",)
    assert ours.find_owners("greeting", {}) == ("admin",)
    assert Rules().find_owners("greeting", {}) == ()


def test_owners_are_people_and_those_in_groups():
    ours = rule_fields.read_rules({"owners": [{"pattern": "*", "people": ["admin"], "groups": ["legal"]}]}, Rules())
    assert ours.find_owners("greeting", {"legal": ["reviewer", "admin"]}) == ("admin", "reviewer")
    assert ours.find_owners("greeting", {}) == ("admin",)
    assert rule_fields.read_rules(ours.to_dict(), Rules()) == ours


def test_a_wrong_approval_rule_is_reported_by_its_number():
    with pytest.raises(Invalid, match="rule 2: a whole number from 0 to 20"):
        rule_fields.read_rules({"approval_rules": [{"approvals": 1}, {"approvals": -1}]}, Rules())


def test_approval_rules_survive_being_written_and_read_and_are_left_out_while_there_are_none():
    ours = rule_fields.read_rules({"approval_rules": [{"folder": "refunds/", "groups": ["legal", "legal"]}]}, Rules())
    assert ours.approval_rules == (ApprovalRule("", "refunds", 0, ("legal",)),)
    assert rule_fields.read_rules(ours.to_dict(), Rules()) == ours
    assert "approval_rules" not in Rules().to_dict()


def test_rules_survive_being_written_and_read():
    ours = Rules(
        protected_labels=("production",), approvals=2, owners=(Owner("a/*", ("admin",)),), compatibility="backward"
    )
    assert rule_fields.read_rules(ours.to_dict(), Rules()) == ours
