"""Inputs that a text uses and does not declare: which, of what type, and the edit that declares them all."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.validation.fixes import apply_fix
from promptuary.renderer.validation.undeclared_inputs import find_undeclared_inputs


def _undeclared(body: str, head: str = "---\nformat: text\n---\n") -> dict[str, Any]:
    return {each.name: each.schema for each in find_undeclared_inputs(head + body).inputs}


STRING = {"type": "string"}
LIST = {"type": "array", "items": STRING}


@pytest.mark.parametrize(
    ("body", "schema"),
    [
        ("{{ x }}", STRING),
        ("{{ x | upper | replace('a', 'b') }}", STRING),
        ("{% for y in x %}{{ y }}{% endfor %}", LIST),
        ("{{ x | join(', ') }}", LIST),
        ("{{ x[0] }}", LIST),
        ("{{ x | first }}", LIST),
        ("{{ x.name }}", {"type": "object", "properties": {"name": STRING}, "required": ["name"]}),
        ("{{ x['name'] }}", {"type": "object", "properties": {"name": STRING}, "required": ["name"]}),
        ("{{ x.get('name') }}", {"type": "object", "properties": {"name": STRING}}),
        ("{{ x + 1 }}", {"type": "number"}),
        ("{% if x > 3 %}a{% endif %}{{ x }}", {"type": "number"}),
        ("{{ x | round }}", {"type": "number"}),
        ("{% set y = 'a' %}{% if x >= y %}a{% endif %}", {"type": "number"}),
        ("{% if x > 'm' %}a{% endif %}", STRING),
        ("{% for y in range(x) %}a{% endfor %}", {"type": "number"}),
        ("{% if x %}a{% endif %}", {"type": "boolean"}),
        ("{% if not x and true %}a{% endif %}", {"type": "boolean"}),
        ("{% if x %}{{ x }}{% endif %}", STRING),
        ("{% if x == 'warm' %}a{% endif %}", STRING),
        ("{{ x | default('warm') }}", {"type": "string", "default": "warm"}),
        ("{{ '%.2f' | format(x) }}", {"type": "number"}),
        ("{{ '{:,.2f}'.format(x) }}", {"type": "number"}),
        ("{{ '100 %% of %s' | format(x) }}", STRING),
        ("{{ '{:>8}'.format(x) }}", STRING),
        ("{{ '{a:d}'.format(a=x) }}", STRING),
        ("{{ x | tojson }}", {}),
        ("{{ '%s' % x }}", STRING),
        ("{% set y = x %}{{ y.name }}", {"type": "object", "properties": {"name": STRING}, "required": ["name"]}),
        (
            "{% for y in x %}{{ y.title }}{% endfor %}",
            {"type": "array", "items": {"type": "object", "properties": {"title": STRING}, "required": ["title"]}},
        ),
        (
            "{{ x | map(attribute='title') | join }}",
            {"type": "array", "items": {"type": "object", "properties": {"title": STRING}, "required": ["title"]}},
        ),
        ("{{ x | map('upper') | join }}", LIST),
        ("{% for k, v in x.items() %}{{ k }}{{ v }}{% endfor %}", {"type": "object"}),
    ],
)
def test_the_type_of_an_input_is_inferred_from_its_uses(body, schema):
    assert _undeclared(body) == {"x": schema}


@pytest.mark.parametrize(
    "body",
    [
        "{% for y in [1, 2] %}{{ y }}{{ loop.index }}{% endfor %}",
        "{% set y = 1 %}{{ y }}",
        "{% macro m(y) %}{{ y }}{{ caller() }}{% endmacro %}{% call m(1) %}a{% endcall %}",
        "{% with y = 1 %}{{ y }}{% endwith %}",
        "{{ join(['a'], 'b') }}{{ token_limit }}",
        "No names at all.",
    ],
)
def test_variables_of_the_text_itself_are_not_inputs(body):
    assert _undeclared(body) == {}


def test_two_inputs_whose_order_is_compared_are_numbers():
    body = "{% for doc in docs %}{% if doc.score > min_score %}{{ doc.text }}{% endif %}{% endfor %}"
    inputs = _undeclared(body)
    assert inputs["min_score"] == {"type": "number"}
    assert inputs["docs"]["items"]["properties"] == {"score": {"type": "number"}, "text": STRING}


def test_declared_inputs_are_not_listed_again():
    assert list(_undeclared("{{ a }} {{ b }}", "---\nformat: text\ninputs:\n  a: {}\n---\n")) == ["b"]


def test_a_text_that_can_not_be_read_lists_nothing():
    assert find_undeclared_inputs("{{ broken").inputs == []
    assert find_undeclared_inputs("{{ broken").used is None


def test_inputs_declared_by_a_fragment_get_the_same_declaration():
    body = '{{ fragment("a/b@1") }}{{ own }}'
    fragment = "---\nformat: text\ninputs:\n  tone: {type: string, enum: [warm]}\n---\n{{ tone }}"
    undeclared = find_undeclared_inputs(f"---\nformat: text\n---\n{body}", {"a/b@1": fragment})
    schemas = {each.name: each.schema for each in undeclared.inputs}
    assert schemas == {"own": STRING, "tone": {"type": "string", "enum": ["warm"]}}


def test_shaped_documents_and_prompters_have_inputs_too():
    shaped = _undeclared("{join(documents, '\\n')} {query}", "---\nformat: shaped\n---\n")
    assert shaped == {"documents": LIST, "query": STRING}
    assert _undeclared("kind: chat\ninstruction: Be {tone}.\n", "---\nformat: prompter\n---\n")["tone"] == STRING


@pytest.mark.parametrize(
    "head",
    [
        "",
        "---\nmodel: gpt-4o\n---\n",
        "---\ninputs: {}\n---\n",
        "---\ninputs: {old: {type: string}}\n---\n",
        "---\ninputs:\n  old: {type: string}\nmodel: gpt-4o\n---\n",
        "---\ninputs:\n    old:\n        type: string\n---\n",
        "---\r\nmodel: gpt-4o\r\n---\r\n",
    ],
)
def test_declare_all_declares_every_name_and_keeps_all_other_text(head):
    body = "- name: a\n  content: {{ b }}{{ c.d }} # kept\n"
    body += "- name: b\n  content: {{ old }}\n" if "old" in head else ""
    text = head + body
    declared = apply_fix(text, find_undeclared_inputs(text).fix)
    assert find_undeclared_inputs(declared).inputs == []
    assert not [problem for problem in renderer.validate(declared) if problem.severity == "error"]
    left = declared
    for line in text.splitlines():
        assert line.split("inputs:")[0].strip("{}") in left
    assert declared.endswith(body)


_NAMES = st.sampled_from(["a", "b", "c"])
_PIECES = st.one_of(
    _NAMES.map(lambda name: f"{{{{ {name} }}}}"),
    _NAMES.map(lambda name: f"{{% if {name} %}}x{{% endif %}}"),
    _NAMES.map(lambda name: f"{{% for item in {name} %}}{{{{ item }}}}{{% endfor %}}"),
    _NAMES.map(lambda name: f"{{{{ {name}.key | upper }}}}"),
    _NAMES.map(lambda name: f"{{{{ {name} + 2 }}}}"),
    st.just("plain\n"),
)


@given(st.lists(_PIECES, max_size=8))
def test_after_declare_all_nothing_is_undeclared(pieces):
    text = "---\nformat: text\n---\n" + "".join(pieces)
    undeclared = find_undeclared_inputs(text)
    assert bool(undeclared.inputs) == bool(undeclared.fix) == any("{" in piece for piece in pieces)
    declared = apply_fix(text, undeclared.fix) if undeclared.fix else text
    assert find_undeclared_inputs(declared).inputs == []
