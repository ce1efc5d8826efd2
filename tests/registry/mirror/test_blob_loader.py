"""Each event class that refers to a text by digest declares where the text is stored."""

from dataclasses import fields

import pytest
from django.apps import apps

from registry.journal.event import JournalEvent, list_event_classes
from registry.journal.models import Event
from registry.mirror.blob_loader import Sources
from registry.mirror.errors import MirrorError

WITH_ROWS = [cls for cls in list_event_classes() if cls.stored_row is not None]


@pytest.mark.parametrize("cls", WITH_ROWS, ids=lambda cls: cls.kind)
def test_the_row_that_a_class_names_can_be_queried(cls: type[JournalEvent]) -> None:
    source = cls.stored_row
    assert source is not None
    rows = apps.get_model("registry", source.model)._default_manager.values_list(
        *source.lookups, *source.columns.values()
    )
    assert "SELECT" in str(rows.query)
    assert set(source.lookups.values()) <= {field.name for field in fields(cls)}


@pytest.mark.django_db
def test_a_row_that_is_gone_names_the_event() -> None:
    event = Event(number=7, kind="samples.saved", text='{"body": {"template": "demo/a", "digest": "sha256:1"}}')
    with pytest.raises(MirrorError, match="event 7"):
        Sources([event]).find_stored_row(event, {"template": "demo/a", "digest": "sha256:1"})
