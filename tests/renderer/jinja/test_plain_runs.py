"""Plain runs: a long stretch of text and names yields what Jinja's code for each piece yields."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import TemplateSyntaxError, UndefinedError

from promptuary import renderer
from promptuary.renderer.errors import DocumentError, InputError
from promptuary.renderer.jinja import Program, Sandbox, parse_template

LONG = "".join(f"text {number} {{{{ {name} }}}} " for number, name in enumerate("abacabadab"))
DATA = {"a": "A", "b": "<b>", "c": [1, "x"], "d": None, "s": "seen", "xs": ["x", "y"]}

BODIES = (
    LONG,
    "{{ a }}" * 8,
    "{{ a }}" * 7,
    "text",
    LONG + "{{ a | upper }} {{ c[0] }} " + LONG,
    "{% for x in xs %}{{ x }}{{ loop }}" + LONG.replace("a }}", "x }}") + "{% endfor %}",
    "{% if a %}" + LONG + "{% elif b %}" + LONG + "{% else %}" + LONG + "{% endif %}",
    "{% macro m(a) %}"
    + LONG
    + "{{ caller() if caller }}{% endmacro %}{{ m(1) }}{% call m(b) %}"
    + LONG
    + "{% endcall %}",
    "{% set t %}" + LONG + "{% endset %}{{ t }}{{ t | upper }}",
    "{% filter upper %}" + LONG + "{% endfilter %}",
    "{% set a = 'new' %}" + LONG + "{% set b = a ~ '!' %}" + LONG,
    "{% with a = 5 %}" + LONG + "{% endwith %}" + LONG,
    "{% block x %}" + LONG + "{% endblock %}{{ self.x() }}",
    "{% for x in xs recursive %}" + LONG + "{{ loop(xs[:0]) }}{% else %}" + LONG + "{% endfor %}",
    LONG + "{{ gone }}" + LONG,
    "{{ gone }}" * 9,
)
PIECES = (
    *("{{ a }}", "{{ b }}", "{{ c }}", "{{ d }}", "{{ s }}", "{{ x }}", "words ", "\n"),
    *("{% set a %}", "{% endset %}", "{% for x in xs %}", "{% endfor %}", "{% if c %}", "{% endif %}"),
)


def run_both(body: str) -> tuple[Any, Any]:
    """What the program and Jinja's code without runs do with the body: pieces, literals, sites and printed names."""
    results = []
    for is_collapsed in (True, False):
        sandbox = Sandbox({})
        unit = parse_template(sandbox, None, body, 1)
        if is_collapsed:
            Program(sandbox)
            template = unit.template
            assert template is not None
        else:
            code = sandbox.compile(unit.tree, "", "<template>")
            template = sandbox.template_class.from_code(sandbox, code, sandbox.globals)
        try:
            pieces: Any = list(map(plain, template.root_render_func(template.new_context(DATA))))
        except UndefinedError as error:
            pieces = str(error)
        literals = [(literal.text, literal.origins, literal.item_lines) for literal in sandbox.literals]
        results.append((pieces, literals, sandbox.sites, sandbox.ordinary))
    return results[0], results[1]


def plain(piece: Any) -> Any:
    """A piece in a form that compares by content."""
    if not isinstance(piece, tuple):
        return piece
    site, value = piece
    return site, type(value).__name__, getattr(value, "pieces", None) or getattr(value, "_undefined_name", str(value))


@pytest.mark.parametrize("body", BODIES)
def test_the_pieces_are_those_of_jinjas_code(body: str) -> None:
    collapsed, each = run_both(body)
    assert collapsed == each


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_the_pieces_of_any_body_are_those_of_jinjas_code(body: str) -> None:
    try:
        collapsed, each = run_both(body)
    except (DocumentError, TemplateSyntaxError):
        return
    assert collapsed == each


def test_a_missing_name_of_a_run_is_reported_at_its_place() -> None:
    text = "---\nformat: text\n---\n" + "a {{ a }}\n" * 9 + "b {{ gone }}\n"
    with pytest.raises(InputError) as raised:
        renderer.load(text).render({"a": 1})
    assert (raised.value.place.line, raised.value.place.column, raised.value.variable) == (13, 3, "gone")


def test_a_long_run_takes_one_line_of_code() -> None:
    sandbox = Sandbox({})
    unit = parse_template(sandbox, None, "{{ a }} and " * 500, 1)
    Program(sandbox)
    assert unit.template is not None
    assert len(unit.template.debug_info) == 1
    assert len(unit.find_all(type(unit.tree.body[0]))) == 1, "the parsed tree is left as it is"
