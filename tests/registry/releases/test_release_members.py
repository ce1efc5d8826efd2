"""Templates added to a release and removed from it."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

from registry.changes import schedules
from registry.changes import services as change_services
from registry.core.errors import Conflict, NotAllowed, NotFound
from registry.journal.models import Event
from registry.notifications.models import Notification
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from tests.registry.releases.conftest import FOUR


def test_a_removed_template_keeps_its_approvals_and_goes_live_alone(
    author, open_release, approve_all, find_member, publish_alone
):
    release = open_release()
    approve_all(release)
    change = find_member(release, FOUR[0])
    proposals.remove_from_release(actor=author, number=release.number, change=change.number)
    assert publish_alone(change).state == "published"
    assert release_services.publish_release(actor=author, number=release.number).members.count() == 3


def test_an_added_template_is_published_with_the_others(author, open_release, approve_all, save, served):
    release = open_release(FOUR[:2])
    save("one", name="support/late")
    proposals.add_to_release(actor=author, number=release.number, versions={"support/late": 1})
    approve_all(release)
    release_services.publish_release(actor=author, number=release.number)
    assert set(served()) == {*FOUR[:2], "support/late"}


def test_an_open_request_can_be_added_as_it_is(author, open_release, propose, save):
    release = open_release(FOUR[:2])
    change = propose(save("one", name="support/late"))
    proposals.add_to_release(actor=author, number=release.number, versions={"support/late": 1})
    change.refresh_from_db()
    assert change.release == release


@pytest.mark.parametrize("mark", ["one", "two"])
def test_a_template_is_in_a_release_once(author, open_release, save, mark):
    release = open_release(FOUR[:2])
    number = save(mark, name=FOUR[0]).number if mark == "two" else 1
    with pytest.raises(Conflict, match="in the release already, with version 1"):
        proposals.add_to_release(actor=author, number=release.number, versions={FOUR[0]: number})


def test_the_served_version_cannot_be_added(author, open_release, save, publish):
    publish(save("one", name="support/live"))
    release = open_release(FOUR[:1])
    with pytest.raises(Conflict, match="support/live can't be added: production already serves exactly this"):
        proposals.add_to_release(actor=author, number=release.number, versions={"support/live": 1})


def test_the_last_template_is_not_removed(author, open_release):
    release = open_release(FOUR[:1])
    with pytest.raises(Conflict, match="withdraw the release instead"):
        proposals.remove_from_release(actor=author, number=release.number, change=1)


def test_a_request_of_another_release_is_not_found(author, open_release):
    open_release(FOUR[:1])
    release = open_release(FOUR[1:3])
    with pytest.raises(NotFound, match="has no change 1"):
        proposals.remove_from_release(actor=author, number=release.number, change=1)


def test_a_closed_release_takes_no_other_templates(author, publish_release, save):
    release = publish_release()
    save("one", name="support/late")
    with pytest.raises(Conflict, match="Release 1 is published"):
        proposals.add_to_release(actor=author, number=release.number, versions={"support/late": 1})
    with pytest.raises(Conflict, match="Release 1 is published"):
        proposals.remove_from_release(actor=author, number=release.number, change=1)


def test_readers_change_nothing_and_outsiders_find_nothing(reader, outsider, open_release):
    release = open_release()
    with pytest.raises(NotAllowed):
        proposals.remove_from_release(actor=reader, number=release.number, change=1)
    with pytest.raises(NotFound, match="no release 1"):
        proposals.add_to_release(actor=outsider, number=release.number, versions={FOUR[0]: 1})


def test_a_withdrawn_member_is_not_reopened_next_to_its_replacement(author, open_release, save, find_member):
    release = open_release(FOUR[:2])
    change = find_member(release, FOUR[0])
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    save("two", name=FOUR[0])
    proposals.add_to_release(actor=author, number=release.number, versions={FOUR[0]: 2})
    with pytest.raises(Conflict, match=f"Release 1 already has change 3 for {FOUR[0]}"):
        change_services.reopen_change(actor=author, number=change.number)


def test_a_member_of_a_withdrawn_release_goes_on_alone_when_it_is_reopened(
    author, open_release, find_member, approve, publish_alone
):
    release = open_release(FOUR[:2])
    release_services.withdraw_release(actor=author, number=release.number, reason="Not yet")
    change = find_member(release, FOUR[0])
    change_services.reopen_change(actor=author, number=change.number)
    approve(change)
    assert publish_alone(change).state == "published"


def test_a_scheduled_request_that_joins_is_not_published_alone(author, propose, approve, save, open_release, served):
    change = propose(save("one", name=FOUR[0]))
    approve(change)
    schedules.schedule_change(actor=author, number=change.number, at=datetime.now(UTC) + timedelta(hours=1))
    with translation.override("de"):
        save("one", name=FOUR[1])
        release = proposals.propose_release(
            actor=author,
            namespace="support",
            label="production",
            title="Together",
            selection=ReleaseSelection(versions={FOUR[0]: 1, FOUR[1]: 1}),
        ).release
    change.refresh_from_db()
    assert (change.goes_live_at, change.scheduled_by, change.release) == (None, None, release)
    assert schedules.list_due_changes() == []
    event = Event.objects.get(kind="change.unscheduled")
    body = json.loads(event.text)["body"]
    reason = f"It is part of release {release.number}, which is published as a whole."
    assert (event.person, body["reason"], body["scheduled_by"]) == ("author", reason, "author")
    notice = Notification.objects.get(kind="change.unscheduled", person=author.person)
    assert notice.sentence.endswith(reason)
    assert served() == {}
