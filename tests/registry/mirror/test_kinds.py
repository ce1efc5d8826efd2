"""No kind of event is forgotten by the mirror or by the restore."""

from registry.journal.event import kinds
from registry.mirror import event_files, rows


def test_every_kind_of_event_has_a_form_in_the_mirror():
    assert set(event_files.KINDS) == set(kinds())


def test_every_kind_of_event_is_restored():
    assert set(rows.KINDS) == set(kinds())
