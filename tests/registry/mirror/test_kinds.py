"""No kind of event lacks a form in the mirror, a way to be restored, or words."""

import pytest

from registry.journal.event import JournalEvent, event_classes


@pytest.mark.parametrize("name", ["commit", "restore", "sentence"])
def test_every_kind_of_event_has_it(name):
    assert [cls for cls in event_classes() if getattr(cls, name) is getattr(JournalEvent, name)] == []
