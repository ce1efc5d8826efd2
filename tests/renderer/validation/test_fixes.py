"""Each offered fix, applied to the document, solves its problem without a new error."""

import pytest

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.syntax.suggestions import find_likely_name
from promptuary.renderer.validation.fixes import apply_fix, set_default

PART = "- name: a\n  content: {{ question }}\n"
HEAD = "---\ninputs:\n  question: {type: string}\n---\n"
UNTRUSTED = "---\ninputs:\n  q: {type: string, untrusted: true}\n---\n"
CASES = {
    "an undeclared name": ("PT403", HEAD + PART + "- name: b\n  content: {{ tone }} {{ tone }}\n"),
    "an undeclared name, flow": (
        "PT403",
        "---\ninputs: {question: {type: string}}\n---\n" + PART + "- name: b\n  content: {{ tone }}\n",
    ),
    "an undeclared name, none declared": ("PT403", "---\ninputs: {}\n---\n- name: b\n  content: {{ tone }}\n"),
    "an undeclared name, block schemas": (
        "PT403",
        "---\ninputs:\n    question:\n        type: string\n---\n" + PART + "- name: b\n  content: {{ tone }}\n",
    ),
    "a mistyped name": ("PT403", HEAD + PART + "- name: b\n  content: |\n    Say: {{ qestion | upper }}\n"),
    "an unused input": (
        "PT404",
        "---\ninputs:\n  question: {type: string}\n  tone:\n    type: string\n\n    enum: [a, b]\nmodel: gpt-4o\n---\n"
        + PART,
    ),
    "an unused input before another": (
        "PT404",
        "---\ninputs:\n  tone: {type: string}\n  question: {type: string}\n---\n" + PART,
    ),
    "a value that is not closed": ("PT201", "- name: a\n  content: 'x {{ y'\n"),
    "a value that is not closed, double quotes": ("PT201", '- name: a\n  content: "it\'s {{ y"\n'),
    "a value that is not closed, one text": ("PT201", "---\nformat: text\n---\nx {{ y\nand so on\n"),
    "two names in a value": ("PT201", "- name: a\n  content: |\n    x {{ a b }} {{ c }}\n"),
    "a sign that is no Jinja": ("PT201", "- name: a\n  content: |\n    {{ don't }} and {{ c }}\n"),
    "an unknown tag": ("PT201", "- name: a\n  content: |\n    print {%- d %} and {{ c }}\n"),
    "an end without a beginning": ("PT201", "- name: a\n  content: |\n    x {% endif %}\n"),
    "a condition that is not closed": (
        "PT201",
        "- name: a\n  content: |\n    {% if x %}\n    one {% for y in z %}{{ y }}{% endfor %}\n",
    ),
    "a comment that is not closed": ("PT201", "- name: a\n  content: |\n    x {# never\n"),
    "a filter of another language": ("PT205", "- name: a\n  content: |\n    {{ x | titleize_words }}\n"),
    "an untrusted value in a system part": (
        "PT408",
        UNTRUSTED + "- name: a\n  role: system\n  content: |\n    - {{ q }}\n",
    ),
    "an untrusted value in the second of three parts": (
        "PT408",
        UNTRUSTED
        + "- name: a\n  role: system\n  content: x\n- role: 'developer'\n  name: b\n  content: '{{ q }}'\n"
        + "- name: c\n  role: system\n  content: z\n",
    ),
    "an unknown filter": ("PT205", "- name: a\n  content: '{{ x | uper }}'\n"),
    "an unknown test": ("PT205", "- name: a\n  content: '{{ x is evn }}'\n"),
    "an unknown format": ("PT108", "---\nformat: part\n---\n- name: a\n  content: x\n"),
    "an unknown key": ("PT104", "---\ntoken_limt: 50\n---\n- name: a\n  content: x\n"),
    "an unknown field": ("PT304", "- name: a\n  contnt: x\n"),
    "an unknown field after a value": (
        "PT304",
        "- name: {{ x }}\n  content: b\n- name: {{ x }}{{ x }}\n  rol: user\n  content: y\n",
    ),
    "a mistyped role": ("PT305", "- name: a\n  role: sytem\n  content: x\n"),
    "a role of another library": ("PT305", "- name: a\n  role: human\n  content: x\n"),
    "a mistyped function": ("PT902", "---\nformat: shaped\n---\nx {joinn(documents)}"),
}


def applied(text, fix):
    """The text with the edits done, last first."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:row]) for row in range(len(lines) + 1)]
    for edit in sorted(fix.edits, key=lambda edit: (edit.line, edit.column), reverse=True):
        start, end = starts[edit.line - 1] + edit.column - 1, starts[edit.end_line - 1] + edit.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text


@pytest.mark.parametrize("name", CASES)
def test_a_fix_solves_its_problem(name):
    code, text = CASES[name]
    problem = next(problem for problem in renderer.validate(text) if problem.code == code)
    fixed = applied(text, problem.fix)
    assert [it for it in renderer.validate(fixed) if it.severity == "error" or it.code == code] == []


FRAGMENT = "---\ninputs:\n  product: {type: string, maxLength: 9}\n---\n- name: x\n  content: {{ product }}\n"


@pytest.mark.parametrize(
    "declared", ["question: {type: string}", "product: {type: integer}", "product:\n    type: string"]
)
def test_an_input_of_a_fragment_can_be_declared_alike(declared):
    text = f"---\ninputs:\n  {declared}\n---\n- name: a\n  content: {{{{ fragment('a/b@1') }}}}\n"
    problem = next(
        problem for problem in renderer.validate(text, fragments={"a/b@1": FRAGMENT}) if problem.code == "PT505"
    )
    problems = renderer.validate(applied(text, problem.fix), fragments={"a/b@1": FRAGMENT})
    assert [problem for problem in problems if problem.severity == "error"] == []


def test_a_document_without_inputs_declares_all_it_uses_with_those_of_its_fragment():
    text = "- name: a\n  content: Hi {{ name }} {{ fragment('a/b@1') }}\n"
    problem = next(it for it in renderer.validate(text, fragments={"a/b@1": FRAGMENT}) if it.code == "PT505")
    fixed = applied(text, problem.fix)
    assert "  name: {type: string}\n  product: {type: string, maxLength: 9}\n" in fixed
    problems = renderer.validate(fixed, fragments={"a/b@1": FRAGMENT})
    assert [it for it in problems if it.severity == "error"] == []


def test_an_input_that_a_fragment_declares_and_does_not_use_is_declared_with_the_others():
    fragment = FRAGMENT.replace("inputs:\n", "inputs:\n  spare: {type: number}\n")
    text = "- name: a\n  content: Hi {{ name }} {{ fragment('a/b@1') }}\n"
    problem = next(it for it in renderer.validate(text, fragments={"a/b@1": fragment}) if it.code == "PT505")
    problems = renderer.validate(applied(text, problem.fix), fragments={"a/b@1": fragment})
    assert [it for it in problems if it.severity == "error"] == []


def test_the_only_input_is_not_taken_out():
    problems = renderer.validate(HEAD + "- name: a\n  content: x\n")
    assert [(problem.code, problem.fix) for problem in problems] == [("PT404", None)]


def test_a_wrong_word_in_a_fragment_is_not_fixed_at_its_tag():
    inner = "- name: a\n  rol: user\n  content: x {{ y | uper }}\n"
    for text in ("{% include 'a/b@1' %}\n", "- name: z\n  content: {{ fragment('a/b@1') }}\n"):
        assert [problem.fix for problem in renderer.validate(text, fragments={"a/b@1": inner})] == [None]


@pytest.mark.parametrize(
    "text", ["", "\n", "# nothing\n", "{# nothing #}", "{% if false %}- name: a\n  content: b\n{% endif %}"]
)
def test_a_document_that_gives_no_parts_is_a_problem(text):
    assert [problem.code for problem in renderer.validate(text)] == ["PT311"]


def test_a_document_that_gives_parts_for_some_data_is_none():
    assert renderer.validate("{% for x in xs %}\n- name: a\n  content: {{ x }}\n{% endfor %}") == []


def test_a_name_unlike_any_known_one_is_not_guessed():
    assert find_likely_name("zzz", ("upper", "lower")) is None


def test_a_problem_with_only_some_data_is_a_warning():
    text = (
        "- name: a\n{% if r == 'a' %}  role: user\n{% endif %}{% if r == 'b' %}  role: system\n"
        "{% endif %}  content: {{ x }}\n"
    )
    assert [(problem.code, problem.severity) for problem in renderer.validate(text)] == [("PT102", "warning")]
    assert [problem.severity for problem in renderer.validate("{{ q }}\n- name: a\n  content: x\n")] == ["warning"]


@pytest.mark.parametrize(
    ("schema", "with_default"),
    [
        ("{type: string}", "{type: string, default: x}"),
        ("{type: string,}", "{type: string, default: x}"),
        ("{type: string, }", "{type: string, default: x}"),
        ("{}", "{default: x}"),
    ],
)
def test_a_default_is_added_to_a_schema_in_braces(schema, with_default):
    document = parse_document(f"---\ninputs:\n  question: {schema}\n---\n{PART}")
    fixed = apply_fix(document.text, set_default(document, "question", "x"))
    assert fixed == f"---\ninputs:\n  question: {with_default}\n---\n{PART}"
