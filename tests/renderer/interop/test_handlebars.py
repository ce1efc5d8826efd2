"""Handlebars and Mustache become Jinja if that is exact; otherwise a message names the difference."""

import pytest

from promptuary.renderer.interop.imported import LossError
from tests.renderer.interop.imports import read_one, sentences, text_of


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
    assert text_of(read_one("a.hbs", text), **data) == rendered


@pytest.mark.parametrize(
    ("text", "rendered", "sentence"),
    [
        ("{{#items}}{{.}},{{/items}}", "a,b,", "`items` is a list"),
        ("{{#people}}{{name}} {{/people}}", "Ann ", "`people` is a list"),
        ("{{#flag}}yes{{/flag}}{{^flag}}no{{/flag}}", "yes", "`flag` is a condition"),
        ("{{&city}} {{city}}", "Rome Rome", "escaped for HTML"),
    ],
)
def test_mustache_becomes_jinja_and_says_what_it_takes_a_section_for(text, rendered, sentence):
    template = read_one("a.mustache", text)
    assert text_of(template, items=["a", "b"], people=[{"name": "Ann"}], flag=True, city="Rome") == rendered
    assert sentence in sentences(template)


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
    assert text_of(read_one("pasted", text), city="Rome", name="Ann", **data) == rendered


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{> header}}", "takes in another template"),
        ("{{=<% %>=}}", "delimiters"),
        ("\n{{#if a}}b", "line 2: .*never closed"),
        ("{{/if}}", "closes what is not open"),
        ("{{else}}", "outside a section"),
        ("{{upper name}}", "helper"),
        ("{{#custom a b}}x{{/custom}}", "helper"),
        ("{{this}}", "outside a loop"),
    ],
)
def test_what_jinja_cannot_say_is_refused(text, reason):
    with pytest.raises(LossError, match=reason):
        read_one("a.hbs", text)
