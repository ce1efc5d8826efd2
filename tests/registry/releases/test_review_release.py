"""Reviewing a release: its gate, approvals in one step, and the conversation about the whole release."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import rules
from registry.changes import services as change_services
from registry.changes.models import Decision
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.freezes import services as freeze_services
from registry.notifications.models import Notification
from registry.releases import comments as release_comments
from registry.releases import gate as release_gate
from registry.releases import proposals, queries
from registry.releases import services as release_services
from tests.registry.releases.conftest import FOUR


def test_the_turn_is_of_the_people_that_a_member_waits_for(admin, open_release, approve_all):
    rules.set_rules(actor=admin, namespace="support", owners=[{"pattern": "refunds/*", "people": ["admin"]}])
    release = open_release()
    approve_all(release)
    gate = release_gate.evaluate_release(release, None)
    assert gate.turn is not None
    assert gate.turn.people == ("admin",)
    assert not gate.may_publish_now


def test_when_nothing_blocks_it_is_the_openers_turn(open_release, approve_all):
    release = open_release()
    approve_all(release)
    gate = release_gate.evaluate_release(release, None)
    assert (gate.may_publish_now, gate.waits_on("author"), gate.blockers) == (True, True, ())


def test_a_closed_release_waits_for_nobody(publish_release):
    gate = release_gate.evaluate_release(publish_release(), None)
    assert (gate.turn, gate.blockers, gate.may_publish_now) == (None, (), False)


def test_a_release_of_which_all_went_live_otherwise_is_superseded(open_release, save, publish):
    release = open_release(FOUR[:2])
    for name in FOUR[:2]:
        publish(save("two", name=name))
    assert release_gate.evaluate_release(release, None).is_superseded


def test_members_that_the_viewer_may_approve_are_marked(admin, reviewer, author, open_release, approve_all):
    release = open_release()
    approve_all(release, names=FOUR[:1])
    for actor, count in ((reviewer, 3), (admin, 4), (author, 0)):
        gate = release_gate.evaluate_release(release, actor)
        assert sum(member.waits_for_viewer for member in gate.members) == count


def test_many_releases_cost_no_more_queries_than_one(open_release, django_assert_num_queries, author):
    first = open_release(FOUR[:1])
    with CaptureQueriesContext(connection) as queries_of_one:
        release_gate.evaluate_releases([first], author)
    others = [open_release([f"support/more{number}"]) for number in range(3)]
    with django_assert_num_queries(len(queries_of_one)):
        release_gate.evaluate_releases([first, *others], author)


def test_approvals_bind_the_digests_that_were_looked_at(author, reviewer, open_release, save, find_member):
    release = open_release(FOUR[:2])
    digests = {row.number: row.version.digest for row in release.members.select_related("version")}
    change = find_member(release, FOUR[0])
    change_services.set_head(actor=author, number=change.number, version=save("two", name=FOUR[0]).number)
    with pytest.raises(Conflict, match="not what you looked at"):
        release_services.approve_release(actor=reviewer, number=1, digests=digests)
    assert not Decision.objects.exists()


def test_authors_and_contributors_approve_nothing(author, open_release, approve_all):
    release = open_release(FOUR[:2])
    with pytest.raises(NotAllowed):
        approve_all(release, actor=author)


def test_only_its_own_requests_are_approved_with_it(reviewer, open_release, propose, save):
    open_release(FOUR[:2])
    change = propose(save("one", name="support/other"))
    with pytest.raises(NotFound, match="has no change 3"):
        release_services.approve_release(actor=reviewer, number=1, digests={change.number: change.version.digest})
    with pytest.raises(Invalid):
        release_services.approve_release(actor=reviewer, number=1, digests={})


def test_edits_of_several_are_asked_for_in_one_act(reviewer, open_release, find_digests):
    release = open_release(FOUR[:3])
    digests = find_digests(release, FOUR[:2])
    release_services.ask_for_release_edits(actor=reviewer, number=1, digests=digests, text=" Name the window. ")
    said = Decision.objects.order_by("change")
    assert [(row.change_id, row.decision, row.digest, row.text) for row in said] == [
        (change, "request_changes", digest, "Name the window.") for change, digest in sorted(digests.items())
    ]
    gate = release_gate.evaluate_release(release, reviewer)
    assert sum(bool(member.gate.approval_status.objections) for member in gate.members) == 2
    assert not gate.may_publish_now


@pytest.mark.parametrize(
    ("who", "text", "names", "error"),
    [
        ("reviewer", " ", FOUR[:2], Invalid),
        ("reviewer", "Shorter", [], Invalid),
        ("author", "Shorter", FOUR[:2], NotAllowed),
        ("reader", "Shorter", FOUR[:2], NotAllowed),
        ("outsider", "Shorter", FOUR[:2], NotFound),
    ],
)
def test_a_request_for_edits_takes_words_templates_and_the_right(
    request, open_release, find_digests, who, text, names, error
):
    release = open_release(FOUR[:2])
    with pytest.raises(error):
        release_services.ask_for_release_edits(
            actor=request.getfixturevalue(who), number=1, digests=find_digests(release, names), text=text
        )
    assert not Decision.objects.exists()


def test_nobody_asks_for_edits_of_their_own_change_or_of_a_later_version(
    author, reviewer, open_release, save, find_digests, find_member
):
    release = open_release(FOUR[:2], actor=reviewer)
    digests = find_digests(release, FOUR[:2])
    with pytest.raises(NotAllowed):
        release_services.ask_for_release_edits(actor=reviewer, number=1, digests=digests, text="Shorter")
    other = open_release(FOUR[2:])
    digests = find_digests(other, FOUR[2:])
    change = find_member(other, FOUR[3])
    change_services.set_head(actor=author, number=change.number, version=save("two", name=FOUR[3]).number)
    with pytest.raises(Conflict, match="not what you looked at"):
        release_services.ask_for_release_edits(actor=reviewer, number=2, digests=digests, text="Shorter")
    assert not Decision.objects.exists()


def test_the_conversation_has_steps_and_comments_in_order(author, reviewer, open_release, save, publish):
    release = open_release(FOUR[:2], description="Why")
    open_release(["support/other"])
    release_comments.comment_on_release(actor=reviewer, number=1, text="Also for sale items?")
    proposals.remove_from_release(actor=author, number=1, change=1)
    release_services.withdraw_release(actor=author, number=1, reason="Later")
    moments = queries.list_release_moments(release)
    assert [(moment.person, moment.event.kind, moment.comment_text.text) for moment in moments] == [
        ("author", "release.opened", ""),
        ("reviewer", "release.commented", "Also for sale items?"),
        ("author", "release.changed", ""),
        ("author", "release.withdrawn", ""),
    ]


def test_the_people_of_the_release_are_notified_of_a_comment(author, reviewer, open_release):
    open_release(FOUR[:2])
    release_comments.comment_on_release(actor=reviewer, number=1, text="Also for sale items?")
    notification = Notification.objects.get(kind="release.commented")
    assert notification.person == author.person
    assert notification.sentence == "reviewer commented on release 1: Refund window: 45 days."


def test_a_comment_takes_words_and_the_right_to_comment(reader, author, open_release):
    open_release(FOUR[:1])
    with pytest.raises(Invalid):
        release_comments.comment_on_release(actor=author, number=1, text=" ")
    with pytest.raises(NotAllowed):
        release_comments.comment_on_release(actor=reader, number=1, text="Hello")


def test_lists_show_what_the_actor_may_read(author, outsider, open_release, publish_release):
    publish_release(FOUR[:1])
    open_release(FOUR[1:2])
    assert [row.number for row in queries.list_releases(author).items] == [2, 1]
    assert [row.number for row in queries.list_releases(author, state="open", namespace="support").items] == [2]
    first = queries.list_releases(author, limit=1)
    assert [row.number for row in queries.list_releases(author, limit=1, cursor=first.next).items] == [1]
    assert queries.list_releases(outsider).items == []


def test_a_freeze_is_listed_once_for_all_templates(admin, open_release):
    release = open_release()
    now = datetime.now(UTC)
    freeze_services.set_freeze(
        actor=admin,
        namespace="support",
        repeat="once",
        starts=(now - timedelta(hours=1)).isoformat(),
        ends=(now + timedelta(days=1)).isoformat(),
        reason="Holidays",
    )
    gate = release_gate.evaluate_release(release, admin)
    assert sum(blocker.code == "freeze" for _, blocker in gate.blockers) == len(FOUR)
    listed = gate.listed_blockers
    assert [(member, blocker.code) for member, blocker in listed if blocker.code == "freeze"] == [(None, "freeze")]
    assert listed[0][1].code == "freeze"
    assert len(listed) == len(gate.blockers) - len(FOUR) + 1
