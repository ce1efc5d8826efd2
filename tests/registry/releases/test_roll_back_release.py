"""Rolling back a release: all labels together, or one template alone."""

import json

import pytest

from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.releases import proposals, roll_backs
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.templates import labels
from tests.registry.releases.conftest import FOUR


@pytest.fixture
def second(author, publish_release, save, approve_all):
    """A second release of all four, on top of a published first one."""
    publish_release()
    versions = {name: save("two", name=name).number for name in FOUR}
    release = proposals.propose_release(
        actor=author,
        namespace="support",
        label="production",
        title="Second",
        selection=ReleaseSelection(versions=versions),
    ).release
    approve_all(release)
    return release_services.publish_release(actor=author, number=release.number)


def test_all_labels_go_back_together(reviewer, second, served):
    release = roll_backs.roll_back_release(actor=reviewer, number=second.number, reason="Wrong answers")
    assert served() == dict.fromkeys(FOUR, 1)
    assert release.state == "published"
    assert release.rolled_back_at == release.updated_at
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert body == {"release": 2, "label": "production", "changes": [5, 6, 7, 8], "reason": "Wrong answers"}


def test_one_template_goes_back_alone(reviewer, second, served):
    roll_backs.roll_back_release(actor=reviewer, number=2, reason="Wrong", templates=[FOUR[1]])
    assert served() == {**dict.fromkeys(FOUR, 2), FOUR[1]: 1}


def test_the_rest_follows_later(reviewer, second, served):
    roll_backs.roll_back_release(actor=reviewer, number=2, reason="Wrong", templates=[FOUR[1]])
    roll_backs.roll_back_release(actor=reviewer, number=2, reason="The others too")
    assert served() == dict.fromkeys(FOUR, 1)


def test_one_label_that_moved_on_keeps_all_where_they_are(reviewer, second, save, publish, served):
    publish(save("three", name=FOUR[0]))
    with pytest.raises(Conflict, match=f"production of {FOUR[0]} has moved on since"):
        roll_backs.roll_back_release(actor=reviewer, number=2, reason="Wrong")
    assert served() == {**dict.fromkeys(FOUR, 2), FOUR[0]: 3}


def test_a_first_publication_has_nothing_to_go_back_to(reviewer, publish_release, served):
    publish_release(FOUR[:2])
    with pytest.raises(Conflict, match="had no other version before"):
        roll_backs.roll_back_release(actor=reviewer, number=1, reason="Wrong")
    assert served() == dict.fromkeys(FOUR[:2], 1)


def test_a_release_that_is_completely_rolled_back_is_refused(reviewer, second):
    for name in FOUR:
        labels.roll_back_label(actor=reviewer, name=name, label="production", version=1, reason="One by one")
    with pytest.raises(Conflict, match="Nothing of release 2 is served any more"):
        roll_backs.roll_back_release(actor=reviewer, number=2, reason="Wrong")


def test_it_takes_a_reason_a_reviewer_and_a_published_release(author, reviewer, open_release, second, served):
    with pytest.raises(Invalid):
        roll_backs.roll_back_release(actor=reviewer, number=2, reason="")
    with pytest.raises(NotAllowed):
        roll_backs.roll_back_release(actor=author, number=2, reason="Wrong")
    with pytest.raises(NotFound, match="did not publish"):
        roll_backs.roll_back_release(actor=reviewer, number=2, reason="Wrong", templates=["support/other"])
    release = open_release(["support/late"])
    with pytest.raises(Conflict, match="Release 3 is open"):
        roll_backs.roll_back_release(actor=reviewer, number=release.number, reason="Wrong")
    assert served() == dict.fromkeys(FOUR, 2)


def test_a_member_published_separately_later_is_not_rolled_back(
    author, reviewer, second, save, approve, publish_alone, served
):
    versions = {name: save("three", name=name).number for name in FOUR[:2]}
    selection = ReleaseSelection(versions=versions)
    third = proposals.propose_release(
        actor=author, namespace="support", label="production", title="Third", selection=selection
    ).release
    kept, alone = third.members.select_related("version", "template").order_by("template__name")
    change_services.withdraw_change(actor=author, number=alone.number, reason="Later")
    approve(kept)
    release_services.publish_release(actor=author, number=third.number)
    approve(change_services.reopen_change(actor=author, number=alone.number))
    publish_alone(alone)
    roll_backs.roll_back_release(actor=reviewer, number=third.number, reason="Wrong")
    assert served() == {**dict.fromkeys(FOUR, 2), FOUR[1]: 3}
    with pytest.raises(NotFound, match=f"did not publish {FOUR[1]}"):
        roll_backs.roll_back_release(actor=reviewer, number=third.number, reason="Wrong", templates=[FOUR[1]])
