"""Concurrent actions, each with its own connection, on a database that commits."""

import itertools
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest
from django.db import connection

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.audit.verification import find_chain_faults
from registry.changes import decisions, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest, Decision
from registry.core.errors import ApprovalRequired, Conflict, PreconditionRequired, Stale
from registry.journal.models import Event
from registry.namespaces import services
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template, Version
from tests.support.examples import run_size

pytestmark = pytest.mark.dialect

DOCUMENT = "- name: question\n  content: answer {mark}\n"
SAVES = run_size(6, torture=50)  # of each of sixteen writers
MOVES = run_size(25, torture=200)  # of each of eight


def at_once(calls):
    """Run the calls in threads that start together, and return what each returned or raised."""
    gate = threading.Barrier(len(calls))

    def run(call):
        gate.wait(timeout=30)
        try:
            return call()
        except Exception as error:  # noqa: BLE001  # what was raised is what the test is about
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(timeout=800) for future in [pool.submit(run, call) for call in calls]]


def write(actor, writer, saves, *, parallel):
    """Save `saves` documents on one template, taking the newest as the base again after each refusal;
    the numbers made."""
    made: list[int] = []
    while len(made) < saves:
        base = Template.objects.filter(name="support/reply").values_list("latest__digest", flat=True).first()
        try:
            saved = template_save.save_version(
                actor=actor,
                name="support/reply",
                document=DOCUMENT.format(mark=f"{writer}-{len(made) % 2}"),  # two by turns: each is checked once
                message="",
                base=base,
                parallel=parallel,
            )
            made.append(saved.version.number)
        except (Stale, PreconditionRequired):
            continue
    return made


def require_whole_journal():
    assert list(find_chain_faults()) == []
    numbers = list(Event.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(900)  # a shared machine may take its time
def test_sixteen_writers_of_one_template_leave_no_gap_and_lose_nothing(transactional_db, author):
    results = at_once([lambda n=n: write(author, n, SAVES, parallel=n % 4 != 0) for n in range(16)])
    assert [error for error in results if isinstance(error, Exception)] == []
    numbers = sorted(number for made in results for number in made)
    assert numbers == list(range(1, 16 * SAVES + 1))
    assert Version.objects.count() == 16 * SAVES
    for version in Version.objects.exclude(number=1).select_related("base"):
        assert version.base.number < version.number
    require_whole_journal()


def test_first_saves_at_the_same_time_make_one_template(transactional_db, author):
    results = at_once([lambda n=n: write(author, n, 1, parallel=False) for n in range(6)])
    assert sorted(number for made in results for number in made) == [1, 2, 3, 4, 5, 6]
    assert Template.objects.count() == 1
    require_whole_journal()


def test_moves_of_one_label_follow_one_another(transactional_db, author, save):
    save("one"), save("two")
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)

    def toggle(_):
        done = 0
        for expected, version in ((1, 2), (2, 1)) * 10:
            try:
                labels.move_label(
                    actor=author, name="support/reply", label="staging", version=version, expected=expected
                )
                done += 1
            except Conflict:
                pass
        return done

    done = at_once([lambda n=n: toggle(n) for n in range(4)])
    moves = list(LabelMove.objects.order_by("pk").values_list("before__number", "after__number"))
    assert sum(done) == len(moves) - 1
    assert all(earlier[1] == later[0] for earlier, later in itertools.pairwise(moves))
    assert Label.objects.get().version.number == moves[-1][1]
    require_whole_journal()


def test_of_two_that_publish_at_the_same_time_one_does(transactional_db, author, reviewer, save):
    change = change_services.propose_change(
        actor=author, name="support/reply", label="production", version=save("1").number, message=""
    )
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=change.version.digest)
    results = at_once([lambda: change_services.publish_change(actor=author, number=change.number) for _ in range(4)])
    assert sorted(type(result).__name__ for result in results) == ["ChangeRequest", "Conflict", "Conflict", "Conflict"]
    assert LabelMove.objects.count() == 1


@pytest.mark.parametrize("_round", range(4))
def test_a_head_that_moves_while_others_approve_never_goes_live_unapproved(
    transactional_db, author, reviewer, admin, save, _round
):
    first, second = save("one"), save("two")
    number = change_services.propose_change(
        actor=author, name="support/reply", label="production", version=1, message=""
    ).number
    at_once(
        [
            lambda: decisions.decide_on_change(actor=reviewer, number=number, decision="approve", digest=first.digest),
            lambda: decisions.decide_on_change(actor=admin, number=number, decision="approve", digest=first.digest),
            lambda: change_services.set_head(actor=author, number=number, version=second.number),
            lambda: change_services.publish_change(actor=author, number=number),
        ]
    )
    label = Label.objects.filter(name="production").select_related("version").first()
    assert label is None or (label.version == first and Decision.objects.filter(digest=first.digest, round=1).exists())
    assert (label is not None) == (ChangeRequest.objects.get().state == "published")
    require_whole_journal()


@pytest.mark.parametrize("_round", range(4))
def test_an_approval_taken_back_while_others_publish_never_goes_live_without_it(
    transactional_db, author, reviewer, save, _round
):
    version = save("one")
    number = change_services.propose_change(
        actor=author, name="support/reply", label="production", version=1, message=""
    ).number
    decisions.decide_on_change(actor=reviewer, number=number, decision="approve", digest=version.digest)
    published, taken_back = at_once(
        [
            lambda: change_services.publish_change(actor=author, number=number),
            lambda: decisions.decide_on_change(
                actor=reviewer, number=number, decision="take_back", digest=version.digest
            ),
        ]
    )
    refused = (isinstance(published, ApprovalRequired), isinstance(taken_back, Conflict))
    assert refused in ((True, False), (False, True))  # whichever came first, and never both
    kinds = list(Event.objects.filter(change=number).order_by("number").values_list("kind", flat=True))
    assert kinds[2:] == (["change.decided"] if refused[0] else ["label.moved"])
    assert Label.objects.filter(name="production").exists() == refused[1]
    require_whole_journal()


def test_publishing_and_rolling_back_at_the_same_time_come_in_some_order(transactional_db, author, reviewer, save):
    for mark in ("one", "two", "three"):
        version = save(mark)
        change = change_services.propose_change(
            actor=author, name="support/reply", label="production", version=version.number, message=""
        )
        decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=version.digest)
        if mark != "three":
            change_services.publish_change(actor=author, number=change.number)
    results = at_once(
        [
            lambda: change_services.publish_change(actor=author, number=3),
            lambda: labels.roll_back_label(
                actor=reviewer, name="support/reply", label="production", version=1, reason="Wrong"
            ),
        ]
    )
    assert [type(result).__name__ for result in results] == ["ChangeRequest", "Label"]
    moves = list(LabelMove.objects.order_by("pk").values_list("before__number", "after__number"))
    assert moves[2:] in ([(2, 3), (3, 1)], [(2, 1), (1, 3)])
    assert Label.objects.get().version.number == moves[-1][1]
    require_whole_journal()


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(900)  # a shared machine may take its time
def test_many_moves_by_each_of_eight_form_one_history(transactional_db, author, save):
    for mark in ("one", "two", "three"):
        save(mark)
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)

    def wander(seed):
        done, expected = [], 1
        for step in range(MOVES):
            target = (seed + step) % 3 + 1
            if target == expected:
                continue
            try:
                labels.move_label(
                    actor=author, name="support/reply", label="staging", version=target, expected=expected
                )
                done.append((expected, target))
                expected = target
            except Conflict as refusal:
                expected = cast("int", refusal.facts["actual"])
        return done

    done = at_once([lambda n=n: wander(n) for n in range(8)])
    moves = list(LabelMove.objects.order_by("pk").values_list("before__number", "after__number"))[1:]
    assert Counter(move for each in done for move in each) == Counter(moves)
    assert all(earlier[1] == later[0] for earlier, later in itertools.pairwise([(None, 1), *moves]))
    require_whole_journal()


def test_an_admin_and_a_publisher_at_the_same_time_come_in_some_order(transactional_db, author, reviewer, admin, save):
    change = change_services.propose_change(
        actor=author, name="support/reply", label="production", version=save("1").number, message=""
    )
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=change.version.digest)
    _, ruled = at_once(
        [
            lambda: change_services.publish_change(actor=author, number=change.number),
            lambda: rules.set_rules(actor=admin, namespace="support", approvals=2),
        ]
    )
    assert not isinstance(ruled, Exception), ruled
    kinds = list(Event.objects.order_by("number").values_list("kind", flat=True))
    published = ChangeRequest.objects.get().state == "published"
    assert published == ("label.moved" in kinds)
    if published:
        assert kinds.index("label.moved") < kinds.index("namespace.ruled")
    require_whole_journal()


def test_everyone_who_makes_a_namespace_at_the_same_time_gets_an_answer(transactional_db, operator):
    people = [Actor(User.objects.create(username=f"person-{n}")) for n in range(6)]
    results = at_once([lambda p=person: services.create_namespace(actor=p, name="sales") for person in people])
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 5 + ["Namespace"]
    require_whole_journal()
