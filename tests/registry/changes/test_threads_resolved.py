"""The rule that all threads of a request are resolved before it is published."""

import json

import pytest

from registry.changes import emergencies, gate, rules, threads
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.threads import Place
from registry.core.errors import Conflict
from registry.journal.models import Event


@pytest.fixture
def change(admin, propose, approve, save):
    """An approved request in a namespace with the rule."""
    rules.set_rules(actor=admin, namespace="support", threads_resolved=True)
    change = propose(save("one"))
    approve(change)
    return change


def say(actor, change, text="Shorter?"):
    return threads.open_thread(actor=actor, number=change.number, place=Place(version=1, line=6), text=text)


def blockers(change, viewer=None):
    return list(gate.evaluate(ChangeRequest.objects.get(pk=change.pk), viewer).blockers)


def test_a_request_without_threads_is_published(author, change):
    assert change_services.publish_change(actor=author, number=change.number).state == ChangeRequest.PUBLISHED


def test_an_open_thread_blocks_until_it_is_resolved(author, reviewer, change):
    say(reviewer, change)
    with pytest.raises(Conflict, match="1 thread is not resolved"):
        change_services.publish_change(actor=author, number=change.number)
    assert [blocker.code for blocker in blockers(change)] == ["threads"]
    threads.resolve_thread(actor=author, number=change.number, thread=1)
    assert change_services.publish_change(actor=author, number=change.number).state == ChangeRequest.PUBLISHED


def test_open_threads_are_counted_and_wait_for_the_author(reviewer, change):
    for text in ("Shorter?", "Warmer?", "Done?"):
        say(reviewer, change, text)
    threads.resolve_thread(actor=reviewer, number=change.number, thread=3)
    (blocker,) = blockers(change)
    assert (blocker.cause, blocker.waiting_for) == ("2 threads are not resolved.", ("author",))


def test_a_reply_opens_a_thread_again_and_blocks_again(author, reviewer, change):
    say(reviewer, change)
    threads.resolve_thread(actor=author, number=change.number, thread=1)
    assert blockers(change) == []
    threads.reply_to_thread(actor=reviewer, number=change.number, thread=1, text="Still too long.")
    assert [blocker.code for blocker in blockers(change)] == ["threads"]


def test_without_the_rule_an_open_thread_blocks_nothing(admin, reviewer, change):
    say(reviewer, change)
    rules.set_rules(actor=admin, namespace="support", threads_resolved=False)
    assert blockers(change) == []


def test_threads_of_other_requests_do_not_count(reviewer, change, propose, save):
    say(reviewer, propose(save("one", name="support/other")))
    assert blockers(change) == []


def test_an_emergency_waits_for_no_thread_then_or_later(admin, reviewer, change):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    say(reviewer, change)
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="Customers wait")
    assert "threads" not in [blocker.code for blocker in blockers(change)]


def test_the_event_has_the_rule_only_while_it_is_on(admin, change):
    rules.set_rules(actor=admin, namespace="support", approvals=2)
    assert last_rules()["threads_resolved"] is True
    rules.set_rules(actor=admin, namespace="support", threads_resolved=False)
    assert "threads_resolved" not in last_rules()


def last_rules():
    return json.loads(Event.objects.latest("number").text)["body"]["rules"]
