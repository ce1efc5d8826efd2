"""Messages in a reply stream are in the reader's language; the model's text is unchanged."""

import asyncio
import contextlib

import pytest

from registry.accounts.actor import Actor
from registry.live.event_streams import Event
from registry.live.reply_language import translate_event
from registry.live.reply_server import read_reply_events
from tests.registry.playground.conftest import connect, server, start  # noqa: F401  # the fixtures


def test_waiting_is_described_in_the_language_of_the_reader():
    event = Event("waiting", {"seconds": 4.0, "detail": "The model is busy (429). Retrying in 4 s."}, id="7")
    assert translate_event(event, "de") == Event(
        "waiting", {"seconds": 4.0, "detail": "Das Modell ist ausgelastet (429). Nächster Versuch in 4 s."}, id="7"
    )
    assert translate_event(event, "en") == event


def test_a_refusal_is_translated_next_to_the_column_and_in_it():
    problem = {"detail": "The model is busy (429).", "retry_after": None}
    column = {"source": "draft", "number": None, "title": "This draft", "text": "The model is busy (429)."}
    event = Event("failed", {**problem, "column": {**column, "problem": problem}})
    said = {"detail": "Das Modell ist ausgelastet (429).", "retry_after": None}
    assert translate_event(event, "de").data == {
        **said,
        "column": {**column, "title": "Dieser Entwurf", "problem": said},
    }


def test_findings_of_output_rules_are_translated_and_values_are_not():
    field = {"name": "team", "value": "is missing", "problem": "is missing"}
    reading = {"kind": "json", "valid": False, "fields": [field], "notes": []}
    output = {**reading, "problem": "The reply could not be checked: too many results at once"}
    column = {"source": "draft", "number": None, "problem": None, "output": output}
    translated = translate_event(Event("done", column), "de").data["output"]
    assert translated["fields"] == [{"name": "team", "value": "is missing", "problem": "fehlt"}]
    assert translated["problem"].startswith("Die Antwort ließ sich nicht prüfen: ")


@pytest.mark.parametrize(
    "event",
    [
        Event("text", {"text": "The model is busy (429).", "replace": True}),
        Event("tool", {"name": "find", "arguments": {"detail": "The model is busy (429)."}}),
        Event("failed", {"detail": "a provider's own words", "retry_after": None, "column": None}),
        Event("done", {"source": "production", "number": 3, "title": "production", "problem": None}),
    ],
)
def test_texts_of_models_and_providers_are_not_translated(event):
    assert translate_event(event, "de") == event


def test_a_refused_key_is_reported_in_the_stream(transactional_db, start, connect, server, author):  # noqa: F811
    server.faults = ["rejected"]
    connect()
    column = start().columns.get()

    async def read():
        async with contextlib.aclosing(read_reply_events(Actor(author.person), column.pk, "de")) as events:
            return [event async for event in events]

    last = asyncio.run(read())[-1]
    said = "Der Schlüssel wurde abgelehnt. Ein Admin des Namensraums kann ihn ändern."
    assert (last.name, last.data["detail"], last.data["column"]["problem"]["detail"]) == ("failed", said, said)
    column.refresh_from_db()
    assert column.problem == "The key was rejected. An admin of the namespace can change it."
