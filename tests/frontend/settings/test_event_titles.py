"""The pages' translated titles of event kinds match those used elsewhere."""

from frontend.settings.event_titles import EVENT_TITLES
from registry.journal.event import describe_kind, list_kinds


def test_each_kind_of_event_has_its_title():
    assert {kind: str(title) for kind, title in EVENT_TITLES.items()} == {
        kind: describe_kind(kind) for kind in list_kinds()
    }
