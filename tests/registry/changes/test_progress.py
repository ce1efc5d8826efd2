"""Progress of a change: ancestry of versions, and whose turn it is."""

import pytest

from registry.changes import decisions, history_queries
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.releases import gate as release_gate
from registry.templates import save as template_save


@pytest.fixture
def propose(author):
    def run(version):
        return writing.propose_change(
            actor=author, name="support/reply", label="production", version=version.number, message=""
        )

    return run


def descends(version, ancestor):
    return history_queries.read_version_graph([version.template_id]).contains(version.pk, ancestor.pk)


def turn_of(change):
    return change_gate.evaluate(change, None).turn


def riding(change):
    return change_queries.list_versions_between(change, change_gate.evaluate(change, None).versions_between)


def publish(author, reviewer, change):
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=change.version.digest)
    writing.publish_change(actor=author, number=change.number)


def test_descent_follows_the_bases(save):
    first = save("one")
    left, right = save("l", base=first.digest, parallel=True), save("r", base=first.digest, parallel=True)
    assert descends(right, first)
    assert descends(left, left)
    assert not descends(right, left)
    assert not descends(first, right)


def test_the_same_bytes_are_as_good_an_ancestor(save):
    first = save("one")
    save("two")
    third = save("one")
    fourth = save("four", base=first.digest, parallel=True)
    assert descends(fourth, third)


def test_versions_in_between_ride_along(author, reviewer, save, propose):
    publish(author, reviewer, propose(save("one")))
    save("two")
    change = propose(save("three"))
    assert [version.number for version in riding(change)] == [2]


def test_nothing_rides_along_with_a_first_publication(save, propose):
    save("one")
    assert riding(propose(save("two"))) == []


def test_first_it_is_the_reviewers_turn_then_the_author_s(author, reviewer, admin, save, propose):
    change = propose(save("one"))
    turn = turn_of(change)
    assert (turn.people, turn.reason) == (("admin", "reviewer"), "Needs 1 more approval.")
    decisions.decide_on_change(
        actor=reviewer, number=1, decision="request_changes", digest=change.version.digest, text="Shorter"
    )
    assert turn_of(change_queries.get_change(author, 1)).people == ("author",)
    decisions.decide_on_change(actor=reviewer, number=1, decision="approve", digest=change.version.digest)
    turn = turn_of(change_queries.get_change(author, 1))
    assert (turn.people, turn.reason) == (("author",), "Nothing blocks it: it can be published.")


def test_each_finds_what_waits_for_them(author, reviewer, reader, save, propose):
    propose(save("one"))
    assert [gate.change.number for gate in change_gate.evaluate_pending(reviewer) if gate.waits_on("reviewer")] == [1]
    assert release_gate.count_waiting(change_gate.evaluate_pending(author), author.person.username) == 0
    assert release_gate.count_waiting(change_gate.evaluate_pending(reader), reader.person.username) == 0


def test_a_closed_request_is_nobody_s_turn(author, save, propose):
    propose(save("one"))
    assert turn_of(writing.withdraw_change(actor=author, number=1, reason="Not needed")) is None


def test_a_version_both_sides_come_from_does_not_ride_along(author, reviewer, propose, save):
    first = save("one")
    publish(author, reviewer, propose(first))
    publish(author, reviewer, propose(save("two")))

    def beside(mark, base):
        document = f"- name: question\n  content: {mark}\n"
        made = template_save.save_version(
            actor=author, name="support/reply", document=document, message="", base=base.digest, parallel=True
        )
        return made.version

    third = beside("three", first)
    change = propose(beside("four", third))
    assert [version.number for version in riding(change)] == [third.number]
