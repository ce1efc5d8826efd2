"""A reply field by field: every error at its field, and valid exactly when reading it succeeds."""

import json

from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer import load
from promptuary.renderer.errors import OutputError
from promptuary.renderer.isolation.renderer import BoundedRenderer
from promptuary.renderer.replies.reply_fields import read_reply_fields

SCHEMA = """---
output:
  schema:
    type: object
    required: [decision, cites]
    additionalProperties: false
    properties:
      decision: {enum: [refund, exchange, refuse]}
      cites: {type: array, minItems: 1, items: {type: integer}}
      reply: {type: string, maxLength: 20}
---
- name: question
  role: user
  content: Hello
"""
TEXT = "- name: question\n  role: user\n  content: Hello\n"
SHAPED = """---
output:
  shapers:
    - {func: strings_to_answers, outputs: [answers]}
---
- name: question
  role: user
  content: Hello
"""


def read(document, reply):
    template = load(document)
    return read_reply_fields(template.document, reply, lambda: template.read(reply, {}))


def problems(reading):
    return {field["name"]: field["problem"] for field in reading["fields"]}


def test_a_sound_reply_has_its_fields_in_the_schemas_order():
    reading = read(SCHEMA, '{"reply": "Sure.", "cites": [3], "decision": "refund"}')
    assert [field["name"] for field in reading["fields"]] == ["decision", "cites", "reply"]
    assert (reading["kind"], reading["valid"], reading["problem"]) == ("json", True, None)


def test_each_wrong_field_says_what_is_wrong_and_the_others_nothing():
    reading = read(SCHEMA, '{"decision": "partial refund", "cites": ["x"], "reply": "Sure."}')
    assert not reading["valid"]
    assert problems(reading) == {
        "decision": "must be one of refund, exchange, refuse",
        "cites": "`[0]` must be a whole number, not a text",
        "reply": None,
    }


def test_a_missing_field_is_listed_as_missing():
    reading = read(SCHEMA, '{"decision": "refund"}')
    assert problems(reading) == {"decision": None, "cites": "is missing"}


def test_a_field_too_many_is_a_fault_of_the_whole():
    reading = read(SCHEMA, '{"decision": "refund", "cites": [1], "mood": "good"}')
    assert (reading["valid"], reading["problem"]) == (False, "has a field that its schema does not allow")


def test_a_reply_without_json_is_reported():
    reading = read(SCHEMA, "I would refund it.")
    assert (reading["valid"], reading["fields"]) == (False, [])
    assert "no JSON" in reading["problem"]


def test_a_repair_is_noted():
    assert read(SCHEMA, '```json\n{"decision": "refund", "cites": ["3"]}\n```')["notes"]


def test_without_output_rules_a_reply_is_text():
    assert read(TEXT, "Hello.") == {"kind": "text", "valid": True, "fields": [], "problem": None, "notes": []}


def test_shapers_give_the_fields():
    reading = read(SHAPED, "Thirty days.")
    assert [field["name"] for field in reading["fields"]] == ["answers"]
    assert reading["valid"]


def test_the_bounded_child_reads_the_same():
    reply = '{"decision": "partial", "cites": [1]}'
    assert BoundedRenderer().read_fields(SCHEMA, reply) == read(SCHEMA, reply)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["refund", "3", "long " * 9]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["decision", "cites", "reply", "mood"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_a_reply_is_valid_exactly_where_the_template_reads_it(value):
    reply = json.dumps(value)
    try:
        load(SCHEMA).read(reply)
        is_read = True
    except OutputError:
        is_read = False
    assert read(SCHEMA, reply)["valid"] is is_read
