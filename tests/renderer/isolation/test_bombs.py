"""Templates that amplify small inputs are bounded wherever they are rendered, even in a service's own process."""

import re
import resource
import time

import pytest

from promptuary import renderer
from promptuary.renderer import RenderError
from promptuary.renderer.errors import LimitError

WIDE = 900_000_000
LINE = 4
BOMBS = {
    "percent by key": f"{{{{ '%(a){WIDE}d' % {{'a': 1}} }}}}",
    "percent by nested key": f"{{{{ '%(a(b)){WIDE}d' % {{'a(b)': 1}} }}}}",
    "percent": f"{{{{ '%{WIDE}d' % 1 }}}}",
    "percent precision": f"{{{{ '%.{WIDE}f' % 1 }}}}",
    "percent star": "{{ '%*d' % (900000000, 1) }}",
    "percent star by name": "{{ w % (900000000, 1) }}",
    "percent filter": f"{{{{ '%0{WIDE}d' | format(1) }}}}",
    "percent many": "{% set t = '%(a)s' * 10000 %}{{ t % {'a': 'x' * 10000} }}",
    "format": f"{{{{ '{{:{WIDE}}}'.format(1) }}}}",
    "format nested": "{{ '{:{w}}'.format(1, w=900000000) }}",
    "format precision": f"{{{{ '{{:.{WIDE}f}}'.format(1.5) }}}}",
    "format_map": f"{{{{ '{{a:{WIDE}}}'.format_map({{'a': 1}}) }}}}",
    "format many": "{% set t = '{0}' * 10000 %}{{ t.format('x' * 10000) }}",
    "format repr": "{% set t = '{0!r}' * 10000 %}{{ t.format('x' * 10000) }}",
    **{name: f"{{{{ 'a'.{name}({WIDE}) }}}}" for name in ("ljust", "rjust", "center", "zfill")},
    "ljust by name": "{% set n = 9 * 100000000 %}{{ 'a'.ljust(n) }}",
    "fill by attribute": "{{ ['a'] | map('center', 900000000) | list }}",
    "expandtabs": f"{{{{ '\t'.expandtabs({WIDE}) }}}}",
    "expandtabs by keyword": f"{{{{ '\t'.expandtabs(tabsize={WIDE}) }}}}",
    "tabs": "{{ ('\t' * 10000).expandtabs(1000) }}",
    "join": "{{ ('x' * 10000).join('a' * 10000) }}{{ ('x' * 10000).join(['a'] * 10000) }}",
    "join filter": "{{ (['a'] * 10000) | join('x' * 10000) }}",
    "replace": "{{ ('a' * 10000).replace('a', 'x' * 10000) }}",
    "replace filter": "{{ ('a' * 10000) | replace('a', 'x' * 10000) }}",
    "translate": "{{ ('a' * 10000).translate({97: 'x' * 10000}) }}",
    "to_bytes": f"{{{{ (5).to_bytes({WIDE}, 'big') | length }}}}",
    "bytes": f"{{{{ 'a'.encode().ljust({WIDE}) | length }}}}",
    "tilde": (
        "{% set n = namespace(t='aaaaaaaa') %}{% for i in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}{{ n.t }}"
    ),
    "plus": (
        "{% set n = namespace(t='aaaaaaaa') %}{% for i in range(60) %}{% set n.t = n.t + n.t %}{% endfor %}{{ n.t }}"
    ),
    "lists": "{% set n = namespace(t=[1]) %}{% for i in range(60) %}{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t }}",
    "lists joined": (
        "{% set n = namespace(t=[1]) %}{% for i in range(60) %}{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t ~ '' }}"
    ),
    "lists as json": (
        "{% set n = namespace(t=[1]) %}{% for i in range(60) %}{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t | tojson }}"
    ),
    "lists as text": (
        "{% set n = namespace(t=[1]) %}{% for i in range(60) %}{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t | string }}"
    ),
    "lists upper": (
        "{% set n = namespace(t=[1]) %}{% for i in range(60) %}{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t | upper }}"
    ),
    "lists by format": (
        "{% set n = namespace(t=[1]) %}{% for i in range(60) %}{% set n.t = [n.t, n.t] %}{% endfor %}"
        "{{ '%s' % (n.t,) }}"
    ),
    "captured": "{% set x %}aaaaaaaa{% endset %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40 + "{{ x }}",
    "captured nothing": "{% set x %}{{ '' }}{% endset %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 40 + "{{ x }}",
    "json indent": "{{ (['a', []] * 10000) | tojson(64) }}{{ [(['a', []] * 10000)] * 100 | tojson(64) }}",
    "round": "{{ 1.5 | round(100000000, 'ceil') }}",
    "round down": "{{ 5 | round(-100000000) }}",
    "round by name": "{% set n = 1000 * 1000000 %}{{ 5 | round(n, 'floor') }}",
    "wordwrap": "{{ ('a' * 10000 * 300) | wordwrap(1) }}",
    "indent": "{{ ('\\n' * 10000 * 30) | indent(64) }}{{ q | indent(64) }}",
    "striptags": "{{ ('<!--x-->' * 10000 * 40) | striptags }}",
    "output": "{% for i in range(100000) %}{{ 'x' * 10000 }}{% endfor %}",
    "literals": "{% for i in range(100000) %}" + "x" * 1000 + "{% endfor %}",
    "power": "{{ n ** n ** n }}",
}
DATA = {"w": "%*d", "q": "\n" * 1_000_000, "n": 10_000}


def document(body):
    return f"---\nformat: text\n---\n{body}\n"


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_with_a_typed_error_that_names_its_line(name):
    template = renderer.load(document(BOMBS[name]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    with pytest.raises(RenderError) as caught:
        template.render(DATA)
    assert time.process_time() - began < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB
    assert caught.value.line == LINE


@pytest.mark.parametrize(
    "name", ["percent by key", "percent filter", "format", "format precision", "ljust", "zfill", "expandtabs", "round"]
)
def test_a_width_that_is_written_out_is_refused_at_a_save(name):
    problems = renderer.validate(document(BOMBS[name]))
    assert ("PT202", "error", LINE) in [(problem.code, problem.severity, problem.line) for problem in problems]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("{{ '%(year2024)s|%5.2f' % {'year2024': 'y'} if false else 'x' }}", "x"),
        ("{{ '%(year2024)s' % {'year2024': 'y'} }}", "y"),
        ("{{ '%5.2f|%-4s|%%' % (1.5, 'a') }}", " 1.50|a   |%"),
        ("{{ '{0:>5}|{a[b]}|{0!r}'.format('x', a={'b': 2}) }}", "    x|2|'x'"),
        ("{{ '{a}'.format_map({'a': 1}) }}", "1"),
        ("{{ 'a'.ljust(3) ~ '|' ~ 'a'.center(3) ~ '|' ~ '5'.zfill(3) }}", "a  | a |005"),
        ("{{ ', '.join(['a', 'b']) }}{{ [1, [2], none] | join('-') }}", "a, b1-[2]-None"),
        ("{{ 'aXb'.replace('X', '--') }}{{ 'a\tb'.expandtabs(4) }}", "a--ba   b"),
        ("{{ [[1], [2, 3]] | sum(start=[]) }}{{ [1, 2] | sum }}", "[1, 2, 3]3"),
        ("{{ 2.345 | round(2) }}{{ 7 | round(-1) | int }}", "2.3510"),
        ("{{ 'one two' | wordwrap(3) }}", "one\ntwo"),
        ("{{ '<b>x</b>' | striptags }}{{ {'b': 1, 'a': [true]} | tojson }}", 'x{"a": [true], "b": 1}'),
        ("{{ 'year 20240101'.format() }}", "year 20240101"),
    ],
)
def test_ordinary_formats_and_methods_work_as_they_did(body, text):
    assert renderer.load(document(body)).render({}).text.rstrip("\n") == text


FUNCTIONS = [
    "[range]",
    "{'a': range}",
    "{range: 1}",
    "[[cycler('a')]]",
    "(range, 1)",
    "[m]",
    "[namespace(a=1)]",
    "[{}.keys()]",
    "[d.items]",
    "[joiner(',')]",
]


@pytest.mark.parametrize("value", FUNCTIONS)
@pytest.mark.parametrize(
    "use",
    [
        "{{ V }}",
        "{{ V | string }}",
        "{{ V | tojson }}",
        "{{ 'a' ~ V }}",
        "{{ '%s' % (V,) }}",
        "{{ '%s' | format(V) }}",
        "{{ '{}'.format(V) }}",
        "{{ '{!r}'.format(V) }}",
        "{{ [V] | join(',') }}",
        "{{ [V] | map('string') | list }}",
        "{{ V | upper }}",
        "{{ V | replace('a', 'b') }}",
        "{{ 'a' | replace('a', V) }}",
        "{{ ['a'] | map('replace', 'a', V) | list }}",
        "{{ V | trim }}",
        "{{ V | e }}",
        "{{ V | center }}",
        "{{ V | indent }}",
        "{{ str(V) }}",
        "{{ join([{'content': V}], ' ') }}",
        "{% set x %}{{ V }}{% endset %}{{ x }}",
    ],
)
def test_no_function_or_object_prints_an_address_from_inside_a_container(value, use):
    body = "{% macro m() %}{% endmacro %}{% set d = {'a': 1} %}" + use.replace("V", value)
    with pytest.raises(RenderError) as caught:
        renderer.load(document(body)).render({})
    assert not re.search("0x[0-9a-f]{4}", str(caught.value))
    assert caught.value.line == LINE


def test_the_error_names_the_function():
    with pytest.raises(RenderError, match=r"a value that contains a function `safe_range`"):
        renderer.load(document("{{ [range] }}")).render({})


def test_an_error_names_the_method_that_may_not_be_called_and_no_address():
    with pytest.raises(RenderError) as caught:
        renderer.load(document("{{ 'a'.format.__call__() }}")).render({})
    assert "0x" not in str(caught.value)


def test_a_prompt_may_have_so_many_characters_and_no_more():
    body = "{% for i in range(n) %}{{ words }}{% endfor %}"
    template = renderer.load(document(body))
    (parts,) = template.body.build_parts({"n": 70, "words": "some words " * 9_000})
    assert len(parts[0].content) > 6_000_000
    with pytest.raises(LimitError, match="8,000,000"):
        template.render({"n": 90, "words": "some words " * 9_000})
