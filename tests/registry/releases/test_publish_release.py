"""Publishing a release: all labels move, or none."""

import json
from typing import Any, cast

import pytest

from registry.changes import check_results, emergencies, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import ApprovalRequired, Conflict, NotAllowed
from registry.journal.models import Event
from registry.releases import services as release_services
from registry.templates import archive
from registry.templates import save as template_save
from registry.templates.label_models import LabelMove
from registry.templates.models import Template
from tests.registry.releases.conftest import FOUR


def refused(actor, release, error=ApprovalRequired) -> list[dict[str, Any]]:
    """The blockers with which publishing is refused."""
    with pytest.raises(error) as caught:
        release_services.publish_release(actor=actor, number=release.number)
    return cast("list[dict[str, Any]]", caught.value.facts["blockers"])


def test_all_labels_move_and_the_release_is_published(publish_release, served):
    release = publish_release()
    assert release.state == "published"
    assert served() == dict.fromkeys(FOUR, 1)
    assert set(release.members.values_list("state", flat=True)) == {"published"}


def test_the_event_of_the_release_comes_after_the_moves(publish_release):
    publish_release()
    *moves, published = Event.objects.order_by("-number")[:5][::-1]
    assert [event.kind for event in moves] == ["label.moved"] * 4
    assert [event.template for event in moves] == list(FOUR)
    body = json.loads(published.text)["body"]
    assert (published.kind, body) == (
        "release.published",
        {"release": 1, "label": "production", "changes": [1, 2, 3, 4]},
    )


def test_one_missing_approval_keeps_every_label_where_it_is(author, open_release, approve_all, served):
    release = open_release()
    approve_all(release, names=FOUR[:3])
    (blocker,) = refused(author, release)
    assert (blocker["template"], blocker["code"]) == (FOUR[3], "approvals")
    assert served() == {}


def test_one_failing_check_keeps_every_label_where_it_is(admin, author, open_release, approve_all, served):
    rules.set_rules(actor=admin, namespace="support", required_checks=["samples"])
    release = open_release(FOUR[:3])
    template_save.save_version(
        actor=author,
        name=FOUR[0],
        document="- name: a\n  content: Hi {{ name }}\n",
        message="",
        base=Template.objects.get(name=FOUR[0]).latest.digest,
        samples={"plain": {}},
    )
    change = release.members.get(template__name=FOUR[0])
    change_services.set_head(actor=author, number=change.number, version=2)
    for number in release.members.values_list("number", flat=True):
        check_results.run_checks(number=number)
    approve_all(release)
    (blocker,) = refused(author, release, Conflict)
    assert (blocker["template"], blocker["code"]) == (FOUR[0], "check:samples")
    assert served() == {}


def test_a_member_is_not_published_alone(author, open_release, approve_all, find_member, served):
    release = open_release()
    approve_all(release)
    with pytest.raises(Conflict, match="part of release 1, which is published as a whole"):
        change_services.publish_change(actor=author, number=find_member(release, FOUR[0]).number)
    assert served() == {}


def test_not_even_in_an_emergency(admin, reviewer, open_release, find_member, served):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    change = find_member(open_release(), FOUR[0])
    with pytest.raises(Conflict, match="remove this template from it first"):
        emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It burns")
    assert served() == {}


def test_a_new_head_voids_the_approval_of_that_template_only(author, open_release, approve_all, save, find_member):
    release = open_release()
    approve_all(release)
    change = find_member(release, FOUR[1])
    change_services.set_head(actor=author, number=change.number, version=save("two", name=FOUR[1]).number)
    (blocker,) = refused(author, release)
    assert (blocker["template"], blocker["code"]) == (FOUR[1], "approvals")
    states = dict(release.members.values_list("template__name", "state"))
    assert states == {**dict.fromkeys(FOUR, "approved"), FOUR[1]: "open"}


def test_a_withdrawn_member_goes_live_with_nothing(author, open_release, approve_all, find_member, served):
    release = open_release()
    approve_all(release)
    change_services.withdraw_change(actor=author, number=find_member(release, FOUR[0]).number, reason="Not needed")
    release_services.publish_release(actor=author, number=release.number)
    assert served() == dict.fromkeys(FOUR[1:], 1)


def test_a_template_of_an_open_release_is_not_archived(admin, open_release):
    open_release()
    with pytest.raises(Conflict, match="Change 3 is open"):
        archive.archive_template(actor=admin, name=FOUR[2], reason="Old", force=True)


def test_owners_of_a_folder_approve_their_templates_only(author, admin, reviewer, open_release, approve_all, served):
    rules.set_rules(actor=admin, namespace="support", owners=[{"pattern": "refunds/*", "people": ["admin"]}])
    release = open_release()
    approve_all(release)
    assert {(blocker["template"], blocker["code"]) for blocker in refused(author, release)} == {
        (FOUR[2], "owners"),
        (FOUR[3], "owners"),
    }
    approve_all(release, actor=admin, names=FOUR[2:])
    release_services.publish_release(actor=author, number=release.number)
    assert len(served()) == 4


def test_two_people_holds_for_each_member_by_itself(reviewer, admin, author, open_release, approve_all, save):
    release = open_release(FOUR[:2])
    version = save("by the reviewer", name=FOUR[0], actor=reviewer)
    change = release.members.get(template__name=FOUR[0])
    change_services.set_head(actor=author, number=change.number, version=version.number)
    with pytest.raises(NotAllowed, match="Another reviewer decides"):
        approve_all(release)
    approve_all(release, names=FOUR[1:2])
    approve_all(release, actor=admin, names=FOUR[:1])
    assert release_services.publish_release(actor=author, number=release.number).state == "published"


def test_a_label_that_moved_on_makes_the_member_superseded(author, open_release, approve_all, save, publish):
    release = open_release(FOUR[:2])
    approve_all(release)
    publish(save("two", name=FOUR[0]))
    (blocker,) = refused(author, release, Conflict)
    assert (blocker["template"], blocker["code"]) == (FOUR[0], "superseded")


def test_twice_is_a_conflict(author, publish_release):
    release = publish_release()
    with pytest.raises(Conflict, match="Release 1 is published"):
        release_services.publish_release(actor=author, number=release.number)


def test_a_reader_publishes_nothing(reader, open_release, approve_all, served):
    release = open_release()
    approve_all(release)
    with pytest.raises(NotAllowed):
        release_services.publish_release(actor=reader, number=release.number)
    assert served() == {}


def test_each_member_keeps_its_approvals(publish_release):
    release = publish_release()
    for change in ChangeRequest.objects.filter(release=release):
        assert [approval["person"] for approval in change.decided["approvals"]] == ["reviewer"]
    assert set(LabelMove.objects.values_list("how", flat=True)) == {"published"}
