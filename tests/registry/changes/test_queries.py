"""Queries of changes: one, lists by state, overlapping changes, and who may read them."""

import pytest

from registry.changes import decisions, gate
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.core.errors import NotFound


@pytest.fixture
def two(author, save):
    """Request 1 for version 1, request 2 for version 2, both open."""
    return [
        writing.propose_change(
            actor=author, name="support/reply", label="production", version=save(mark).number, message=mark
        )
        for mark in ("one", "two")
    ]


def test_a_member_reads_a_request(reader, two):
    change = change_queries.get_change(reader, 2)
    assert (change.template.name, change.version.number, change.opened_by.username) == ("support/reply", 2, "author")


def test_outsiders_hear_of_none(outsider, two):
    with pytest.raises(NotFound):
        change_queries.get_change(outsider, 1)
    assert change_queries.list_changes(outsider).items == []


def test_requests_are_listed_newest_first_and_by_state(author, reader, two):
    writing.withdraw_change(actor=author, number=1, reason="Not needed")
    assert [change.number for change in change_queries.list_changes(reader).items] == [2, 1]
    assert [change.number for change in change_queries.list_changes(reader, state="pending").items] == [2]
    assert [change.number for change in change_queries.list_changes(reader, state="withdrawn").items] == [1]
    assert change_queries.list_changes(reader, namespace="elsewhere").items == []
    assert len(change_queries.list_changes(reader, template="support/reply", limit=1).items) == 1


def test_requests_for_one_label_overlap(two):
    assert change_queries.list_overlapping(two[0]) == [two[1]]


def test_each_viewer_sees_their_own_next_action(author, reviewer, two):
    (for_author,) = gate.evaluate(two[0], author).blockers
    (for_reviewer,) = gate.evaluate(two[0], reviewer).blockers
    assert for_author.action == "Ask admin or reviewer to review it."
    assert for_reviewer.action == "Read the change, then approve it or ask for edits."
    assert for_author.waiting_for == ("admin", "reviewer")


def test_an_approved_request_has_no_blocker(author, reviewer, two):
    decisions.decide_on_change(actor=reviewer, number=1, decision="approve", digest=two[0].version.digest)
    assert gate.evaluate(change_queries.get_change(author, 1), author).blockers == ()
    assert gate.evaluate(two[0], None).approval_status.approvals == ("reviewer",)


def test_publishing_one_leaves_the_other_to_be_merged_or_not(author, reviewer, two):
    decisions.decide_on_change(actor=reviewer, number=1, decision="approve", digest=two[0].version.digest)
    writing.publish_change(actor=author, number=1)
    assert [blocker.code for blocker in gate.evaluate(two[1], author).blockers] == ["approvals"]
