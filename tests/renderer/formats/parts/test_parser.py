"""The fast parser of parts gives the same result as one parse of the whole text, or defers to it."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptuary import renderer
from promptuary.renderer.formats.parts.parser import PartsParser
from promptuary.renderer.jinja import Program, Sandbox, parse_template
from tests.support.examples import example_count

scraps = st.sampled_from(
    [
        "a", "b c", "{{ v }}", "{{ w }}", "- ", "\n- ", "\n", "\n  ", "\n    ", ": ", " #", "'", '"', "|", ">", "[",
        "]", "{", "}",
        "---", "\n---\n", "\n...\n", "\\n", "\\", "<|space|>", "\t", "é", "\u2028", "\x85", "%", "!", "&", "*", "@",
        "?", "? ",
        "role: user", "name: x", "content: y", "1", "null", "yes", ",", "  - ", "|+", "|-", ">2", "{{ v }}{{ w }}",
    ]
)  # fmt: skip
words = st.lists(scraps, max_size=5).map("".join)
quoted = words.map(lambda text: "'" + text.replace("'", "''") + "'")
block = st.lists(words.map(lambda text: text.replace("\n", " ")), min_size=1, max_size=3).map(
    lambda lines: "|\n" + "\n".join("    " + line for line in lines)
)
value = st.one_of(st.sampled_from(["{{ v }}", "x", "{{ v }} and {{ w }}"]), quoted, block, words)
field = st.one_of(
    value.map(lambda text: f"  content: {text}"),
    st.sampled_from(
        [
            "  role: system",
            "  role: {{ r }}",
            "  truncation_priority: 3",
            "  truncation_priority: {{ n }}",
            "  # {{ v }}",
            "",
        ]
    ),
    words.map(lambda text: f"  {text}"),
)
item = st.tuples(value, st.lists(field, max_size=3)).map(lambda made: "\n".join([f"- name: {made[0]}", *made[1]]))
looped = item.map(lambda text: "{% for x in xs %}\n" + text + "\n{% endfor %}")
start = st.sampled_from(["", "", "", "\n", "# c {{ v }}\n", "---\n", "  ", "{% if v %}\n{% endif %}"])
end = st.sampled_from(["\n", "\n", "", "\n\n", "\n# end", "\n..."])
bodies = st.builds(
    lambda a, b, c: a + "\n".join(b) + c, start, st.lists(st.one_of(item, item, looped), min_size=1, max_size=4), end
)
values = st.sampled_from(["", " ", "text", "a: b", "x\n- name: y", "- z", "\ue000", "#", "'\"", "user", "5"])


def outcome(read):
    try:
        return read()
    except renderer.RenderError as error:
        return type(error), error.code, error.line, error.column, error.message


@settings(
    max_examples=example_count(1, torture=10_000),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(body=bodies, v=values, w=values, r=st.sampled_from(["user", "tool", "king"]), n=st.sampled_from([1, -2, "x"]))
def test_the_quick_way_equals_the_plain_way(body, v, w, r, n):
    sandbox = Sandbox({})
    try:
        parse_template(sandbox, None, body, 1)
        stream = Program(sandbox).run({"v": v, "w": w, "r": r, "n": n, "xs": [1, 2, 3]})
    except renderer.RenderError:
        return
    structure = PartsParser(sandbox)
    quick = outcome(lambda: structure.build_parts(stream, {}))
    again = outcome(lambda: structure.build_parts(stream, {}))
    plain = outcome(lambda: PartsParser(sandbox).parse_whole(stream, {}))
    if plain == []:
        assert quick[1] == "PT311"
    else:
        assert quick == again == plain
        assert repr(quick) == repr(plain)
