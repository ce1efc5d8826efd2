"""Renaming out of the reach of rules: what they lose is named, and nothing happens without a confirmation."""

from typing import Any

import pytest

from registry.changes import gate, rules
from registry.core.errors import Conflict
from registry.evaluations import attachments, datasets
from registry.namespaces import folder_roles, groups
from registry.notifications import following, watches
from registry.templates import rename
from registry.templates.models import Template
from registry.webhooks import services as webhook_services

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


def attach(actor, pattern, **more):
    row = '{"id": "one", "inputs": {"question": "Where?"}, "expected": "Here"}'
    datasets.save_dataset(actor=actor, name="support/gold", text=row)
    attachments.attach_evaluation(
        actor=actor, namespace="support", name="answers", pattern=pattern, dataset="support/gold", model="echo", **more
    )


@pytest.mark.parametrize(("nightly", "end"), [(False, "."), (True, ", which also measures every night what is live.")])
def test_an_evaluation_whose_pattern_does_not_match_the_new_name_is_a_loss(admin, save, nightly, end):
    save(name=REPLY)
    attach(admin, "refunds/*", gates=["squad_f1 >= 0.5"], nightly=nightly)
    sentence = "Changes of refunds/reply will no longer have to pass the evaluation answers"
    assert read_refusal(admin)["losses"] == [f"{sentence}{end}"]
    rename.rename_template(actor=admin, name=REPLY, to="support/refunds/answer")


def test_a_webhook_that_is_told_no_longer_is_a_loss_and_one_without_a_pattern_is_not(admin, save, settings):
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    save(name=REPLY)
    url = "http://127.0.0.1:9/"
    webhook_services.create_webhook(actor=admin, namespace="support", url=url)
    narrow = webhook_services.create_webhook(actor=admin, namespace="support", url=url, template="refunds/*").webhook
    sentence = f"The webhook {narrow.pk} to 127.0.0.1 will no longer get the events of refunds/reply."
    assert read_refusal(admin)["losses"] == [sentence]
    rename.rename_template(actor=admin, name=REPLY, to="support/refunds/answer")


def test_followers_of_a_folder_are_counted_and_a_follower_of_the_template_stays_one(admin, author, reader, save):
    save(name=REPLY)
    for person in (author, reader):
        watches.set_watch_level(actor=person, level="all", namespace="support", template="refunds/*")
    sentence = "2 people who follow templates by folder or pattern will no longer be told about refunds/reply."
    assert read_refusal(admin)["losses"] == [sentence]
    watches.set_watch_level(actor=author, level="all", namespace="support")  # at the new place this one applies
    following.follow_template(actor=reader, name=REPLY)
    renamed = rename.rename_template(actor=admin, name=REPLY, to="support/free/reply")
    assert following.find_follow(reader, renamed) is not None


def test_fewer_topics_at_the_new_name_are_a_loss(admin, reader, save):
    save(name=REPLY)
    watches.set_watch_level(actor=reader, level="all", namespace="support", topics=["published"])
    watches.set_watch_level(actor=reader, level="all", namespace="support", template="refunds/*")
    assert read_refusal(admin)["losses"] == [
        "1 person who follows templates by folder or pattern will no longer be told about refunds/reply."
    ]


def test_a_level_chosen_for_the_new_name_before_is_kept(admin, reader, save):
    save(name=REPLY)
    following.follow_template(actor=reader, name=REPLY)
    watches.set_watch_level(actor=reader, level="none", namespace="support", template="free/reply")
    renamed = rename.rename_template(actor=admin, name=REPLY, to="support/free/reply")
    assert following.find_follow(reader, renamed) is None


def test_roles_in_folders_that_are_left_or_entered_are_named(admin, save):
    save(name=REPLY)
    give = {"actor": admin, "namespace": "support"}
    folder_roles.set_folder_role(**give, folder="refunds", role="author", person="reader")
    folder_roles.set_folder_role(**give, folder="free", role="reviewer", person="author")
    assert read_refusal(admin)["losses"] == [
        "author will get the role reviewer for refunds/reply, instead of author.",
        "reader will be reader instead of author for refunds/reply.",
    ]


def test_roles_in_a_renamed_folder_move_along_and_those_of_the_folder_above_it_do_not(admin, save):
    save(name="support/refunds/europe/reply")
    give = {"actor": admin, "namespace": "support", "role": "author"}
    folder_roles.set_folder_role(**give, folder="refunds/europe", person="reader")
    rename.rename_folder(actor=admin, folder="support/refunds/europe", to="support/europe")
    rename.rename_folder(actor=admin, folder="support/europe", to="support/refunds/europe")
    folder_roles.set_folder_role(**give, folder="refunds", person="reader")
    folder_roles.set_folder_role(**{**give, "role": None}, folder="refunds/europe", person="reader")
    with pytest.raises(Conflict) as refusal:
        rename.rename_folder(actor=admin, folder="support/refunds/europe", to="support/europe")
    assert refusal.value.facts["losses"] == ["reader will be reader instead of author for refunds/europe/reply."]


def test_a_naming_standard_that_only_warns_is_named_and_one_that_refuses_refuses(admin, save):
    save(name=REPLY)
    standards = {"name": {"pattern": "refunds/.*", "severity": "warning"}}
    rules.set_rules(actor=admin, namespace="support", standards=standards)
    sentence = "refunds/reply will no longer match the pattern of names, refunds/.*: each save will warn of it."
    assert read_refusal(admin)["losses"] == [sentence]
    rename.rename_template(actor=admin, name=REPLY, to="support/refunds/answer")
