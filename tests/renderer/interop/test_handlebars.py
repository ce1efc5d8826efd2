"""Handlebars and Mustache become Jinja if that is exact; otherwise a message names the difference."""

import pytest

from promptuary.renderer.interop.imported import LossError
from tests.renderer.interop.imports import list_differences, read_one, render_text


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{#each items}}\n- {{this}} {{@index}}\n{{/each}}\nend", "- a 0\n- b 1\nend"),
        ("{{#each people}}{{name}} of {{../city}};{{/each}}", "Ann of Rome;Bob of Rome;"),
        ("{{#each people as |p i|}}{{i}}{{p.name}}{{city}}{{/each}}", "0AnnRome1BobRome"),
        ("{{#each map}}{{@key}}={{this}};{{/each}}", "k=v;"),
        ("{{#if flag}}yes{{else}}no{{/if}} {{#unless flag}}no{{/unless}}", "yes "),
        ("{{#if nothing}}a{{else if flag}}b{{else}}c{{/if}}", "b"),
        ("{{#with person}}{{name}}{{/with}}", "Ann"),
        ("{{! a note }}x{{!-- another }} --}}y", "xy"),
        ("a {{~#if flag~}} b {{~/if~}} c", "abc"),
        ("{{{city}}} {{person.name}}", "Rome Ann"),
    ],
)
def test_handlebars_become_jinja(text, rendered):
    data = {
        "items": ["a", "b"],
        "people": [{"name": "Ann"}, {"name": "Bob"}],
        "city": "Rome",
        "map": {"k": "v"},
        "flag": True,
        "nothing": "",
        "person": {"name": "Ann"},
    }
    assert render_text(read_one("a.hbs", text), **data) == rendered


@pytest.mark.parametrize(
    ("text", "rendered", "sentence"),
    [
        ("{{#items}}{{.}},{{/items}}", "a,b,", "`items` is a list"),
        ("{{#people}}{{name}} {{/people}}", "Ann ", "`people` is a list"),
        ("{{#flag}}yes{{/flag}}{{^flag}}no{{/flag}}", "yes", "`flag` is a condition"),
        ("{{#items}}{{.}},{{/items}} {{#flag}}yes{{/flag}}", "a,b, yes", "`flag` is a condition"),
        ("{{&city}} {{city}}", "Rome Rome", "escaped for HTML"),
    ],
)
def test_mustache_becomes_jinja_and_says_what_it_takes_a_section_for(text, rendered, sentence):
    template = read_one("a.mustache", text)
    assert render_text(template, items=["a", "b"], people=[{"name": "Ann"}], flag=True, city="Rome") == rendered
    assert sentence in list_differences(template)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{#people}}\n- {{name}}\n{{/people}}", ""),
        ("{{#items}}\n- {{name}}\n{{/items}}", "- boots\n- hat\n"),
        ("{{#items}}{{name}} for {{city}};{{/items}} {{city}}", "Ann for Rome; Rome"),
        ("{{#items}}See {{items}}{{/items}}", "See [{'name': 'boots'}, {'name': 'hat'}]"),
        ("{{#flags}}on{{/flags}}", "on"),
        ("{{#has_docs}}{{city}}{{/has_docs}}", "Rome"),
    ],
)
def test_a_pasted_section_with_names_of_its_own_is_a_loop_if_it_is_called_as_several_things(text, rendered):
    data = {"items": [{"name": "boots"}, {"name": "hat"}], "people": [], "flags": True, "has_docs": True}
    assert render_text(read_one("pasted", text), city="Rome", name="Ann", **data) == rendered


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{> header}}", "takes in another template"),
        ("{{=<% %>=}}", "delimiters"),
        ("\n{{#if a}}b", "line 2: .*never closed"),
        ("{{/if}}", "closes what is not open"),
        ("{{else}}", "outside a section"),
        ("{{upper (name}}", "neither a path of names nor a call"),
        ("{{#each a}}{{#each b}}{{../@index}}{{/each}}{{/each}}", "the counter of an outer loop"),
        ("{{#pick (a}}x{{/pick}}", "helper"),
        ("{{this}}", "outside a loop"),
    ],
)
def test_syntax_without_a_jinja_equivalent_is_refused(text, reason):
    with pytest.raises(LossError, match=reason):
        read_one("a.hbs", text)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        (
            '{{#each turns}}{{#if (eq role "user")}}Asked{{else}}Told{{/if}}: {{{content}}};{{/each}}',
            "Asked: Why?;Told: So.;",
        ),
        ("{{#if (and flag (not (gt count 3)))}}few{{/if}}", "few"),
        ("{{#if items.length}}{{items.length}}{{/if}}", "2"),
        ("{{#each items}}{{add @index 1}}. {{this}} {{/each}}", "1. a 2. b "),
        ('{{upper (lookup person "name")}}', "ANN"),
        ("{{#each items}}{{lookup ../names @index}},{{/each}}", "x,y,"),
        ('{{#ifEquals city "Rome"}}south{{else}}north{{/ifEquals}}', "south"),
        ('{{#if nothing}}a{{else ifEquals city "Rome"}}b{{else}}c{{/if}}', "b"),
        ('{{#unlessEquals city "Rome"}}north{{/unlessEquals}}', ""),
        ('{{#ifCond count "<" 3}}few{{/ifCond}}', "few"),
        ("{{#each items}}{{@root.city}}{{/each}}", "RomeRome"),
        (r"\{{kept}} {{{city}}}", "{{kept}} Rome"),
        ('{{join items ", "}}{{"."}}', "a, b."),
        ("{{#eachItem items}}{{this}}{{/eachItem}}", "ab"),
    ],
)
def test_helpers_with_a_usual_name_become_jinja(text, rendered):
    data = {
        "turns": [{"role": "user", "content": "Why?"}, {"role": "model", "content": "So."}],
        "flag": True,
        "count": 2,
        "items": ["a", "b"],
        "names": ["x", "y"],
        "person": {"name": "Ann"},
        "city": "Rome",
        "nothing": "",
    }
    assert render_text(read_one("a.hbs", text), **data) == rendered


@pytest.mark.parametrize(
    ("text", "data", "rendered", "expected_text"),
    [
        ("{{formatDate day}}", {"formatdate_day": "May 1"}, "May 1", "`formatDate day` is the input `formatdate_day`"),
        ("{{t key='a b'}}", {"t_key_a_b": "x"}, "x", "give what the helper of its program returns"),
        ("{{upper (nick who)}}", {"nick_who": "ann"}, "ANN", "`nick who` is the input `nick_who`"),
        ("{{#each a}}{{money this}};{{/each}}", {"a": [1, 2]}, "1;2;", "prints its value as it is, without the helper"),
        (
            "{{#each a}}{{money cost}};{{/each}}",
            {"a": [{"money_cost": "2 €"}]},
            "2 €;",
            "is the key `money_cost` of each item",
        ),
        (
            "{{#isLong text 9}}x{{/isLong}}",
            {"islong_text_9": True},
            "x",
            "is read as a condition for the text after it",
        ),
    ],
)
def test_calls_of_custom_helpers_become_inputs(text, data, rendered, expected_text):
    template = read_one("a.hbs", text)
    assert render_text(template, **data) == rendered
    assert expected_text in list_differences(template)


def test_a_pasted_call_in_a_call_is_handlebars():
    template = read_one("pasted", 'Dear {{upper (lookup user "name")}}')
    assert render_text(template, user={"name": "Ann"}) == "Dear ANN"
    assert "the helper `upper` is read in its usual meaning" in list_differences(template)
