"""Reading JSON from replies as models write them."""

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer import load
from promptuary.renderer.errors import OutputError, RenderError
from promptuary.renderer.replies.json_reader import MAX_REPLY, read_reply
from promptuary.renderer.replies.schema_coercion import conform_value

WHOLE = {"a": 1, "b": ["x", "y"]}
TEXT = json.dumps(WHOLE)
FENCE = "took the JSON out of its code fence"
AROUND = "left out the text around the JSON"
COMMA = "dropped a comma before a closing bracket"
CUT = "the reply breaks off inside the JSON, as it does at a token limit; closed what was open"


@pytest.mark.parametrize(
    ("reply", "repairs"),
    [
        (TEXT, ()),
        (f"\n  {TEXT}\n", ()),
        (f"```json\n{TEXT}\n```", (FENCE,)),
        (f"```\n{TEXT}\n```", (FENCE,)),
        (f"Sure!\n```json\n{TEXT}\n```\nAnything else?", (FENCE, AROUND)),
        (f"Here it is: {TEXT}", (AROUND,)),
        (f"{TEXT} Hope this helps.", (AROUND,)),
        (f"By [1] and {{so on}}: {TEXT}", (AROUND,)),
        ('{"a": 1, "b": ["x", "y"],}', (COMMA,)),
        ('{"a": 1, "b": ["x", "y",]}', (COMMA,)),
        ('```json\n{"a": 1, "b": ["x", "y",],}\n```', (FENCE, COMMA)),
        ('Look: {"a": 1, "b": ["x", "y",],} ok', (AROUND, COMMA)),
        ('{"a": 1, "b": ["x", "y"', (CUT,)),
        ('{"a": 1, "b": ["x", "y', (CUT,)),
        ('```json\n{"a": 1, "b": ["x", "y"]', (FENCE, CUT)),
    ],
)
def test_the_value_survives_and_the_repairs_are_named(reply, repairs):
    reading = read_reply(reply)
    assert reading.value == WHOLE
    assert reading.repairs == repairs


@pytest.mark.parametrize("reply", ["{a: 1, b: ['x', 'y']}", "{'a': 1, 'b': ['x', 'y']}", '{"a": 1 "b": ["x", "y"]}'])
def test_malformed_json_is_repaired_with_the_parsers_message(reply):
    reading = read_reply(reply)
    assert reading.value == WHOLE
    assert reading.repairs[0].startswith("repaired JSON that was not well-formed (")


def test_a_broken_object_is_never_taken_for_a_sound_one_inside_it():
    assert read_reply('{"outer": {"inner": 1}, "list": [{"k": 1},],}').value == {
        "outer": {"inner": 1},
        "list": [{"k": 1}],
    }


def test_quotes_inside_a_text_are_kept():
    assert read_reply('{"a": "he said "no" twice"}').value == {"a": 'he said "no" twice'}


def test_a_brace_inside_a_text_closes_nothing():
    assert read_reply('{"a": "} not yet", "b": 2,}').value == {"a": "} not yet", "b": 2}


@pytest.mark.parametrize("reply", ["", "   ", "no json here", "```\n\n```", "}", "I cannot answer."])
def test_a_reply_without_json_is_refused(reply):
    with pytest.raises(OutputError, match="has no JSON"):
        read_reply(reply)


@pytest.mark.parametrize("reply", ["[" * 50_000, '{"a":' * 50_000])
def test_deep_nesting_is_refused(reply):
    with pytest.raises(OutputError, match="nested too deeply"):
        read_reply(reply)


def test_a_very_long_reply_is_refused():
    with pytest.raises(OutputError, match="characters"):
        read_reply(" " * (MAX_REPLY + 1))


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(reply):
    try:
        reading = read_reply(reply)
    except OutputError:
        return
    json.dumps(reading.value)


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)))
def test_sound_json_is_read_as_it_is(value):
    reading = read_reply(json.dumps(value))
    assert (reading.value, reading.repairs) == (value, ())


SCHEMA = {
    "type": "object",
    "required": ["ok"],
    "properties": {"ok": {"type": "boolean"}, "n": {"type": "integer"}, "list": {"items": {"type": "number"}}},
}


def test_texts_are_read_as_the_schema_wants_them():
    reading = conform_value({"ok": "True", "n": "3", "list": ["1.5", 2]}, SCHEMA)
    assert reading.value == {"ok": True, "n": 3, "list": [1.5, 2]}
    assert reading.repairs[0] == 'read the text "True" in `ok` as true'


def test_a_text_that_is_not_a_boolean_stays_and_is_refused():
    with pytest.raises(OutputError, match="`ok` in the reply must be a boolean"):
        conform_value({"ok": "maybe"}, SCHEMA)


def test_a_missing_key_is_refused():
    with pytest.raises(OutputError, match="the reply lacks `ok`"):
        conform_value({}, SCHEMA)


def test_a_schema_never_reaches_for_another_document():
    with pytest.raises(OutputError, match="schema cannot be used"):
        conform_value({}, {"$ref": "https://example.com/schema.json"})


def test_a_reference_inside_the_schema_works():
    schema = {"$defs": {"k": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/k"}}}
    assert conform_value({"a": "x"}, schema).value == {"a": "x"}


LONG = 200_000
HOSTILE = {
    "braces": "{" * LONG,
    "braces closed": "{" * 50_000 + "}" * 50_000,
    "brackets": "[" * LONG,
    "lists begun": "[1," * 60_000,
    "halves of pairs": "\\ud800" * 50_000,
    "halves in a text": '{"a":"' + "\\ud800" * 50_000,
    "a text without end": '{"a":"' + "x" * LONG,
    "texts with quotes": '{"a": "b, "c": "d, ' * 3_000,
    "quotes": '{"a":' + '"' * LONG,
    "escapes": '{"a":"' + '\\"' * (LONG // 2),
    "words": "[" + "a " * (LONG // 2),
    "words without quotes": "{a: b" + " e" * 29_000,
    "parentheses": "{" + "(" * LONG,
    "a fence of spaces": "```" + " " * LONG,
    "fences": "```\n" * 50_000 + "{",
    "digits": '{"a":' + "1" * LONG + "}",
    "broken objects": '{"a" 1},' * 20_000,
    "prose with brackets": "see [1 and [2 " * 14_000,
    "two megabytes": '{"a":"' + "hello " * 300_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_reply_is_read_or_refused_in_less_than_a_second(name):
    began = time.process_time()
    with contextlib.suppress(OutputError):
        read_reply(HOSTILE[name])
    assert time.process_time() - began < 1


@pytest.mark.parametrize("name", HOSTILE)
def test_only_a_typed_error_leaves_a_template_that_reads_a_hostile_reply(name):
    template = load("---\nformat: text\noutput: {schema: {type: object}}\n---\nx\n")
    with contextlib.suppress(RenderError):
        template.read(HOSTILE[name])


@given(
    st.text()
    | st.text(alphabet="{}[]\",:\\u d8/*#`'ntfe1.-\n“\ud800", max_size=60)
    | st.binary().map(lambda b: b.decode("latin-1"))
)
def test_any_text_is_read_or_refused_with_a_typed_error(reply):
    with contextlib.suppress(OutputError):
        read_reply(reply)
    with contextlib.suppress(OutputError):
        read_reply('{"a": ' + reply)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "[1, {}, 1e400]"])
def test_a_number_that_json_does_not_have_is_refused(number):
    with pytest.raises(OutputError, match="too large"):
        read_reply(f'{{"a": {number}}}')


def test_a_long_reply_that_breaks_off_keeps_all_that_is_whole():
    whole = '{"rows": [' + '{"question": "What, then?", "n": 1}, ' * 5_000
    value = read_reply(whole + '{"question": "Why').value
    assert len(value["rows"]) == 5_001
    assert value["rows"][-1] == {"question": "Why"}
    assert len(read_reply(whole + '{"quest').value["rows"]) in (5_000, 5_001)
    with pytest.raises(OutputError, match="not repaired"):
        read_reply(whole + '{"a" "b" "c": ' * 3)
