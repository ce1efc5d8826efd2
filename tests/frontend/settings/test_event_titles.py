"""The pages' translated titles of event kinds match those used elsewhere."""

from frontend.settings.event_titles import EVENT_TITLES
from registry.journal.event import kinds, title_of


def test_each_kind_of_event_has_its_title():
    assert {kind: str(title) for kind, title in EVENT_TITLES.items()} == {kind: title_of(kind) for kind in kinds()}
