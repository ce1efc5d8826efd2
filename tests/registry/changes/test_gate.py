"""The gate of many changes: the same answer as for each alone, in a constant number of queries."""

from dataclasses import replace

import pytest

from registry.changes import decisions, rules
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.releases import gate as release_gate
from tests.support.recorded_rows import write_or_insert


@pytest.fixture
def requests(author, reviewer, save):
    """Four requests: untouched, sent back, approved, withdrawn."""
    write_or_insert("four requests", lambda: _write_requests(author, reviewer, save))


def _write_requests(author, reviewer, save):
    for name in ("one", "two", "three", "four"):
        save(name, name=f"support/{name}")
        writing.propose_change(actor=author, name=f"support/{name}", label="production", version=1, message=name)
    for number, decision in ((2, "request_changes"), (3, "approve")):
        digest = change_queries.get_change(author, number).version.digest
        decisions.decide_on_change(actor=reviewer, number=number, decision=decision, digest=digest, text="So.")
    writing.withdraw_change(actor=author, number=4, reason="Not needed")


def test_many_stand_as_each_one_does(requests, author, reviewer, admin):
    rules.set_rules(actor=admin, namespace="support", required_checks=["problems", "contract"])
    for actor in (author, reviewer):
        rows = change_queries.list_changes(actor, state="pending").items
        for gate in change_gate.evaluate_many(rows, actor):
            alone = change_gate.evaluate(change_queries.get_change(actor, gate.change.number), actor)
            assert replace(gate, change=alone.change) == alone


def test_a_request_waits_on_the_one_whose_turn_it_is(requests, author, reviewer, reader):
    assert [gate.change.number for gate in change_gate.evaluate_pending(reviewer) if gate.waits_on("reviewer")] == [1]
    assert release_gate.count_waiting(change_gate.evaluate_pending(author), author.person.username) == 2
    assert release_gate.count_waiting(change_gate.evaluate_pending(reader), reader.person.username) == 0


def test_a_closed_request_waits_on_nobody(requests, author):
    (gate,) = change_gate.evaluate_many(change_queries.list_changes(author, state="withdrawn").items, author)
    assert (gate.turn, gate.blockers) == (None, ())


def test_the_cost_does_not_grow_with_the_requests(requests, author, save, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        assert len(change_gate.evaluate_pending(author)) == 3
    for name in ("five", "six", "seven"):
        save(name, name=f"support/{name}")
        writing.propose_change(actor=author, name=f"support/{name}", label="production", version=1, message=name)
    with django_assert_max_num_queries(16):
        assert len(change_gate.evaluate_pending(author)) == 6
