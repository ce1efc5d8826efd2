"""Untrusted inputs are refused in system parts, however they get there."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from promptuary import renderer

FRONT = (
    "---\ninputs:\n  q: {type: string, untrusted: true}\n"
    "  docs: {type: array, items: {type: string, untrusted: true}, default: [d]}\n"
    "  who: {type: string, default: Ada}\n  role: {type: string, default: user}\n---\n"
)
SYSTEM = "- name: s\n  role: system\n  content: |\n    "
USER = "- name: u\n  content: |\n    "


def codes(body, fragments=None):
    return [
        (p.code, p.line, p.variable) for p in renderer.validate(FRONT + body, fragments=fragments) if p.code == "PT408"
    ]


def rendered(body, fragments=None, **data):
    return renderer.load(FRONT + body, fragments=fragments).render({"q": "hi", **data})


REACHING = {
    "plain": "{{ q }}",
    "a filter": "{{ q | upper }}",
    "an attribute": "{{ q.x | default(q) }}",
    "a method": "{{ q.upper() }}",
    "a loop": "{% for d in docs %}{{ d }}{% endfor %}",
    "a loop's items": "{% for k, v in {'a': q}.items() %}{{ v }}{% endfor %}",
    "the item before": "{% for d in docs %}{{ loop.previtem | default('') }}{% endfor %}",
    "a set": "{% set x = q ~ '!' %}{{ x }}",
    "a set block": "{% set x %}say {{ q }}{% endset %}{{ x | trim }}",
    "a set block printed": "{% set x %}say {{ q }}{% endset %}{{ x }}",
    "a set in a branch": "{% if who %}{% set x = q %}{% endif %}{{ x | default('') }}",
    "a namespace": "{% set ns = namespace(t='') %}{% for d in docs %}{% set ns.t = ns.t ~ d %}{% endfor %}{{ ns.t }}",
    "with": "{% with x = q %}{{ x }}{% endwith %}",
    "a macro's argument": "{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(q) }}",
    "a macro's default": "{% macro m(x=q) %}<{{ x }}>{% endmacro %}{{ m() }}",
    "a macro's own use": "{% macro m() %}<{{ q }}>{% endmacro %}{{ m() }}",
    "a macro under another name": "{% macro m(x) %}<{{ x }}>{% endmacro %}{% set f = m %}{{ f(q) }}",
    "a macro set in a variable": "{% macro m(x) %}<{{ x }}>{% endmacro %}{% set y = m(q) %}{{ y | upper }}",
    "a caller": "{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}{{ q }}{% endcall %}",
    "a filter block": "{% filter upper %}{{ q }}{% endfilter %}",
    "a condition's branch": "{{ q if who else who }}",
    "a list": "{{ [q, who] | join(' ') }}",
    "a formatted text": "{{ '%s' % q }}",
    "a join": "{{ docs | join(', ') }}",
    "a slice": "{{ q[:3] }}",
    "a block": "{% block b %}{{ q }}{% endblock %}",
    "a block printed again": "{% set x %}{% block b %}{{ q }}{% endblock %}{% endset %}{{ self.b() }}",
    "a set block's filter": "{% set x | replace('x', q) %}x{% endset %}{{ x }}",
    "a namespace by another name": "{% set ns = namespace(t='') %}{% set o = ns %}{% set o.t = q %}{{ ns.t }}",
    "a namespace in a namespace": (
        "{% set ns = namespace(a=namespace(t='')) %}{% set o = ns.a %}{% set o.t = q %}{{ ns.a.t }}"
    ),
    "a namespace in a list": "{% set ns = namespace(t='') %}{% for o in [ns] %}{% set o.t = q %}{% endfor %}{{ ns.t }}",
    "a namespace in a mapping": (
        "{% set ns = namespace(t='') %}{% set m = {'n': ns} %}{% set o = m.n %}{% set o.t = q %}{{ ns.t }}"
    ),
    "a namespace with with": "{% set ns = namespace(t='') %}{% with o = ns %}{% set o.t = q %}{% endwith %}{{ ns.t }}",
    "a namespace given to a macro": (
        "{% macro m(o, x) %}{% set o.t = x %}{% endmacro %}{% set ns = namespace(t='') %}{{ m(ns, q) }}{{ ns.t }}"
    ),
    "a namespace given to a caller": (
        "{% set ns = namespace(t='') %}{% macro m() %}{{ caller(ns) }}{% endmacro %}{% call(o) m() %}"
        "{% set o.t = q %}{% endcall %}{{ ns.t }}"
    ),
}


@pytest.mark.parametrize("way", REACHING)
def test_an_untrusted_value_in_a_system_part_is_refused_at_save(way):
    found = codes(SYSTEM + REACHING[way] + "\n")
    assert found
    assert found[0][2] in ("q", "docs")


@pytest.mark.parametrize("way", REACHING)
def test_the_same_is_refused_when_rendered(way):
    with pytest.raises(renderer.InputError, match="may not use the untrusted input") as caught:
        rendered(SYSTEM + REACHING[way] + "\n", docs=["a", "b"])
    assert caught.value.code == "PT408"


@pytest.mark.parametrize("way", REACHING)
def test_a_user_part_may_hold_it(way):
    assert codes(SYSTEM + "be kind\n" + USER + REACHING[way] + "\n") == []
    assert rendered(SYSTEM + "be kind\n" + USER + REACHING[way] + "\n", docs=["a", "b"]).parts


@pytest.mark.parametrize(
    "expression",
    ["{{ docs | length }}", "{{ q is defined }}", "{{ 'a' if q else 'b' }}", "{% if q %}x{% endif %}", "{{ who }}",
     "{% for d in docs %}{{ loop.index }}{% endfor %}", "{% for d in docs %}{{ who }}{% endfor %}"],
)  # fmt: skip
def test_expressions_that_print_no_untrusted_text_are_allowed(expression):
    assert codes(SYSTEM + expression + "\n") == []
    assert rendered(SYSTEM + expression + "\n").parts


def test_a_role_from_a_value_is_checked_when_rendered_only():
    body = "- name: s\n  role: {{ role }}\n  content: {{ q }}\n"
    assert codes(body) == []
    assert rendered(body).parts
    with pytest.raises(renderer.InputError, match="untrusted"):
        rendered(body, role="system")


def test_a_developer_part_counts_as_system():
    assert codes(SYSTEM.replace("system", "developer") + "{{ q }}\n")


def test_an_untrusted_value_may_be_in_the_name():
    assert codes("- name: {{ q }}\n  role: system\n  content: x\n") == []


def test_a_fragment_is_looked_into():
    fragments = {"a/b@1": "---\nformat: text\n---\nsay {{ q }}", "a/c@1": "---\nformat: text\n---\nnothing\n"}
    assert codes(SYSTEM + '{{ fragment("a/b@1") }}\n', fragments)
    assert codes(SYSTEM + '{{ fragment("a/c@1") }}\n', fragments) == []
    with pytest.raises(renderer.InputError, match="untrusted"):
        rendered(SYSTEM + '{{ fragment("a/b@1") }}\n', fragments)


def test_an_included_system_part_is_looked_into():
    fragments = {"a/b@1": SYSTEM + "{{ q }}\n"}
    assert codes('{% include "a/b@1" %}\n', fragments) == [("PT408", 8, "q")]


def test_a_part_of_a_loop_is_checked_by_its_own_role():
    body = (
        "{% for d in docs %}\n- name: s\n  role: system\n  content: kind\n- name: u\n  content: {{ d }}\n{% endfor %}"
    )
    assert codes(body) == []


def test_flow_form_is_checked():
    assert codes("- {name: s, role: system, content: '{{ q }}'}\n")


def test_the_problem_says_which_input_and_where():
    (problem,) = [p for p in renderer.validate(FRONT + SYSTEM + "{% set x = q %}{{ x }}\n") if p.code == "PT408"]
    assert "`q`" in problem.message
    assert (problem.line, problem.column) == (11, 20)


def test_content_items_are_looked_into():
    body = "- name: s\n  role: {{ role }}\n  content: [{type: text, text: '{{ q }}'}]\n"
    assert codes(body.replace("{{ role }}", "system"))
    assert rendered(body).parts[0].spans == ()
    with pytest.raises(renderer.InputError, match="untrusted"):
        rendered(body, role="system")


def test_many_threads_may_share_a_template():
    template = renderer.load(FRONT + "{% for d in docs %}\n- name: u\n  content: {{ d }} {{ q }}\n{% endfor %}")

    def render(number):
        docs = [f"{number}.{index}" for index in range(number % 7 + 1)]
        return template.render({"q": str(number), "docs": docs}).text == "".join(f"{doc} {number}" for doc in docs)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(render, range(200)))


@pytest.mark.parametrize(
    "body",
    [
        "[{name: s, role: system, content: '{{ q }}'}]",
        "[{name: u, content: '{{ q }}'}, {name: s, role: developer, content: 'x {{ q }}'}]",
        "{% if who %}[{name: s, 'role': system, content: '{{ q }}'}{% endif %}]",
    ],
)
def test_a_list_in_brackets_is_read_too(body):
    assert [code for code, _, _ in codes(body)] == ["PT408"]


def test_a_namespace_that_holds_nothing_untrusted_is_free():
    text = "{% set ns = namespace(n=0) %}{% for d in docs %}{% set ns.n = loop.index %}{% endfor %}"
    assert codes(text + SYSTEM + "{{ ns.n }} {{ who }}\n" + USER + "{{ q }}\n") == []


@pytest.mark.parametrize(
    "body",
    [
        "- {name: s, role: system, content: '{{ q }}'}\n",
        "- name: s\n  role: {{ 'system' }}\n  content: |\n    role: system\n    {{ q }}\n",
    ],
)
def test_a_role_that_is_not_on_a_line_of_its_own_has_no_fix(body):
    assert all(problem.fix is None for problem in renderer.validate(FRONT + body) if problem.code == "PT408")
