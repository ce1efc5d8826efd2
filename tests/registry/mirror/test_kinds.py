"""No kind of event lacks a form in the mirror, a way to be restored, or words."""

from registry.journal.event import JournalEvent, event_classes, kinds
from registry.mirror import entries, rows


def test_every_kind_of_event_has_a_form_in_the_mirror():
    assert set(entries.KINDS) == set(kinds())


def test_every_kind_of_event_is_restored():
    assert set(rows.KINDS) == set(kinds())


def test_every_kind_has_a_sentence_of_its_own():
    assert [cls for cls in event_classes() if cls.sentence is JournalEvent.sentence] == []
