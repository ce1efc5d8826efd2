"""The minimum prompt of a document: anything not refused at a save can be rendered without data."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.errors import RenderError
from promptuary.renderer.lower_bound import count_least_prompt
from tests.renderer.varied_documents import FRAGMENTS, PROFILES, data, documents
from tests.support.examples import example_count

SIXTY = "one two three four five six seven eight nine ten " * 6
BODIES = {
    "parts": "- name: a\n  content: {}",
    "text": "{}",
    "shaped": "{}",
    "prompter": "kind: chat\ninstruction: {}",
}


def least(text, **options):
    template = renderer.load(text, **options)
    return count_least_prompt(template, template.tokenizer())


def codes(text, **options):
    return [(problem.code, problem.severity) for problem in renderer.validate(text, **options)]


def document(body, front="", name="parts"):
    return f"---\nformat: {name}\n{front}---\n{body}"


@pytest.mark.parametrize("front", ["", "inputs: {}\n"])
@pytest.mark.parametrize("name", BODIES)
def test_a_prompt_that_never_fits_is_an_error_in_every_format(name, front):
    text = document(BODIES[name].format(SIXTY), f"token_limit: 10\n{front}", name)
    assert codes(text) == [("PT603", "error")]
    (problem,) = renderer.validate(text)
    assert (problem.line, problem.column) == (3, 14)


@pytest.mark.parametrize("name", BODIES)
def test_the_markup_is_counted_to_the_token(name):
    text = document(BODIES[name].format(SIXTY), "model: gpt-4o\ntoken_limit: {}\n", name)
    needed = renderer.load(text.format(1000)).render().token_count
    for limit in range(needed - 7, needed):
        assert codes(text.format(limit)) == [("PT603", "error")]
    assert codes(text.format(needed)) == []
    assert codes(text.format(needed + 5).replace("---\n", "---\nreserve: 6\n", 1)) == [("PT603", "error")]


def test_an_estimate_only_warns():
    text = document(BODIES["parts"].format(SIXTY), "model: claude-sonnet-4-5\ntoken_limit: 10\n")
    assert codes(text) == [("PT603", "warning")]


def test_the_limit_of_the_model_counts_too():
    text = document("- name: a\n  content: " + "word " * 5000, "model: mistral-7b-instruct-v0.1\nprofile: {}\n")
    small = dict(renderer.profiles.find_builtin_profile("openai-chat"), context=4000)
    assert codes(text.replace("profile: {}\n", ""), profile=small) == [("PT603", "error")]


ITEM = "- name: {}\n  content: {}\n"
COUNTED = {
    "one part": (ITEM.format("a", "one two three"), 3),
    "two parts": (ITEM.format("a", "one two") + ITEM.format("b", "three"), 3),
    "a part that may be cut": (
        ITEM.format("a", "one") + ITEM.format("b", "two three") + "  truncation_priority: 1\n",
        1,
    ),
    "a printed priority": (
        ITEM.format("a", "one") + ITEM.format("b", "two three") + "  truncation_priority: {{ n }}\n",
        1,
    ),
    "a part in an if": ("{% if x %}\n" + ITEM.format("a", "one two") + "{% endif %}\n" + ITEM.format("b", "three"), 1),
    "a part in either branch": (
        "{% if x %}\n"
        + ITEM.format("a", "one two")
        + "{% else %}\n"
        + ITEM.format("a", "one two three")
        + "{% endif %}\n",
        2,
    ),
    "parts in a loop": (
        ITEM.format("a", "one") + "{% for x in xs %}\n" + ITEM.format("b", "two") + "{% endfor %}\n",
        1,
    ),
    "the cheaper branch": (ITEM.format("a", "one {% if x %}two three{% else %}two{% endif %} four"), 3),
    "no else": (ITEM.format("a", "one{% if x %} two three{% endif %} four"), 2),
    "an else of a loop": (ITEM.format("a", "one {% for x in xs %}{{ x }}{% else %}none of all{% endfor %} four"), 3),
    "a loop in a block": (
        ITEM.format("a", "|\n    one two\n{% for x in xs %}\n    - {{ x }}\n{% endfor %}\n    three four"),
        3,
    ),
    "a loop whose rounds may say nothing": (
        ITEM.format(
            "a", "|\n    one two\n{% for x in xs %}\n{% if x %}    - {{ x }}{% endif %}\n{% endfor %}\n    three four"
        ),
        3,
    ),
    "an escape of the author's": (ITEM.format("a", '"{{ x }} one two\\u0020three"'), 3),
    "a comment of Jinja": (ITEM.format("a", "one{# two three #} four"), 2),
    "a comment of YAML": (ITEM.format("a", "one # two three"), 1),
    "raw text": (ITEM.format("a", "{% raw %}one {{ x }}{% endraw %}"), 4),
    "sections": ("- name: a\n  sections:\n  - {name: b, content: one two}\n  - {name: c, content: ' three'}\n", 4),
    "a macro": ("{% macro m(x) %}one two {{ x }}{% endmacro %}\n" + ITEM.format("a", "{{ m(1) }} three"), 2),
    "a set block": ("{% set t %}one two{% endset %}\n" + ITEM.format("a", "{{ t }} three"), 3),
    "a caller": (
        "{% macro m() %}one {{ caller() }}{% endmacro %}\n" + ITEM.format("a", "{% call m() %}two{% endcall %} x"),
        3,
    ),
    "an include": ('{% include "a/parts@1" %}\n' + ITEM.format("b", "three"), 5),
    "a fragment": (ITEM.format("a", 'one {{ fragment("a/text@1") }} two'), 5),
    "content items": ("- name: a\n  content:\n  - {type: text, text: 'one two three four'}\n", 4),
    "a shortened part without a priority": (ITEM.format("a", "one two") + "  shrink: end\n", 2),
    "a quote that is never closed": ("{% if x %}- name: a\n  content: 'b{% endif %}\n" + ITEM.format("b", "one"), 0),
    "an unknown structure": (
        "{% set ns = namespace(x='') %}{% set ns.x %}{{ x }}{% endset %}{{ ns.x }}\n" + ITEM.format("b", "one"),
        0,
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_the_certain_text_is_counted(name):
    body, wanted = COUNTED[name]
    least_tokens = least(body, fragments=FRAGMENTS)
    assert wanted - 2 <= least_tokens <= wanted
    if "{" not in body.replace("{name", "").replace("{type", ""):
        assert least_tokens == wanted


def test_a_value_between_words_costs_only_the_word_next_to_it():
    text = document(f"- name: a\n  content: Hello {{{{ x }}}}, {SIXTY}{{{{ y }}}} bye")
    assert 60 <= least(text) <= renderer.load(text).render({"x": "", "y": ""}).token_count


@settings(max_examples=example_count(0.3), suppress_health_check=list(HealthCheck))
@given(documents(), data(), st.sampled_from(PROFILES))
def test_no_data_render_what_is_found_too_long(text, values, model):
    """The bound is never above what a rendering takes, whatever the document, the data and the family."""
    text = text.replace("---\n", f"---\nmodel: {model}\n" if model else "---\n", 1)
    try:
        template = renderer.load(text, fragments=FRAGMENTS)
    except RenderError:
        return
    bound = count_least_prompt(template, template.tokenizer())
    if bound < 2:
        return
    for each in values:
        try:
            found = template.render_all(each, token_limit=bound - 1 + template.document.reserve)
        except RenderError:
            continue
        assert [prompt.token_count for prompt in found] == [], (text, each, bound)
