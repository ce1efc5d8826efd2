from dataclasses import replace

import pytest

from registry.queries import changes, gates
from registry.services import changes as writing
from registry.services import namespaces


@pytest.fixture
def requests(author, reviewer, save):
    """Four requests: untouched, sent back, approved, withdrawn."""
    for name in ("one", "two", "three", "four"):
        save(name, name=f"support/{name}")
        writing.propose(actor=author, name=f"support/{name}", label="production", version=1, message=name)
    for number, decision in ((2, "request_changes"), (3, "approve")):
        digest = changes.get(author, number).version.digest
        writing.decide(actor=reviewer, number=number, decision=decision, digest=digest, text="So.")
    writing.withdraw(actor=author, number=4)


def test_many_stand_as_each_one_does(requests, author, reviewer, admin):
    namespaces.set_rules(actor=admin, namespace="support", required_checks=["problems", "contract"])
    for actor in (author, reviewer):
        rows = changes.listing(actor, state="pending").items
        for gate in gates.evaluate_many(rows, actor):
            alone = changes.get(actor, gate.change.number)
            alone = gates.evaluate(alone, actor)
            assert replace(gate, change=alone.change) == alone


def test_a_request_waits_on_the_one_whose_turn_it_is(requests, author, reviewer, reader):
    assert [gate.change.number for gate in gates.pending(reviewer) if gate.waits_on("reviewer")] == [1]
    assert gates.waiting_count(author) == 2
    assert gates.waiting_count(reader) == 0


def test_a_closed_request_waits_on_nobody(requests, author):
    (gate,) = gates.evaluate_many(changes.listing(author, state="withdrawn").items, author)
    assert (gate.turn, gate.blockers) == (None, ())


def test_the_cost_does_not_grow_with_the_requests(requests, author, save, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        assert len(gates.pending(author)) == 3
    for name in ("five", "six", "seven"):
        save(name, name=f"support/{name}")
        writing.propose(actor=author, name=f"support/{name}", label="production", version=1, message=name)
    with django_assert_max_num_queries(16):
        assert len(gates.pending(author)) == 6
