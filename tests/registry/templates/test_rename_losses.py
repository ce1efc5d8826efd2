"""Renaming out of the reach of rules: what they lose is named, and nothing happens without a confirmation."""

from typing import Any

import pytest

from registry.changes import gate, rules
from registry.core.errors import Conflict
from registry.namespaces import groups
from registry.templates import rename
from registry.templates.models import Template

pytestmark = pytest.mark.django_db
REPLY = "support/refunds/reply"


@pytest.fixture
def legal(admin):
    """Two approvals in the folder `refunds`, one of them of Legal, and an owner of the template."""
    groups.make_group(actor=admin, namespace="support", title="Legal", role="reviewer")
    groups.add_to_group(actor=admin, namespace="support", name="legal", username="reviewer")
    rule = {"label": "production", "folder": "refunds", "approvals": 2, "groups": ["legal"]}
    owner = {"pattern": "refunds/*", "people": ["reviewer"], "groups": ["legal"]}
    rules.set_rules(actor=admin, namespace="support", approval_rules=[rule], owners=[owner])


def read_refusal(actor, to="support/free/reply", **more):
    with pytest.raises(Conflict) as refusal:
        rename.rename_template(actor=actor, name=REPLY, to=to, **more)
    assert Template.objects.get().name == REPLY
    return refusal.value.facts


def test_each_rule_that_gets_weaker_is_named_and_the_seal_confirms_it(admin, author, save, propose, legal):
    save(name=REPLY)
    change = propose(Template.objects.get().latest)
    facts = read_refusal(admin)
    assert facts["losses"] == [
        "Changes of production of refunds/reply will need 1 instead of 2 approvals.",
        "Changes of production of refunds/reply will no longer need an approval from Legal.",
        "refunds/reply will have no owners: reviewer, Legal will not be needed to approve.",
    ]
    assert read_refusal(admin, confirmed="guess")["seal"] == facts["seal"]
    assert read_refusal(admin, "support/other/reply", confirmed=facts["seal"])["seal"] != facts["seal"]
    rename.rename_template(actor=admin, name=REPLY, to="support/free/reply", confirmed=facts["seal"])
    change.refresh_from_db()
    assert [blocker.code for blocker in gate.evaluate(change, author).blockers] == ["approvals"]


def test_a_name_at_which_the_rules_ask_for_as_much_or_more_needs_no_confirmation(admin, save, legal):
    save(name=REPLY)
    rename.rename_template(actor=admin, name=REPLY, to="support/refunds/answer")
    save(name="support/free/reply")
    rename.rename_template(actor=admin, name="support/free/reply", to="support/refunds/europe/reply")


def test_owners_that_change_are_a_loss_and_fewer_of_them_are_not(admin, save):
    save(name=REPLY)
    owners = [{"pattern": "refunds/*", "people": ["reviewer", "admin"]}, {"pattern": "free/*", "people": ["author"]}]
    rules.set_rules(actor=admin, namespace="support", owners=owners)
    assert read_refusal(admin)["losses"] == ["The owners of refunds/reply will be author instead of reviewer, admin."]
    fewer = [owners[0], {"pattern": "free/*", "people": ["admin"]}]
    rules.set_rules(actor=admin, namespace="support", owners=fewer)
    rename.rename_template(actor=admin, name=REPLY, to="support/free/reply")


def test_a_folder_names_each_loss_once_with_the_number_of_its_templates(admin, save, legal):
    for name in ("one", "two"):
        save(name=f"support/refunds/{name}")
    with pytest.raises(Conflict) as refusal:
        rename.rename_folder(actor=admin, folder="support/refunds", to="support/returns")
    facts: dict[str, Any] = refusal.value.facts
    assert facts["losses"][0] == "Changes of production of 2 templates will need 1 instead of 2 approvals."
    assert len(facts["losses"]) == 3
    confirmed = facts["seal"]
    renamed = rename.rename_folder(actor=admin, folder="support/refunds", to="support/returns", confirmed=confirmed)
    assert len(renamed) == 2
