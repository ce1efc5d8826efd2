"""The events of a playground's reply, translated for the reader.

Errors of a reply are stored in English, and a stream of it has one reader. The patterns of such sentences belong to the
pages, which are above this package, so the settings name the function that translates them.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string

from registry.live.event_streams import Event
from registry.playground.serializers import title_column, translate_faults

__all__ = ["translate_event"]


def translate_event(event: Event, language: str) -> Event:
    """The event with its sentences and the column's title in this language; `data` is as in `streams`."""
    with translation.override(language):
        return Event(event.name, _translate_data(event.data), event.id)


def _translate_data(data: Mapping[str, Any]) -> dict[str, Any]:
    translate = import_string(settings.FINDING_TRANSLATOR)
    translated = translate_faults(data, translate)
    if data.get("detail"):
        translated["detail"] = translate(data["detail"])
    if data.get("source"):
        translated["title"] = title_column(data["source"], data["number"])
    if data.get("column"):
        translated["column"] = _translate_data(data["column"])
    return translated
