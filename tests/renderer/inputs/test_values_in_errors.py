"""Rendering errors name inputs, types and limits, but never contain the caller's values."""

import json
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer import RenderError, load

CANARY = "DE89370400440532013000"
SCHEMAS = {
    "enum": "{enum: [formal, warm]}",
    "const": "{const: formal}",
    "type": "{type: integer}",
    "types": "{type: [integer, 'null']}",
    "maxLength": "{type: string, maxLength: 3}",
    "minLength": "{type: string, minLength: 300}",
    "pattern": "{type: string, pattern: '^[a-z]+$'}",
    "object": "{type: object}",
    "not": "{not: {type: string}}",
    "anyOf": "{anyOf: [{type: integer}, {type: boolean}]}",
    "oneOf": "{oneOf: [{type: integer}, {type: boolean}]}",
    "ref": "{$ref: '#/$defs/a', $defs: {a: {type: integer}}}",
    "if": "{if: {type: string}, then: {maxLength: 2}}",
}
NESTED = {
    "items": ("{type: array, items: {type: integer}}", [1, CANARY]),
    "uniqueItems": ("{type: array, uniqueItems: true}", [CANARY, CANARY]),
    "maxItems": ("{type: array, maxItems: 1}", [CANARY, "b"]),
    "contains": ("{type: array, contains: {type: integer}}", [CANARY]),
    "required": ("{type: object, required: [name]}", {"card": CANARY}),
    "additional": ("{type: object, additionalProperties: false}", {CANARY: 1}),
    "propertyNames": ("{type: object, propertyNames: {maxLength: 3}}", {CANARY: 1}),
    "dependent": ("{type: object, dependentRequired: {a: [b]}}", {"a": CANARY}),
    "property": ("{type: object, properties: {age: {type: integer}}}", {"age": CANARY}),
    "deep": ("{type: array, items: {type: object, properties: {x: {maximum: 3}}}}", [{"x": 8937040044}]),
    "bytes": ("{type: string}", CANARY.encode()),
}
BODIES = {
    "role": "- name: a\n  role: '{{ value }}'\n  content: x\n",
    "priority": "- name: a\n  truncation_priority: '{{ value }}'\n  content: x\n",
    "key": "- name: a\n  content: '{{ prices[value] }}'\n",
    "key of a text": "- name: a\n  content: '{{ value[value] }}'\n",
    "key in a condition": "{% if prices[value] %}\n- name: a\n  content: x\n{% endif %}\n",
    "attribute": "- name: a\n  content: '{{ prices|map(attribute=value)|list }}'\n",
    "sum": "- name: a\n  content: '{{ 1 + value }}'\n",
    "index": "- name: a\n  content: '{{ value.index(\"zzz\") }}'\n",
    "format": "- name: a\n  content: '{{ \"%d\" % value }}'\n",
    "round": "- name: a\n  content: '{{ value|round }}'\n",
    "dictsort": "- name: a\n  content: '{{ prices|dictsort(by=value) }}'\n",
    "loop": "{% for x in 3 + value %}\n- name: a\n  content: x\n{% endfor %}\n",
    "join": "- name: a\n  content: '{{ join(value, value, value) }}'\n",
    "tojson": "- name: a\n  content: '{{ prices|tojson(value) }}'\n",
    "key of a loop": "- name: a\n  content: '{{ value|map(attribute=value)|list }}'\n",
    "name of a filter": "- name: a\n  content: '{{ [1]|map(value)|list }}'\n",
    "name of a test": "- name: a\n  content: '{{ [1]|select(value)|list }}'\n",
    "name of an argument": "{% macro m(a) %}{% endmacro %}- name: a\n  content: '{{ m(**{value: 1}) }}'\n",
    "argument of a method": "- name: a\n  content: '{{ value.split(**{value: 1}) }}'\n",
    "private name": "- name: a\n  content: '{{ value[\"_\" ~ value] }}'\n",
    "number": "- name: a\n  content: '{{ [1][value|length * 10000 + 37] }}'\n",
    "encoding": "- name: a\n  content: '{{ value.encode(value) }}'\n",
    "field of a text": "- name: a\n  content: \"{{ ('{' ~ value ~ '}').format(1) }}\"\n",
    "function of the caller": "- name: a\n  content: '{{ refuse(value) }}'\n",
    "name of a part": "---\ntoken_limit: 3\n---\n- name: 'about {{ value }}'\n  content: one two three {{ value }}\n",
    "shaper": "---\nformat: shaped\n---\n{join_strings(value, prices)} {rename(value, prices)}\n",
    "keys of a document": "---\nformat: shaped\n---\n{response_sentences(documents)}\n",
}


def failure(document: str, data: dict[str, object]) -> str:
    """All that an exception tracker would keep of the error."""
    with pytest.raises(RenderError) as failed:
        load(document, functions={"refuse": refuse}).render(data)
    error = failed.value
    output = [str(error), repr(error), json.dumps(error.to_problem().to_dict()), json.dumps(error.facts, default=repr)]
    return "\n".join([*output, *traceback.format_exception(error)])


def refuse(value: str) -> str:
    """A function of the caller's own that quotes what it was given."""
    raise RuntimeError(f"cannot take {value}")


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_value_that_breaks_its_schema_is_not_reported(schema):
    document = f"---\ninputs:\n  tone: {SCHEMAS[schema]}\n---\n- name: a\n  content: '{{{{ tone }}}}'\n"
    output = failure(document, {"tone": CANARY})
    assert CANARY not in output
    assert "`tone`" in output


@pytest.mark.parametrize("schema", NESTED)
def test_nor_one_inside_of_another(schema):
    declared, value = NESTED[schema]
    document = f"---\ninputs:\n  data: {declared}\n---\n- name: a\n  content: '{{{{ data }}}}'\n"
    output = failure(document, {"data": value})
    assert CANARY not in output
    assert "8937040044" not in output
    assert "`data" in output


@pytest.mark.parametrize("body", BODIES)
def test_a_failing_template_does_not_reveal_the_value(body):
    try:
        output = failure(BODIES[body], {"value": CANARY, "prices": {"a": 1}, "documents": [{CANARY: 1}]})
    except pytest.fail.Exception:
        pytest.skip("this one renders")
    assert CANARY not in output
    assert "220037" not in output


def test_errors_quote_the_literals_of_the_template():
    output = failure("- name: a\n  content: '{{ [1]|map(\"nonsense\")|list }} {{ prices.a }}'\n", {"prices": {}})
    assert "No filter named 'nonsense'" in output
    document = "---\ntoken_limit: 3\n---\n- name: 'about {{ value }}'\n  content: one two three {{ value }}\n"
    assert "Largest of them: about … (" in failure(document, {"value": "x"})


def test_limits_and_allowed_values_are_reported():
    document = "---\ninputs:\n  tone: {enum: [formal, warm]}\n---\n- name: a\n  content: '{{ tone }}'\n"
    assert "`tone` must be one of formal, warm" in failure(document, {"tone": "cold"})
    document = "---\ninputs:\n  q: {type: string, maxLength: 4}\n---\n- name: a\n  content: '{{ q }}'\n"
    assert "`q` has 5 characters; at most 4 are allowed" in failure(document, {"q": "12345"})


@given(st.text(alphabet="QZXW", min_size=8, max_size=20), st.sampled_from([*SCHEMAS.values()]))
def test_errors_never_contain_the_value(value, schema):
    document = f"---\ninputs:\n  tone: {schema}\n---\n- name: a\n  content: '{{{{ tone }}}}'\n"
    output = ""
    try:
        load(document).render({"tone": value})
    except RenderError as error:
        output = str(error)
    assert value not in output


def test_a_reply_that_does_not_fit_is_not_quoted():
    document = (
        "---\noutput: {schema: {type: object, properties: {age: {type: integer}}}}\n---\n- name: a\n  content: x\n"
    )
    with pytest.raises(RenderError) as failed:
        load(document).read(json.dumps({"age": CANARY}))
    assert CANARY not in str(failed.value)
    assert "`age` in the reply must be a whole number, not a text" in str(failed.value)
