"""Declared inputs: schemas checked once, data checked every time, defaults filled in."""

import datetime
import math
import re
from typing import Any, cast

import pytest

from promptuary import renderer

BODY = "---\n- name: a\n  content: '{{ a }} {{ b }}'\n"


def document(inputs):
    return f"---\ninputs:\n  a: {inputs}\n---\n- name: p\n  content: {{{{ a }}}}\n"


def render(inputs, value, **options):
    return renderer.load(document(inputs)).render({"a": value}, **options)


def refused(call):
    with pytest.raises(renderer.InputError) as caught:
        call()
    return caught.value


def test_a_missing_input_is_named_with_the_line_of_its_declaration():
    error = refused(lambda: renderer.load(document("{type: string}")).render({}))
    assert (error.code, error.path, error.line) == ("PT401", "a", 3)


def test_a_default_makes_an_input_optional():
    assert renderer.load(document("{type: string, default: x}")).render({}).text == "x"


@pytest.mark.parametrize(
    ("schema", "value", "path"),
    [
        ("{type: string}", 1, "a"),
        ("{type: string, maxLength: 2}", "abc", "a"),
        ("{type: string, enum: [x, y]}", "z", "a"),
        ("{type: integer}", 1.5, "a"),
        ("{type: integer}", True, "a"),
        ("{type: array, items: {type: string}}", ["x", 2], "a[1]"),
        ("{type: array, maxItems: 1}", [1, 2], "a"),
        ("{type: object, properties: {name: {type: string}}}", {"name": 3}, "a.name"),
        (
            "{type: object, properties: {turns: {type: array, items: {required: [text]}}}}",
            {"turns": [{}]},
            "a.turns[0]",
        ),
        ("{type: object, required: [name]}", {}, "a"),
        ("{type: object, additionalProperties: false}", {"x": 1}, "a"),
        ("{type: string, pattern: '^x'}", "y", "a"),
        ("{const: 3}", 4, "a"),
        ("{$defs: {s: {type: string}}, type: array, items: {$ref: '#/$defs/s'}}", [1], "a[0]"),
    ],
)
def test_an_ill_typed_input_is_named_by_its_path(schema, value, path):
    error = refused(lambda: render(schema, value))
    assert (error.code, error.path, error.line) == ("PT402", path, 3)
    assert error.message.startswith(f"`{path}` ")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("{type: string}", "x"),
        ("{type: number}", 1),
        ("{type: integer}", 2.0),
        ("{type: [string, 'null']}", None),
        ("{type: array, items: {type: string}}", []),
        ("{type: array, items: {type: string}}", ["x"]),
        ("{type: object, properties: {a: {type: string}}}", {"b": 1}),
        ("{}", {"anything": [1, None]}),
        ("{anyOf: [{type: string}, {type: integer}]}", 3),
    ],
)
def test_a_fitting_input_is_taken(schema, value):
    assert render(schema, value).text == str(value)


def test_undeclared_data_are_ignored_and_listed():
    template = renderer.load(document("{type: string}"))
    assert template.render({"a": "x", "z": 1, "y": 2}).ignored == ("z", "y")


def test_undeclared_data_can_be_refused():
    template = renderer.load(document("{type: string}"))
    error = refused(lambda: template.render({"a": "x", "z": 1}, extra="error"))
    assert (error.code, error.variable) == ("PT409", "z")


def test_an_undeclared_name_is_not_seen_by_the_template():
    template = renderer.load("---\ninputs: {a: {}}\n---\n- name: p\n  content: '{{ a }}{{ z is defined }}'\n")
    assert template.render({"a": "x", "z": 1}).text == "xFalse"


def test_without_declarations_any_data_are_taken():
    assert renderer.load("- name: p\n  content: {{ a }}\n").render({"a": 1, "b": 2}).ignored == ()


@pytest.mark.parametrize(
    "name", ["self", "loop", "caller", "varargs", "kwargs", "token_limit", "fragment", "escape_special_characters"]
)
def test_reserved_names_are_refused_in_data_and_in_declarations(name):
    assert refused(lambda: renderer.load("- name: p\n  content: x\n").render({name: 1})).code == "PT405"
    problems = renderer.validate(f"---\ninputs: {{{name}: {{}}}}\n---\n- name: p\n  content: x\n")
    assert "PT405" in [problem.code for problem in problems]


@pytest.mark.parametrize("name", ["a-b", "1a", "a b", "\ufb01rst", "²", "€", ""])
def test_an_input_must_have_a_usable_name(name):
    problems = renderer.validate(f"---\ninputs: {{'{name}': {{}}}}\n---\n- name: p\n  content: x\n")
    assert "PT405" in [problem.code for problem in problems]


@pytest.mark.parametrize("name", ["größe", "会社名", "اسم", "имя"])
def test_an_input_can_have_a_name_of_any_language(name):
    text = f"---\ninputs: {{{name}: {{type: string}}}}\n---\n- name: p\n  content: 'Hi {{{{ {name} }}}}'\n"
    assert renderer.validate(text) == []
    assert renderer.load(text).render({name: "x"}).parts[0].content == "Hi x"


class Thing:
    text = "secret"


@pytest.mark.parametrize(
    ("value", "path", "words"),
    [
        (Thing(), "a", "a Thing"),
        (len, "a", "a function"),
        ([1, {"x": Thing}], "a[1].x", "a function"),
        (datetime.date(2024, 1, 1), "a", "a date"),
        ({1, 2}, "a", "a set"),
        (b"x", "a", "a bytes"),
        ({1: "x"}, "a", "keys must be text"),
        (math.nan, "a", "finite"),
        ([math.inf], "a[0]", "finite"),
        (["\ud800"], "a[0]", "surrogate"),
    ],
)
def test_only_plain_json_is_taken(value, path, words):
    for text in ("- name: p\n  content: {{ a }}\n", document("{}")):
        error = refused(lambda text=text: renderer.load(text).render({"a": value}))
        assert error.code == "PT407"
        assert error.path == path
        assert words in error.message


def test_data_nested_without_end_are_refused():
    deep: list[object] = []
    deep.append(deep)
    assert refused(lambda: renderer.load("- name: p\n  content: x\n").render({"a": deep})).code == "PT407"


def test_data_other_than_a_mapping_are_refused():
    assert refused(lambda: renderer.load("- name: p\n  content: x\n").render(cast("Any", [1]))).code == "PT407"


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ("{type: strin}", "PT406"),
        ("{type: [number, {a: 1}]}", "PT406"),
        ("{maxLength: -1}", "PT406"),
        ("{enum: x}", "PT406"),
        ("{$ref: 'https://example.org/s.json'}", "PT406"),
        ("{$ref: '#'}", "PT406"),
        ("{items: {$ref: other.json}}", "PT406"),
        ("{$id: 'https://example.org/s.json'}", "PT406"),
        ("{type: string, untrusted: maybe}", "PT406"),
        ("{type: string, default: 3}", "PT411"),
        ("{pattern: '('}", "PT406"),
    ],
)
def test_a_bad_declaration_is_refused(schema, code):
    problems = renderer.validate(document(schema))
    assert code in [problem.code for problem in problems if problem.line == 3]
    with pytest.raises(renderer.DocumentError):
        renderer.load(document(schema))


TYPE_WORDS = (
    "is not one of the types string (text), number, integer (whole number), boolean (yes or no), array (list), "
    "object (group) and null (no value)"
)


@pytest.mark.parametrize(
    ("schema", "wrong", "meant"),
    [
        ("{type: text}", "text", "string"),
        ("{type: String}", "String", "string"),
        ("{type: strin}", "strin", "string"),
        ("{type: 'whole number'}", "whole number", "integer"),
        ("{type: Yes or no}", "Yes or no", "boolean"),
        ("{type: array, items: {type: dict}}", "dict", "object"),
        ("{type: object, properties: {a: {type: lst}}}", "lst", "array"),
    ],
)
def test_a_wrong_type_names_the_types_and_the_likely_one(schema, wrong, meant):
    text = document(schema)
    (problem,) = (each for each in renderer.validate(text) if each.code == "PT406")
    assert problem.message == f"`a`: `{wrong}` {TYPE_WORDS}; did you mean `{meant}`?"
    assert problem.fix is not None
    (edit,) = problem.fix.edits
    line = text.splitlines()[edit.line - 1]
    mended = line[: edit.column - 1] + edit.text + line[edit.end_column - 1 :]
    assert mended.strip() == "a: " + re.sub(f"'?{wrong}'?", meant, schema)
    assert "PT406" not in [each.code for each in renderer.validate(text.replace(line, mended))]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("{type: qqq}", f"`a`: `qqq` {TYPE_WORDS}"),
        ("{type: [number, strin]}", f"`a`: `strin` {TYPE_WORDS}; did you mean `string`?"),
        (f"{{type: {'x' * 200}}}", f"`a`: `{'x' * 80}…` {TYPE_WORDS}"),
        *(
            (each, "`a`: `type` must be the name of a type, such as string, or a list of different names")
            for each in ("{type: 3}", "{type: null}", "{type: []}", "{type: [string, string]}", "{type: [{}, string]}")
        ),
        ("{properties: {type: text}}", "`a`: 'text' is not of type 'object', 'boolean'"),
    ],
)
def test_a_type_without_a_likely_one_has_no_fix(schema, message):
    (problem,) = (each for each in renderer.validate(document(schema)) if each.code == "PT406")
    assert (problem.message, problem.fix) == (message, None)


@pytest.mark.parametrize("reference", ["#/$defs/none", "#/$defs/s/x", "#/items"])
def test_a_reference_without_a_target_is_refused(reference):
    schema = f"{{$ref: '{reference}', $defs: {{s: {{type: string}}}}}}"
    assert "PT406" in [problem.code for problem in renderer.validate(document(schema))]


def test_a_schema_that_goes_in_a_circle_is_refused_and_not_followed():
    error = refused(lambda: render("{$ref: '#/$defs/a', $defs: {a: {$ref: '#/$defs/a'}}}", 1))
    assert "without end" in error.message


def test_missing_names_without_declarations_are_named():
    error = refused(
        lambda: renderer.load("- name: p\n  content: x\n- name: q\n  content: {{ user.tier }}\n").render({"user": {}})
    )
    assert (error.line, error.column, error.variable, error.code) == (4, 12, "user.tier", "PT401")


@pytest.mark.parametrize("limit", [0, -2, 1.5, True, "5"])
def test_a_limit_below_one_is_refused(limit):
    assert refused(lambda: render("{}", 1, token_limit=limit)).code == "PT606"


def test_a_limit_of_minus_one_is_none():
    assert render("{}", "x", token_limit=-1).token_limit is None


def test_a_reserve_that_takes_all_is_refused():
    template = renderer.load("---\nreserve: 10\n---\n- name: p\n  content: x\n")
    assert refused(lambda: template.render({}, token_limit=10)).code == "PT606"


def test_functions_of_the_caller_are_local():
    template = renderer.load("- name: p\n  content: {{ twice(a) }}\n", functions={"twice": lambda text: text * 2})
    prompt = template.render({"a": "x: "})
    assert prompt.text == "x: x: "
    assert prompt.stamp.local_functions == ("twice",)


@pytest.mark.parametrize("name", ["loop", "a b", "fragment"])
def test_a_function_needs_a_usable_name(name):
    assert refused(lambda: renderer.load("- name: p\n  content: x\n", functions={name: len})).code == "PT405"


def test_an_error_in_a_function_names_the_line():
    template = renderer.load("- name: p\n  content: {{ fail() }}\n", functions={"fail": lambda: dict[str, str]()["x"]})
    with pytest.raises(renderer.RenderError, match="KeyError") as caught:
        template.render({})
    assert (caught.value.line, caught.value.column) == (2, 12)
