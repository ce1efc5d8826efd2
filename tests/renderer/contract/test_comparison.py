"""Comparing two templates: what breaks callers and what does not."""

import pytest

from promptuary import renderer
from promptuary.renderer.contract.comparison import list_required_inputs

BODY = "- name: a\n  content: x\n"


def document(front="", body=BODY):
    return renderer.load(f"---\n{front}\n---\n{body}")


def changes(old, new):
    return [(change.kind, change.path, change.breaking) for change in renderer.compare(old, new)]


def inputs(old, new):
    body = "- name: a\n  content: '{{ a }}'\n"
    return changes(document(f"inputs: {{a: {old}}}", body), document(f"inputs: {{a: {new}}}", body))


def test_equal_templates_have_no_changes():
    assert changes(document(), document()) == []


def test_a_new_required_input_breaks_and_one_with_a_default_does_not():
    old, new = document("inputs: {}"), document("inputs: {a: {}, b: {default: 1}}")
    assert changes(old, new) == [("input", "a", True), ("input", "b", False)]


def test_an_input_that_is_gone_does_not_break():
    assert changes(document("inputs: {a: {}}"), document("inputs: {}")) == [("input", "a", False)]


@pytest.mark.parametrize(
    ("old", "new", "breaking"),
    [
        ("{type: string}", "{type: integer}", True),
        ("{type: integer}", "{type: number}", False),
        ("{type: number}", "{type: integer}", True),
        ("{type: string}", "{type: [string, 'null']}", False),
        ("{type: string}", "{}", False),
        ("{}", "{type: string}", True),
        ("{enum: [a, b]}", "{enum: [a]}", True),
        ("{enum: [a]}", "{enum: [a, b]}", False),
        ("{enum: [a]}", "{}", False),
        ("{}", "{enum: [a]}", True),
        ("{maxLength: 5}", "{maxLength: 4}", True),
        ("{maxLength: 5}", "{maxLength: 6}", False),
        ("{maxLength: 5}", "{}", False),
        ("{}", "{maxLength: 5}", True),
        ("{minimum: 1}", "{minimum: 2}", True),
        ("{minItems: 2}", "{minItems: 1}", False),
        ("{items: {type: string}}", "{items: {type: integer}}", True),
        ("{properties: {x: {type: string}}}", "{properties: {x: {type: integer}}}", True),
        ("{properties: {x: {}}}", "{properties: {x: {}}, required: [x]}", True),
        ("{properties: {x: {}}, required: [x]}", "{properties: {x: {}}}", False),
        ("{additionalProperties: false}", "{}", False),
        ("{}", "{additionalProperties: false}", True),
        ("{pattern: a}", "{pattern: b}", True),
        ("{pattern: a}", "{}", False),
        ("{}", "{format: date}", True),
        ("{default: 1}", "{}", True),
        ("{}", "{default: 1}", False),
        ("{default: 1}", "{default: 2}", False),
        ("{}", "{untrusted: true}", False),
    ],
)
def test_a_changed_input(old, new, breaking):
    compared = inputs(old, new)
    assert compared
    assert any(change[2] for change in compared) is breaking


def test_a_description_is_not_a_change():
    assert inputs("{description: x}", "{description: y}") == []


def test_breaking_changes_come_first():
    compared = changes(
        document("inputs: {a: {}, b: {}}\nmodel: gpt-4o"), document("inputs: {b: {type: string}, c: {}}")
    )
    assert [change[2] for change in compared] == sorted((change[2] for change in compared), reverse=True)


def test_without_declarations_the_names_used_are_compared():
    old = renderer.load("- name: a\n  content: {{ x }}\n")
    new = renderer.load("- name: a\n  content: {{ x }}{{ y }}\n")
    assert changes(old, new) == [("input", "y", True), ("body", "body", False)]


@pytest.mark.parametrize(
    ("front", "kind"),
    [
        ("settings: {temperature: 1}", "settings"),
        ("token_limit: 5", "limit"),
        ("reserve: 5", "limit"),
        ("tools: [{type: function, function: {name: f}}]", "tools"),
    ],
)
def test_other_fields_are_reported_and_do_not_break(front, kind):
    assert changes(document(), document(front)) == [(kind, front.split(":")[0], False)]


@pytest.mark.parametrize(
    ("old", "new", "breaking"),
    [
        ("{required: [x]}", "{}", True),
        ("{}", "{required: [x]}", False),
        ("{properties: {x: {type: string}}}", "{properties: {x: {type: integer}}}", True),
        ("{properties: {x: {enum: [a]}}}", "{properties: {x: {enum: [a, b]}}}", True),
        ("{properties: {x: {enum: [a, b]}}}", "{properties: {x: {enum: [a]}}}", False),
    ],
)
def test_an_output_breaks_where_more_may_come(old, new, breaking):
    compared = changes(document(f"output: {{schema: {old}}}"), document(f"output: {{schema: {new}}}"))
    assert any(change[2] for change in compared) is breaking


def test_a_fragment_that_moved_is_listed():
    texts = {"a/b@1": "---\nformat: text\n---\nx", "a/b@2": "---\nformat: text\n---\ny"}
    old, new = (
        renderer.load(f"- name: a\n  content: {{{{ fragment('a/b@{n}') }}}}\n", fragments=texts) for n in (1, 2)
    )
    assert changes(old, new) == [("body", "body", False), ("fragment", "a/b@1", False), ("fragment", "a/b@2", False)]


def test_required_inputs_are_those_without_a_default():
    template = document("inputs: {b: {}, a: {type: string}, c: {default: 1}}", "- name: a\n  content: '{{ a }}'\n")
    assert list_required_inputs(template) == ["a", "b"]


def test_undeclared_names_are_required():
    template = renderer.load("- name: a\n  content: '{{ who }}'\n")
    assert list_required_inputs(template) == ["who"]
