"""The golden journal: what is stored and written of every kind of event stays the same, byte for byte.

A failure here means that journals and mirrors of older releases are read differently. How to record again where that is
meant: `record_golden_journal.py`.
"""

import json

import pytest

from registry import mirror
from registry.journal.event import format_canonical_json, list_kinds
from registry.journal.models import Event
from tests.registry.mirror import golden, golden_story
from tests.support.recorded_rows import write_or_insert

pytestmark = pytest.mark.django_db


@pytest.fixture
def recorded_mirror(tmp_path):
    """The recorded mirror as a Git repository."""
    return golden.recreate_mirror(tmp_path / "recorded.git")


@pytest.fixture
def restored(recorded_mirror, settings, tmp_path):
    """The database restored from the recorded mirror."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    settings.BASE_URL = golden.BASE_URL
    write_or_insert("the restored golden journal", lambda: _restore(recorded_mirror))


def _restore(source):
    mirror.restore(source)


def read_effects(part):
    return json.loads(golden.EFFECTS.read_text(encoding="utf-8"))[part]


def test_every_kind_of_event_is_in_it():
    assert {event["kind"] for event in golden.read_journal()} == set(list_kinds())


def test_the_services_append_the_same_events(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    with golden_story.fix_clock_and_ids():
        golden_story.play_older()
        last_older = Event.objects.latest("number").number
        golden_story.play()
    for event, recorded in zip(Event.objects.order_by("number"), golden.read_journal(), strict=True):
        assert format_canonical_json(json.loads(event.text)) == event.text
        facts = json.loads(event.text)
        facts["previous"] = json.loads(recorded["text"])["previous"]  # another one: the older events say more here
        if event.number <= last_older:
            facts["body"] = golden_story.strip_later_fields(event.kind, facts["body"])
        assert format_canonical_json(facts) == recorded["text"]
        for column in ("kind", "template", "version", "change"):
            assert getattr(event, column) == recorded[column]


def test_the_recorded_mirror_has_the_recorded_commits(recorded_mirror):
    recorded = {event["number"]: event["commits"] for event in golden.read_journal()}
    assert golden.read_commits(recorded_mirror) == recorded


def test_a_restored_database_holds_the_same_events_and_writes_the_same_commits(restored, settings):
    recorded = golden.read_journal()
    assert mirror.catch_up() == len(recorded)
    written = golden.describe_journal(settings.MIRROR_PATH)
    for event, expected in zip(written, recorded, strict=True):
        assert event == expected
    assert golden.export_mirror(settings.MIRROR_PATH) == golden.EXPORT.read_bytes()
    assert mirror.verify() == []


def test_a_restored_database_holds_the_same_rows(restored):
    recorded = json.loads(golden.ROWS.read_text(encoding="utf-8"))
    rows = golden.read_rows()
    assert rows.keys() == recorded.keys()
    for model, expected in recorded.items():
        assert rows[model] == expected


def test_events_read_the_same_and_send_the_same_to_webhooks(restored):
    recorded = read_effects("events")
    effects = golden.read_effects()
    assert effects.keys() == recorded.keys()
    for event, expected in recorded.items():
        assert effects[event] == expected


def test_conversations_of_change_requests_read_the_same(restored):
    conversations = golden.read_conversations()
    for change, expected in read_effects("changes").items():
        assert conversations[change] == expected


def test_each_kind_of_event_drops_the_same_caches(restored):
    assert golden.measure_caches() == read_effects("caches")
