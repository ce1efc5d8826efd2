"""Which events are sent to a page with certain topics."""

from dataclasses import replace

import pytest

from registry.changes import decisions
from registry.changes import services as change_services
from registry.journal.models import Event
from registry.live.journal_feed import Topics, add_facts
from registry.serving.journal_follower import COLUMNS, FollowedEvent
from registry.templates import rename

HOME, TEMPLATE, CHANGE = Topics(True), Topics(templates=frozenset({"support/reply"})), Topics(changes=frozenset({12}))


def event(kind="version.saved", template="support/reply", change=None):
    return FollowedEvent(7, "", kind, "support", template, version=5, change=change, person="reviewer")


@pytest.mark.parametrize(
    ("topics", "expected_text"),
    [
        (HOME, [True, True, True]),
        (TEMPLATE, [True, False, False]),
        (CHANGE, [False, False, True]),
    ],
)
def test_a_page_receives_the_events_of_its_subject(topics, expected_text):
    events = [event(), event(template="support/other"), event("comment.added", "support/other", 12)]
    assert [topics.match(each) for each in events] == expected_text


@pytest.mark.parametrize("topics", [HOME, TEMPLATE, CHANGE])
@pytest.mark.parametrize("kind", ["verdict.given", "scores.counted"])
def test_events_written_by_the_worker_match_no_topic(topics, kind):
    assert not topics.match(event(kind, change=12))


def test_a_page_on_a_former_name_receives_the_renaming():
    renamed = replace(event("template.renamed", "support/answer"), former="support/reply")
    assert [topics.match(renamed) for topics in (HOME, TEMPLATE, CHANGE)] == [True, True, False]


def test_a_renaming_is_read_with_the_name_before(admin, support, save):
    save("support/reply")
    rename.rename_template(actor=admin, name="support/reply", to="support/answer")
    columns = Event.objects.order_by("-number").values_list(*COLUMNS)[:2]
    renamed, other = add_facts([FollowedEvent(*row) for row in columns])
    assert (renamed.template, renamed.former, other.former) == ("support/answer", "support/reply", "")


def test_a_decision_is_read_with_what_was_decided(author, reviewer, support, save):
    change = change_services.propose_change(
        actor=author, name="support/reply", label="production", version=save("support/reply").number, message=""
    )
    decide = {"actor": reviewer, "number": change.number, "digest": change.version.digest}
    for decision in ("approve", "take_back"):
        decisions.decide_on_change(**decide, decision=decision)
    columns = Event.objects.filter(kind="change.decided").order_by("number").values_list(*COLUMNS)
    assert [it.decision for it in add_facts([FollowedEvent(*row) for row in columns])] == ["approve", "take_back"]
