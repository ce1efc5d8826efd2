"""What a template can't access, and limits on its output."""

import pytest

from promptuary import renderer

REACHING = [
    "{{ ''.__class__ }}",
    "{{ ''.__class__.__mro__ }}",
    "{{ ''['__class__'] }}",
    "{{ v.__init__ }}",
    "{{ v | attr('x') }}",
    "{{ cycler.__init__.__globals__ }}",
    "{{ joiner.__init__ }}",
    "{{ namespace.__init__ }}",
    "{{ range.__class__ }}",
    "{{ self.__init__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ '{0.__class__}'.format(v) }}",
    "{{ '{0.__class__}'.format_map({'0': v}) }}",
    "{% set f = '{0.__class__}'.format %}{{ f(v) }}",
    "{{ v | map(attribute='__class__') | list }}",
    "{{ [v] | map(attribute='__class__') | list }}",
    "{{ [v] | groupby('__class__') }}",
    "{{ [v] | sum(attribute='__class__') }}",
    "{{ ().__class__.__base__.__subclasses__() }}",
    "{{ fragment.__globals__ }}",
    "{{ fragment.__wrapped__ }}",
    "{{ join.__globals__ }}",
    "{{ escape_special_characters.__globals__ }}",
    "{% macro m() %}{% endmacro %}{{ m._func }}",
    "{% macro m() %}{% endmacro %}{{ m.__call__.__globals__ }}",
    "{% for x in [1] %}{{ loop._iterator.gi_frame }}{% endfor %}",
    "{% set c %}x{% endset %}{{ c.pieces }}",
    "{{ l.append(1) }}",
    "{{ l.clear() }}",
    "{{ d.update(a=1) }}",
    "{{ d.pop('k') }}",
    "{{ lipsum() }}",
    "{{ config }}",
    "{{ request }}",
    "{{ open('/etc/passwd').read() }}",
    "{{ __import__('os') }}",
    "{% set ns = namespace() %}{% set ns.__class__ = 1 %}{{ ns.__class__ }}",
]


@pytest.mark.parametrize("expression", REACHING)
def test_a_template_reaches_nothing_but_its_data(expression):
    with pytest.raises(renderer.RenderError):
        renderer.load("- name: a\n  content: |\n    " + expression + "\n").render({"v": "x", "l": [1], "d": {"k": 1}})


def test_data_are_not_changed_by_rendering():
    data = {"l": [1], "d": {"k": 1}}
    text = "{% set x = l + [2] %}{% set y = dict(d, z=1) %}- name: a\n  content: '{{ x | length }}{{ y | length }}'\n"
    assert renderer.load(text).render(data).text == "22"
    assert data == {"l": [1], "d": {"k": 1}}


GROWING = [
    "{{ 9 ** 99999 }}",
    "{{ n ** (n ** 9) }}",
    "{{ 'a' * 10 ** 9 }}",
    "{{ v * n ** 5 }}",
    "{{ [0] * 10 ** 9 }}",
    "{{ n ** 5 * v }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '%*d' % (999999999, 1) }}",
    "{{ '%0999999d' | format(1) }}",
    "{{ 'a' | center(99999999) }}",
    "{{ v | indent(9999999) }}",
    "{{ [1] | batch(99999999) | list }}",
    "{{ [1] | slice(99999999) | list }}",
    "{{ ('a' * 40000) | replace('a', 'a' * 4000) }}",
    "{{ range(99999999) | list }}",
    "{{ v | tojson(indent=99999) }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m() %}{{ m() ~ m() }}{% endmacro %}{{ m() }}",
]


@pytest.mark.parametrize("expression", GROWING)
@pytest.mark.timeout(20)
def test_much_out_of_little_is_refused_immediately(expression):
    with pytest.raises(renderer.RenderError):
        renderer.load("- name: a\n  content: |\n    " + expression + "\n").render({"v": "x", "n": 99})


@pytest.mark.parametrize(
    "expression",
    ["{{ 2 ** 10 }}", "{{ '-' * 20 }}", "{{ '%05.1f' % 1.5 }}", "{{ v | center(20) }}",
        "{{ range(50) | batch(10) | list | length }}",
     "{{ 'ab' | replace('a', 'xyz') }}", "{{ v | indent(2, first=true) }}", "{{ '{:>5}'.format(v) }}", "{{ n % 7 }}",
     "{{ [1, 2] + [3] }}"],
)  # fmt: skip
def test_ordinary_use_is_not_in_the_way(expression):
    assert renderer.load("- name: a\n  content: |\n    " + expression + "\n").render({"v": "x", "n": 99}).text


@pytest.mark.parametrize("name", ["items", "keys", "values", "get", "pieces", "marks", "format", "split"])
def test_any_key_of_a_mapping_can_be_read(name):
    assert renderer.load("- name: a\n  content: {{ d." + name + " }}\n").render({"d": {name: "x"}}).text == "x"


@pytest.mark.parametrize(
    "thing",
    [
        "{{ m }}",
        "{{ loop }}",
        "{{ d.items() }}",
        "{{ d.items }}",
        "{{ range }}",
        "{{ [1] | map('string') }}",
        "{{ namespace(a=1) }}",
        "{{ fragment }}",
    ],
)
def test_objects_without_a_text_form_cannot_be_printed(thing):
    text = "{% macro m() %}{% endmacro %}{% for x in [1] %}\n- name: a\n  content: " + thing + "\n{% endfor %}"
    with pytest.raises(renderer.RenderError):
        renderer.load(text).render({"d": {"k": 1}})


@pytest.mark.parametrize(
    "tag",
    ["{% autoescape true %}x{% endautoescape %}", "{% include 'a/b@1' without context %}", "{% extends 'a/b@1' %}"],
)
def test_tags_that_are_not_taken(tag):
    with pytest.raises(renderer.DocumentError) as caught:
        renderer.load("- name: a\n  content: " + tag + "\n", fragments={"a/b@1": "- name: a\n  content: b\n"})
    assert caught.value.code == "PT204"
