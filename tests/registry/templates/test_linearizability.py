"""Histories of one label under compare-and-set, and the checker that evaluates them."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest
from django.db import connection

from registry.accounts.actor import Actor
from registry.core.errors import Conflict
from registry.namespaces import keys
from registry.templates import labels
from registry.templates.label_models import LabelMove
from tests.support.examples import run_size
from tests.support.linearizability import Operation, fault_of

pytestmark = pytest.mark.dialect
WRITERS, STEPS = 8, run_size(60, torture=200)


def did(called, returned, expected, target, who="a"):
    return Operation(who, called, returned, expected, target, went_through=True)


def refused(called, returned, expected, actual, who="b"):
    return Operation(who, called, returned, expected, 0, went_through=False, actual=actual)


def by_a(*pairs):
    return [("a", expected, target) for expected, target in pairs]


def test_one_after_the_other_is_linearizable():
    assert fault_of(1, [did(0, 1, 1, 2), did(2, 3, 2, 3), refused(4, 5, 1, 3)], by_a((1, 2), (2, 3))) == ""


def test_overlapping_writes_may_be_in_either_order():
    history = [did(0, 9, 1, 2), did(1, 8, 2, 1, who="c"), refused(2, 3, 1, 2)]
    assert fault_of(1, history, [("a", 1, 2), ("c", 2, 1)]) == ""


def test_equal_writes_of_two_writers_are_distinguished():
    history = [did(0, 10, 1, 2), did(2, 3, 2, 1, who="c"), did(5, 6, 1, 2, who="d")]
    assert fault_of(1, history, [("a", 1, 2), ("c", 2, 1), ("d", 1, 2)]) == ""


@pytest.mark.parametrize(
    ("history", "order", "fault"),
    [
        ([did(0, 1, 1, 2), did(2, 3, 1, 3)], by_a((1, 2), (1, 3)), "while the register held 2"),
        ([did(0, 1, 1, 2)], by_a((1, 2), (2, 3)), "reported by nobody"),
        ([did(0, 1, 1, 2), did(2, 3, 5, 6)], by_a((1, 2)), "does not know"),
        ([did(5, 6, 1, 2), did(0, 1, 2, 3, who="c")], [("a", 1, 2), ("c", 2, 3)], "after a later one had returned"),
        ([did(0, 1, 1, 2), refused(2, 3, 5, 1)], by_a((1, 2)), "did not hold between call and return"),
        ([did(4, 5, 1, 2), refused(0, 1, 5, 2)], by_a((1, 2)), "did not hold between call and return"),
        ([refused(0, 1, 1, 1)], [], "although the register held it"),
    ],
    ids=[
        "lost update",
        "write of nobody",
        "lost write",
        "against time",
        "stale read",
        "read of the future",
        "false refusal",
    ],
)
def test_an_impossible_history_is_explained(history, order, fault):
    assert fault in fault_of(1, history, order)


@pytest.mark.postgres
@pytest.mark.timeout(900)  # a shared machine may take its time
def test_eight_writers_of_one_label_make_a_linearizable_history(transactional_db, admin, author, save):
    for mark in ("one", "two", "three"):
        save(mark)
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    gate = threading.Barrier(WRITERS)

    def issue(seed):
        issued = keys.issue_key(actor=admin, namespace="support", name=f"w{seed}", scope="write", person="author")
        return Actor(author.person, issued.key)

    def write(seed, actor):
        history, expected = [], 1
        gate.wait(timeout=30)
        try:
            for step in range(STEPS):
                target = (seed + step) % 3 + 1
                target = target if target != expected else target % 3 + 1
                history.append(attempt(actor, expected, target))
                expected = target if history[-1].went_through else history[-1].actual
        finally:
            connection.close()
        return history

    actors = [issue(seed) for seed in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        running = [pool.submit(write, seed, actor) for seed, actor in enumerate(actors)]
        whole = [operation for future in running for operation in future.result(timeout=800)]
    order = list(LabelMove.objects.order_by("pk").values_list("key__name", "before__number", "after__number"))[1:]
    assert len(whole) == WRITERS * STEPS
    assert fault_of(1, whole, order) == ""


def attempt(actor, expected, target):
    who, called = actor.key.name, time.monotonic()
    try:
        labels.move_label(actor=actor, name="support/reply", label="staging", version=target, expected=expected)
    except Conflict as refusal:
        actual = cast("int", refusal.facts["actual"])
        return Operation(who, called, time.monotonic(), expected, target, went_through=False, actual=actual)
    return Operation(who, called, time.monotonic(), expected, target, went_through=True)
