"""Prompts pasted as the content of a part."""

import re

import pytest

from promptuary import renderer
from promptuary.renderer.interop.pasted import read_pasted_prompt
from tests.renderer.interop.pasted_prompts import PROMPTS


def contents(body, **data):
    return [(part.role, part.content) for part in renderer.load(body).render(data, token_limit=-1).parts]


@pytest.mark.parametrize(
    "text",
    [
        "Write to {{ customer_name }} in a warm tone.\n{% for item in items %}\n- {{ item }}\n{% endfor %}",
        "Summarise the following text.",
        'Answer as JSON: {"a": 1, "b": {}}',
        "Dear {{name}}.",
        "# Title\n\n- a\n- b\n",
        "The user: a person.",
    ],
)
def test_text_that_a_part_keeps_unchanged_needs_no_conversion(text):
    assert read_pasted_prompt(text) is None


def test_a_placeholder_without_a_name_next_to_named_ones_is_noted_as_text():
    pasted = read_pasted_prompt("Hi %(name)s, you owe %s.")
    assert "`%s` stays text: nothing is filled in there" in pasted.differences
    assert contents(pasted.body, name="Ann") == [("user", "Hi Ann, you owe %s.")]


def test_a_byte_order_mark_and_line_ends_of_windows_are_not_part_of_the_prompt():
    pasted = read_pasted_prompt("\ufeffDear {name},\r\n\r\nthank you.\r\n")
    assert contents(pasted.body, name="Ann") == [("user", "Dear Ann,\n\nthank you.")]
    assert read_pasted_prompt("\ufeffBe kind.\r\nBe short.") is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n{q}<|im_end|>\n", "ChatML"),
        ("<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\n{q} [/INST]", "Llama, Mistral, Gemma, Phi"),
        (
            '[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "{q}"}]',
            "OpenAI, Anthropic",
        ),
        (
            '[{"role": "system", "name": "guide", "content": "Be kind."}, {"role": "user", "content": "{q}"}]',
            "OpenAI, Anthropic",
        ),
        (
            '[{"role": "system", "name": "a", "content": "Be kind."}, {"role": "user", "name": "b", "content": "{q}"}]',
            "OpenAI, Anthropic",
        ),
        ("SYSTEM: Be kind.\nUSER: {q}\nASSISTANT:", ""),
    ],
)
def test_a_conversation_becomes_a_part_a_message(text, title):
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.title, pasted.count) == ("messages", title, 2)
    assert contents(pasted.body, q="Why?") == [("system", "Be kind."), ("user", "Why?")]


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("Dear {name}, be {{kind}}.", "Dear Ann, be {kind}."),
        ("Dear $name.", "Dear Ann."),
        ("{{#if name}}Dear {{name}}{{/if}}", "Dear Ann"),
        ("Dear {{ first-name }} of {name}.", None),
    ],
)
def test_another_notation_becomes_inputs(text, rendered):
    pasted = read_pasted_prompt(text)
    if rendered is None:
        assert pasted.kind == "inputs"
        return
    assert pasted.kind == "inputs"
    assert contents(pasted.body, name="Ann") == [("user", rendered)]
    assert pasted.differences


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Write {% if you like %} here.", True),
        ("Use {{> header}} here.", True),
        ("The gradient is \\nabla f.", False),
        ("A <|space|> token.", False),
    ],
)
def test_signs_that_mean_something_in_a_part_are_kept(text, reason):
    pasted = read_pasted_prompt(text)
    assert pasted.kind == "literal"
    assert bool(pasted.reason) is reason
    assert contents(pasted.body) == [("user", text)]


def test_a_branch_of_handlebars_that_is_kept_is_not_an_input():
    pasted = read_pasted_prompt("{{#if a}}A {{name}}{{else}}B{{/if}}{{> footer}}")
    assert contents(pasted.body, name="Ann") == [("user", "{{#if a}}A Ann{{else}}B{{/if}}{{> footer}}")]


def test_inputs_stay_inputs_where_tags_are_kept():
    pasted = read_pasted_prompt("Use {{> header}} for {{ name }}.")
    assert contents(pasted.body, name="Ann") == [("user", "Use {{> header}} for Ann.")]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Hi {{ name }}, <%= code %>.", ["<%= code %>"]),
        ("{% if a %}{{ a }}{% endif %} <%= code %> <<other>>", ["<%= code %>", "<<other>>"]),
        ("Hi {{ name }}, {y} and $z.", ["{y}", "$z"]),
        ("<% if a %>b<% end %>", ["<% if a %>"]),
    ],
)
def test_places_of_other_notations_next_to_ours_are_named(text, places):
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.body) == ("noted", "")
    assert pasted.differences == tuple(f"`{place}` stays text: nothing is filled in there" for place in places)


@pytest.mark.parametrize(
    ("text", "place"),
    [("Hi <%= code %>, {name}.", "{name}"), ("Hi {name}: {{x}} [[date]]", "[[date]]"), ("$a <<b>>", "$a")],
)
def test_places_next_to_what_becomes_an_input_are_named(text, place):
    pasted = read_pasted_prompt(text)
    assert pasted.kind == "inputs"
    assert f"`{place}` stays text: nothing is filled in there" in pasted.differences


@pytest.mark.parametrize(
    ("text", "name", "difference"),
    [
        ("Now: {{ today() }}", "today", "`today()` is the input `today`: give the text that this expression prints"),
        ("Hi {größe}.", "größe", "`{größe}` is read as an input"),
        ("Hi {имя}.", "имя", "`{имя}` is read as an input"),
        ("Age: %(age)d", "age", "`%(age)d` is read as an input"),
    ],
)
def test_a_placeholder_that_is_no_name_becomes_a_renamed_input(text, name, difference):
    pasted = read_pasted_prompt(text)
    assert pasted.kind == "inputs"
    assert difference in pasted.differences
    assert f"{{{{ {name} }}}}" in pasted.body


@pytest.mark.parametrize(
    "text",
    [
        "{% macro m(x) %}{{ fmt(x) }}{% endmacro %}{{ m(a) }}",
        "{% for x in xs if fmt(x) %}a{% endfor %}",
        "{% set x = 1 %}{{ fmt(x) }}",
    ],
)
def test_a_function_whose_result_is_not_a_single_input_is_named(text):
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.reason) == (
        "literal",
        "`fmt()` is a function of its program; give what it returns as an input",
    )
    assert contents(pasted.body) == [("user", text)]


def test_a_filter_of_its_program_becomes_an_input_without_a_note_on_an_attempt():
    pasted = read_pasted_prompt("{{ history | colang }}\n{% if a %}b{% endif %}")
    assert (pasted.kind, pasted.reason) == ("inputs", "")
    assert "`history | colang` is the input `history_colang`: give the text that this expression prints" in (
        pasted.differences
    )
    assert not any("stays text" in difference for difference in pasted.differences)


@pytest.mark.parametrize(
    "text",
    [
        "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(y) }}",
        "Q: {{ user.get('name', 'you') }} {{ x if (y) else z }} {{ a is divisibleby(3) }} {{ not (c) }}",
        "Q: {% set ns = namespace(n=0) %}{% if a %}b{% elif (c) %}d{% endif %} {{ range(3) | join(', ') }}",
    ],
)
def test_functions_of_the_text_and_of_jinja_are_not_foreign_ones(text):
    assert read_pasted_prompt(text) is None


def test_formulas_and_variables_of_a_shell_are_not_places():
    text = "Hi {{ name }}: \\frac{a}{b}, $x$ and $y$.\n```sh\necho $home\n```\n<<SYS>>"
    assert getattr(read_pasted_prompt(text), "kind", None) != "noted"


def test_several_prompts_are_counted_and_not_run_together():
    text = "prompts:\n  - Tell {{topic}}\n  - Say {{topic}}\nproviders: [openai:gpt-4o]\n"
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.count, pasted.title, pasted.body) == ("several", 2, "promptfoo", "")


def test_why_a_format_could_not_be_read_is_shown():
    text = "prompts: [file://a.txt]\nproviders: [x]\n"
    pasted = read_pasted_prompt(text)
    assert (pasted.kind, pasted.title) == ("literal", "promptfoo")
    assert pasted.reason == "prompt 1 is in another file: file://a.txt; import that one"
    assert contents(pasted.body) == [("user", text.strip())]


@pytest.mark.parametrize("name", PROMPTS)
def test_every_offer_is_a_document_without_errors(name):
    pasted = read_pasted_prompt(PROMPTS[name])
    if pasted is not None and pasted.kind != "noted":
        assert [problem for problem in renderer.validate(pasted.body) if problem.severity == "error"] == []


@pytest.mark.parametrize("name", PROMPTS)
def test_without_an_offer_a_part_reads_the_text_as_it_is(name):
    """The rendered part is the pasted text, except for blank lines at its edges, if nothing is filled in."""
    text = PROMPTS[name]
    pasted = read_pasted_prompt(text)
    if (pasted is not None and pasted.kind != "noted") or re.search(r"\{[{%#]", text):
        return
    lines = "".join(f"    {line}\n" if line.strip() else "\n" for line in text.strip().split("\n"))
    ((_, content),) = contents(f"- name: a\n  role: user\n  content: |\n{lines}")
    assert [line.rstrip() for line in content.split("\n")] == [line.rstrip() for line in text.strip().split("\n")]


@pytest.mark.parametrize("text", ["Hi {{ größe }} and {{ имя }}.", 'Follow {"$ref": "#/x", "$schema": "y"}.'])
def test_names_of_any_language_and_keys_of_a_schema_stay_as_they_are(text):
    assert read_pasted_prompt(text) is None


def test_braces_in_a_raw_block_of_jinja_are_text_and_its_tags_stay_tags():
    offer = read_pasted_prompt("{% if name %}Dear {{ name }}{% endif %}: {% raw %}no `{{}}`, no {% x %}{% endraw %}.")
    assert (offer.kind, offer.reason) == ("literal", "")
    document = f"---\nformat: parts\n---\n{offer.body}"
    assert renderer.load(document).render({"name": "Ann"}).parts[0].content == "Dear Ann: no `{{}}`, no {% x %}."
