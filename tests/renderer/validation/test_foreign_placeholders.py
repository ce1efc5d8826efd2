"""Other languages' placeholders in texts without any of their own, and documents without content."""

import pytest

from promptuary import renderer
from tests.renderer.validation.test_fixes import applied

FORMS = {
    "text": "{}",
    "parts": "- name: a\n  content: |\n    {}\n",
    "shaped": "{}",
    "prompter": "kind: chat\ninstruction: |\n    {}\n",
}
FRONTS = ["", "inputs: {}\n", "inputs: {q: {}}\n", "inputs:\n  q: {}\n"]
OF_OTHERS = [
    "Tell {topic} a tale",
    "Say {name!r} now",
    "Hi {user.name}, {x:>10}",
    "Dear $name, you owe $100",
    "a ${name} b",
    "<<name>> is",
    "!<INPUT 0>! and !<INPUT 1>!",
    "%(name)s said",
    "%s said %s",
    "[[name]] x",
    "Dear <%= name %>",
    "Text: ```{text}```",
    "```\n{text}\n```",
    "<doc>{doc}</doc>",
    "#{name} and {range}",
    "<doc>{$doc}</doc> {$QUESTION}",
    "{question}\n{context}",
]
NOT_OF_OTHERS = [
    'Answer as {"a": 1} or {} or {"name": "{\\"x\\"}"}',
    "\\frac{a}{b} \\textbf{name} a^{n} x_{i}",
    "body {color: red;} .a{color:red}",
    "cost $100 and $PATH and ${HOME}",
    "$x$ and $y$ and $\\alpha$, let $e = $m c^2$",
    '```python\nprint(f"{x} is")\n```',
    'use f"{x}" here',
    "<<SYS>> hi",
    "GET /users/{id}/posts",
    'import {foo} from "x"',
    '100%s or printf("%s", x)',
    "{ a: b } and the set {1,2}",
    "if ($x == 1) { echo }",
    "[[1, 2]] and [[Page]]",
    "<% if x %>y<% end %> and <%= 1 + 1 %>",
]


def document(name, text, front=""):
    return f"---\nformat: {name}\n{front}---\n{FORMS[name].format(text.replace(chr(10), chr(10) + '    '))}"


def list_placeholder_problems(text):
    return [problem for problem in renderer.validate(text) if problem.code == "PT208"]


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("text", OF_OTHERS)
@pytest.mark.parametrize("name", ["text", "parts"])
def test_one_fix_writes_all_placeholders_and_leaves_no_error(name, text, front):
    problems = list_placeholder_problems(document(name, text, front))
    assert problems
    assert {problem.severity for problem in problems} == {"warning"}
    for problem in problems:
        cured = applied(document(name, text, front), problem.fix)
        remaining = [each for each in renderer.validate(cured) if each.severity == "error" or each.code == "PT208"]
        assert remaining == []
        assert "{{ " in cured


@pytest.mark.parametrize("text", NOT_OF_OTHERS)
@pytest.mark.parametrize("name", ["text", "parts"])
def test_braces_and_signs_of_other_things_are_left_alone(name, text):
    assert list_placeholder_problems(document(name, text)) == []


@pytest.mark.parametrize(
    "text", ["{{ a }} and {b}", "{% raw %}{x}{% endraw %}", "{% if a %}{b}{% endif %}", "{# {x} #}"]
)
def test_a_text_with_placeholders_of_its_own_means_its_braces(text):
    assert list_placeholder_problems(f"---\nformat: text\n---\nx {text}") == []


@pytest.mark.parametrize("name", ["shaped", "prompter"])
@pytest.mark.parametrize("text", ["Say {{ topic }} twice", "<<name>> is", "a %(name)s b"])
def test_where_single_braces_are_values_other_forms_are_reported(name, text):
    (problem,) = list_placeholder_problems(document(name, text))
    cured = applied(document(name, text), problem.fix)
    assert [each for each in renderer.validate(cured) if each.severity == "error" or each.code == "PT208"] == []
    assert renderer.load(cured).render({problem.variable: "x"})
    assert list_placeholder_problems(document(name, "Say {topic} and {{b}}")) == []


def test_the_place_is_that_of_the_placeholder():
    problems = list_placeholder_problems("- name: a {x}\n  content: |\n    one {two}\n    {three} {two}\n  # {four}\n")
    assert [(problem.variable, problem.line, problem.column, problem.end_column) for problem in problems] == [
        ("two", 3, 9, 14),
        ("three", 4, 5, 12),
    ]
    assert len(problems[0].fix.edits) == 3


EMPTY = {
    "parts": [
        "", " \n\n", "# c\n", "{# c #}", "[]", "[]\n# x", "{% set x = 1 %}", "{% for x in xs %}\n{% endfor %}",
        "{{ x }}\n",
        '- name: a\n  content: ""\n', "{% macro m() %}- name: a\n  content: b{% endmacro %}", "{% if x %} {% endif %}",
        "- name: a\n  content: []\n", "- name: a\n  content: [{type: text, text: ' '}]\n",
    ],
    "text": [
        "", "\n \n", "{# c #}\n", "{% set x = 1 %}", "{% if x %} {% endif %}", "{% macro m() %}a{% endmacro %}",
        "{{ '' }}", "{% if false %}a{% endif %}", "{% for x in [] %}a{% endfor %}",
    ],
    "shaped": ["", " \n", "\\n", "{new_line}", "{''}"],
    "prompter": ["", "# c\n", "kind: chat", "kind: alpaca\ninstruction: ''",
        "kind: alpaca\ninstruction: {system: ' ', user: ''}"],
}  # fmt: skip


@pytest.mark.parametrize("front", ["", "inputs: {}\n", "inputs: {x: {}, xs: {}}\n"])
@pytest.mark.parametrize(("name", "body"), [(name, body) for name, bodies in EMPTY.items() for body in bodies])
def test_a_document_of_which_nothing_can_come_is_refused(name, body, front):
    problems = renderer.validate(f"---\nformat: {name}\n{front}---\n{body}")
    assert [problem for problem in problems if problem.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        "- name: a\n  content: [{type: image_url, image_url: {url: 'https://example.com/a.png'}}]\n",
        "---\nformat: text\n---\n{{ 1 }}",
        "---\nformat: text\n---\n{{ x }}",
        "---\nformat: text\n---\n{% if token_limit > 5 %}a{% endif %}",
    ],
)
def test_a_document_of_which_something_can_come_is_taken(text):
    assert "PT311" not in [problem.code for problem in renderer.validate(text)]


@pytest.mark.parametrize(
    "text", ["", "\n", " ", "---\n---\n", "---\ndescription: x\n---", "---\nformat: text\n---", "\ufeff"]
)
def test_front_matter_alone_is_refused(text):
    assert [(problem.code, problem.severity) for problem in renderer.validate(text)] == [("PT311", "error")]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("text", "{{ x }}"),
        ("text", "{% if x %}a{% endif %}"),
        ("text", '{{ fragment("a/b@1") }}'),
        ("parts", "{% if x %}- name: a\n  content: b\n{% endif %}"),
        ("parts", "- name: a\n  content: {{ x }}"),
        ("parts", '{% include "a/b@1" %}'),
        ("parts", "{% macro m() %}- name: a\n  content: b{% endmacro %}{{ m() }}"),
        ("shaped", "{query}"),
        ("prompter", "kind: chat\ninstruction: ''"),
        ("prompter", "kind: alpaca\ninstruction: '{x}'"),
    ],
)
def test_a_document_with_text_for_some_data_is_not_empty(name, body):
    problems = renderer.validate(f"---\nformat: {name}\n---\n{body}", fragments={"a/b@1": "- name: x\n  content: y\n"})
    assert [problem for problem in problems if problem.severity == "error"] == []
