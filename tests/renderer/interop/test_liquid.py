"""Liquid: values and filters, conditions, loops and assignments print the same as in Liquid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.interop.pasted import read_pasted_prompt
from promptuary.renderer.interop.template_text import find_language
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

VALUES = {
    "a": "Ann b",
    "n": 3,
    "m": 7,
    "yes": True,
    "no": False,
    "e": "",
    "s": "a,b,c",
    "items": [{"t": "x"}, {"t": "y"}, {"t": "z"}],
    "words": ["b", "a", "c", "a"],
    "o": {"x": {"y": "deep"}, "list": [1, 2]},
}


# What is expected was printed by python-liquid 2.3.6.
@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("{{ a | upcase }} {{ a | downcase }} {{ e | capitalize }}{{ a.size }}", "ANN B ann b 5"),
        ("{{ a | append: '!' | prepend: \"<\" | size }}", "7"),
        ("{{ n | plus: 2 | times: 3 | minus: 1 }} {{ m | divided_by: 2 }} {{ m | modulo: 4 }}", "14 3 3"),
        ("{{ e | default: 'none' }} {{ a | default: 'none' }}", "none Ann b"),
        ("{{ words | join: ', ' }} {{ words | join }} {{ words | uniq | sort | join: '' }}", "b, a, c, a b a c a abc"),
        ("{{ words | first }}{{ words.last }} {{ words | reverse | join: '' }}", "ba acab"),
        ("{{ items | map: 't' | join: '/' }} {{ s | split: ',' | last }}", "x/y/z c"),
        ("{{ a | replace: 'n', 'm' }} {{ a | remove: 'n' }} {{ a | truncate: 4 }}", "Amm b A b A..."),
        ("{{ ' x ' | strip }}", "x"),
        ("{{ 2.6 | round }} {{ 2.2 | ceil }} {{ 2.8 | floor }} {{ -3 | abs }} {{ 2.654 | round: 2 }}", "3 3 2 3 2.65"),
        ("{% if a == 'Ann b' and n > 2 %}1{% elsif n %}2{% else %}3{% endif %}", "1"),
        ("{% if no and no or yes %}1{% else %}0{% endif %}{% if yes or no and no %}1{% endif %}", "01"),
        ("{% if a contains 'nn' %}1{% endif %}{% if words contains 'z' %}2{% else %}3{% endif %}", "13"),
        ("{% if e == blank %}b{% endif %}{% if a != empty %}c{% endif %}{% if n <> 3 %}d{% endif %}", "bc"),
        ("{% unless no %}1{% else %}2{% endunless %}{% unless yes %}1{% elsif n == 3 %}e{% endunless %}", "1e"),
        ("{% case n %} x {% when 1 %}one{% when 2, 3 %}two{% else %}many{% endcase %}", "two"),
        ("{% case a %}{% when 'z' or 'Ann b' %}A{% endcase %}", "A"),
        ("{% for i in items %}{{ forloop.index }}{{ i.t }}{% unless forloop.last %}, {% endunless %}{% endfor %}",
         "1x, 2y, 3z"),
        ("{% for i in items limit:2 offset:1 %}{{ i.t }}{% endfor %}", "yz"),
        ("{% for i in items reversed %}{{ i.t }}{{ forloop.rindex }}{% endfor %}", "z3y2x1"),
        ("{% for i in items reversed limit:2 %}{{ i.t }}{% endfor %}", "yx"),
        ("{% for i in (1..n) %}{{ i }}{% endfor %}{% for i in (1..2) reversed %}{{ i }}{% endfor %}", "12321"),
        ("{% assign q = a | upcase %}{{ q }}{% capture c %}[{{ q }}]{% endcapture %}{{ c }}", "ANN B[ANN B]"),
        ("{{ o.x.y }}{{ o['x']['y'] }}{{ o.list[1] }}{{ o.list.first }}", "deepdeep21"),
        ("x\n  {%- if yes -%}\n yes \n{%- endif %}\ny {{- n -}} z", "xyes\ny3z"),
        ("{% comment %}a {{ b }}{% endcomment %}{% raw %}{{ x }}{% if %}{% endraw %}{%# note %}!", "{{ x }}{% if %}!"),
        ("{{ \"it's \\ ok\" | append: '{x}' }}", "it's \\ ok{x}"),
    ],
)  # fmt: skip
def test_a_text_prints_what_liquid_prints(text, printed):
    assert render_text(read_one("a.liquid", text), **VALUES) == printed


@pytest.mark.parametrize(
    "text",
    [
        "Hi {{ name | default: 'friend' }}.",
        "Hi {{ name | upcase }}.",
        "{% unless paid %}Pay.{% endunless %}",
        "{% if topic contains 'tax' %}a{% endif %}",
        "{% for i in (1..3) %}{{ i }}{% endfor %}",
        "{% assign a = 1 %}{{ a }}",
    ],
)
def test_a_pasted_text_is_read_as_liquid_by_its_look(text):
    assert find_language(text) == "liquid"
    assert read_pasted_prompt(text).kind == "inputs"


@pytest.mark.parametrize(
    "text",
    [
        "{% if a or b %}{{ c|default('d') }}{% endif %}",
        "{{ {'a': 1}|tojson }} {{ x if y else z }}",
        "{% for a in b|sort(attribute='c') %}{{ loop.index }}{% endfor %}",
        "{% switch a %}{% case 1 %}b{% endswitch %}",
        "Explain {{ x }}:\n```liquid\n{% unless a %}b{% endunless %}\n```\n",
        "a || b: {{ x }}",
        "{| class: wide |}",
    ],
)
def test_other_texts_are_not(text):
    assert find_language(text) != "liquid"


def test_a_value_with_a_filter_of_its_program_becomes_an_input_that_says_what_to_give():
    template = read_one("a.txt", "On {{ 'now' | date: '%Y' }}, {{ user.name | money }} {{ x | default: 1 }}")
    assert (
        "`'now' | date: '%Y'` is the input `now_date_y`: give the text that this expression prints"
        in list_differences(template)
    )
    assert render_text(template, now_date_y="2030", user_name_money="5 €", x=2) == "On 2030, 5 € 2"


def test_different_truth_values_are_reported():
    assert "an empty text, an empty list and 0 count as no" in list_differences(
        read_one("a.liquid", "{% if a %}b{% endif %}")
    )
    assert "count as no" not in list_differences(read_one("a.liquid", "{% if a == 1 %}b{% endif %}"))


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("a\n{% render 'x' %}", "line 2: `render 'x'` is not read here"),
        ("{% if a | size > 1 %}b{% endif %}", "line 1: the condition `a | size > 1` is not read here"),
        ("{% if a %}b", "line 1: `if` has no end"),
        pytest.param(
            f"a\n{{% for b in (1..{'9' * 5000}) %}}{{% endfor %}}",
            "line 2: `99999999999999999999…` is too long for a number",
            id="range of 5,000 digits",
        ),
        ("{% comment %}b", "line 1: `comment` has no end"),
        ("a\n\n{% endif %}", "line 3: `endif` is not read here"),
        ("{% case a %}{% endcase %}", "line 1: `endcase` is not read here"),
        ("{% for a in b %}{% assign c = a %}{% endfor %}", "line 1: `assign c = a` in a loop"),
        (
            "{% for a in b %}{{ forloop.index | money }}{% endfor %}",
            "line 1: `forloop.index | money` calls code of its",
        ),
        ("{% for a in b cols:2 %}{% endfor %}", "line 1: the loop `a in b cols:2` is not read here"),
        ("{% assign a-b = 1 %}", "line 1: `assign a-b = 1` is not read here"),
        ("{{ }}", "line 1: `` is not read here"),
        ("{{ forloop.parent.index }}", "line 1: `forloop.parent.index` is not read here"),
    ],
)
def test_other_tags_stay_text_with_the_line_that_says_why(text, expected_text):
    pasted = read_pasted_prompt(f"{text}{{% unless x %}}y{{% endunless %}}")
    assert pasted.kind == "literal"
    assert pasted.reason.startswith(expected_text)


def test_a_prompt_of_semantic_kernel_in_liquid_is_read():
    template = read_one(
        "a.yaml",
        {
            "template": '<message role="system">Help {{ name | upcase }}.</message>',
            "template_format": "liquid",
            "input_variables": [{"name": "name"}],
        },
    )
    assert render_messages(template, name="Ann") == [("system", "Help ANN.")]


@given(
    st.lists(
        st.sampled_from(["{{ a | append: '!' }}", "{{b}}", "\n", " ", "{x}", "%}", '"', "'", "{", "| c: ", "# "]),
        min_size=1,
    ).map("".join)
)
def test_a_text_with_values_alone_keeps_all_that_is_around_them(text):
    expected = text.replace("{{ a | append: '!' }}", "‹a›!").replace("{{b}}", "‹b›")
    if expected.strip() and "{{" not in expected and "{%" not in expected and "{{{" not in text:
        assert render_text(read_one("a.liquid", text), a="‹a›", b="‹b›") == expected


@given(st.text(st.sampled_from("{}%|:'\"-. ab1()[]=<\n")).map(lambda text: "{% unless a %}" + text))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    pasted = read_pasted_prompt(text)
    assert pasted is None or pasted.kind in ("inputs", "literal", "edges", "noted")
