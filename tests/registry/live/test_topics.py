"""Which events a page with certain topics is told of."""

import pytest

from registry.live.journal_feed import Topics
from registry.serving.journal_follower import FollowedEvent

HOME, TEMPLATE, CHANGE = Topics(True), Topics(templates=frozenset({"support/reply"})), Topics(changes=frozenset({12}))


def event(kind="version.saved", template="support/reply", change=None):
    return FollowedEvent(7, "", kind, "support", template, version=5, change=change, person="reviewer")


@pytest.mark.parametrize(
    ("topics", "told"),
    [
        (HOME, [True, True, True]),
        (TEMPLATE, [True, False, False]),
        (CHANGE, [False, False, True]),
    ],
)
def test_a_page_is_told_of_what_it_is_about(topics, told):
    events = [event(), event(template="support/other"), event("comment.added", "support/other", 12)]
    assert [topics.match(each) for each in events] == told


@pytest.mark.parametrize("topics", [HOME, TEMPLATE, CHANGE])
@pytest.mark.parametrize("kind", ["verdict.given", "scores.counted"])
def test_what_the_worker_writes_by_itself_is_no_news(topics, kind):
    assert not topics.match(event(kind, change=12))
