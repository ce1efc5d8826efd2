"""Random documents of every format with data: the contents of valid and unusual templates."""

from hypothesis import strategies as st

FRAGMENTS = {
    "a/text@1": "---\nformat: text\n---\nsome kept words\n",
    "a/parts@1": "- name: f\n  content: shared words\n",
}
PROFILES = (
    "",
    "gpt-4o",
    "qwen2.5-7b-instruct",
    "mistral-7b-instruct-v0.1",
    "mistral-large-latest",
    "deepseek-chat",
    "phi-4",
)

WORDS = st.sampled_from(
    [
        "one", "two three", "don't", "Straße", "e", "\u0301", "日本", "🙂", " ", "  ", "x, y.", "1234", "’s", "ing",
        "tion",
        "<|space|>", "a: b", "- c", "“quoted”", "end.", "A", "_", "#5", " # c", "\\n",
    ]
)  # fmt: skip
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map("".join)
VALUES = st.lists(
    st.sampled_from(
        ["", " ", "\n", "a", "ing", "'s", "\u0301", " the", "\u3000", "1", "123", "'", '"', "x y z", "\t", "日", "- n"]
    ),
    max_size=3,
).map("".join)


_SIMPLE = st.sampled_from(
    [
        "{{ a }}", "{{ b }}", "{{ n }}", "{{- a }}", "{{ b -}}", "{{ a | upper }}", "{# no #}",
        "{% raw %}{{ r }}{% endraw %}",
        "{% set z = a %}", "{{ z }}", "{{ m(a) }}", "{{ t1 }}", "{{ m(t1) }}", "{% call m(a) %}c{% endcall %}",
        '{{ fragment("a/text@1") }}', '{{ fragment("a/parts@1") }}', "{% for x in xs %}{{ x }}, {% endfor %}",
    ]
)  # fmt: skip
_AROUND = (
    "{{% if t %}}{0}{{% endif %}}",
    "{{% if a == 'a' %}}{0}{{% elif t %}}{1}{{% else %}}{2}{{% endif %}}",
    "{{% for x in xs %}}{0}{{{{ x }}}}{{% endfor %}}",
    "{{% for x in xs %}}{0}{{{{ x }}}}{{% else %}}{1}{{% endfor %}}",
    "{{% filter upper %}}{0}{{% endfilter %}}",
    "{{% filter safe %}}{0}{{% endfilter %}}",
    "{{% with w = a %}}{{{{ w }}}}{0}{{% endwith %}}",
    "{{% with w = t1 %}}{{{{ w }}}}{0}{{% endwith %}}",
    "{{% if t %}}{{% set t2 %}}{0}{{% endset %}}{{{{ t2 }}}}{{% endif %}}",
)
_LINES = (
    "\n{line}",
    "\n{line}  ",
    "\n\n{line}",
    "\n{{% for x in xs %}}\n{line}{0}\n{{% endfor %}}\n{line}",
    "\n{{% for x in xs %}}\n{line}{{% if x %}}{0}{{% endif %}}\n{{% endfor %}}\n{line}",
    "{{% for x in xs %}}{{% if x %}}{0}{{% endif %}} {{% endfor %}}",
    "\n{line}{{% for x in xs %}} {{% endfor %}}{0}",
    "\n{{% if t %}}\n{line}{0}\n{{% else %}}\n{line}{1}{{% endif %}}\n{line}",
)


@st.composite
def inline(draw, depth=2, line=""):
    """Text of one content: words, values and what depends on data; `line` is the indentation where lines may end."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 6))
        if kind <= 2:
            pieces.append(draw(TEXTS))
        elif kind <= 3 or not depth:
            pieces.append(draw(_SIMPLE))
        else:
            shape = draw(st.sampled_from(_LINES if line and kind == 6 else _AROUND))
            pieces.append(shape.format(*(draw(inline(depth=depth - 1, line=line)) for _ in range(3)), line=line))
    return "".join(pieces)


@st.composite
def item(draw):
    """One part, in any of YAML's styles."""
    style = draw(st.sampled_from(["|", "|", ">", "|-", "plain", '"', "'", "sections", "items"]))
    if style in ("|", ">", "|-"):
        content = f"  content: {style}\n    {draw(inline(line='    '))}\n"
    elif style == "plain":
        content = f"  content: {draw(inline())}\n"
    elif style in ('"', "'"):
        content = f"  content: {style}{draw(inline())}{style}\n"
    elif style == "sections":
        content = (
            f"  sections:\n  - name: s\n    content: {draw(inline())}\n  - name: u\n    content: '{draw(TEXTS)}'\n"
        )
    else:
        content = f"  content:\n  - type: text\n    text: |\n      {draw(inline(line='      '))}\n"
    more = draw(
        st.sampled_from(
            [
                "", "", "  truncation_priority: 0\n", "  truncation_priority: 1\n", "  truncation_priority: {{ n }}\n",
                "  shrink: end\n", "{% if t %}\n  truncation_priority: 3\n{% endif %}\n",
                "  truncation_priority: 2\n  shrink: start\n",
            ]
        )
    )  # fmt: skip
    role = draw(
        st.sampled_from(["", "", "  role: system\n", "  role: assistant\n", "  role: {{ role }}\n", "  role: user\n"])
    )
    return f"- name: p\n{role}{content}{more}"


@st.composite
def items(draw, depth=2):
    """A list of parts, some of which depend on data."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 7 if depth else 3))
        if kind <= 3:
            found.append(draw(item()))
        elif kind == 4:
            found.append(f"{{% if t %}}\n{draw(items(depth=depth - 1))}{{% endif %}}\n")
        elif kind == 5:
            found.append(
                f"{{% if t -%}}\n{draw(items(depth=0))}{{% else %}}\n{draw(items(depth=depth - 1))}{{%- endif %}}\n"
            )
        elif kind == 6:
            found.append(
                f"{{% for x in xs %}}\n{draw(items(depth=depth - 1))}{{% endfor %}}\n"
                f"{draw(st.sampled_from(['', '# c' + chr(10)]))}"
            )
        else:
            found.append(
                draw(st.sampled_from(['{% include "a/parts@1" %}\n', "{# nothing #}\n", "# a 'quote\n", "    more\n"]))
            )
    return "".join(found)


_MACROS = (
    "{% macro m(v) %}made {{ v }} of{% if caller %}{{ caller() }}{% endif %}{% endmacro %}"
    "{% set t1 %}set words {{ a }}{% endset %}"
)
_SHAPED = st.lists(
    st.one_of(
        TEXTS.map(lambda text: text.replace("\\n", "")),
        st.sampled_from(["{a}", "{b}", "{join(xs)}", "{xs}", "{{", "}}"]),
    ),
    min_size=1,
    max_size=8,
).map("".join)
_PROMPTERS = st.tuples(
    st.sampled_from(["kind: chat\n", "kind: alpaca\n"]),
    st.lists(st.sampled_from(["{a}", "{b}", "some words ", "don''t ", "x"]), max_size=5).map("".join),
    st.lists(st.sampled_from(["{b}", "user words ", " "]), max_size=3).map("".join),
    st.sampled_from(["", "extra_keys: [a]\n", "system: Be brief.\n", "system: ''\n"]),
).map(lambda it: f"{it[0]}instruction:\n  system: '{it[1]}'\n  user: '{it[2]}'\n{it[3]}")


@st.composite
def documents(draw):
    """A document of any format, sound or not."""
    name = draw(st.sampled_from(["parts", "parts", "parts", "text", "shaped", "prompter"]))
    front = draw(st.sampled_from(["", "keep_last: 1\n", "reserve: 3\n", "truncation_step: 5\n", "keep_pairs: true\n"]))
    macros = draw(st.sampled_from(["", _MACROS]))
    body = {
        "parts": items().map(lambda text: macros + ("\n" if macros else "") + text),
        "text": inline(line=" ").map(lambda text: macros + text),
        "shaped": _SHAPED,
        "prompter": _PROMPTERS,
    }[name]
    return f"---\nformat: {name}\n{front}---\n{draw(body)}"


@st.composite
def data(draw):
    """Several sets of values for the names that documents use."""
    return [
        {
            "a": draw(VALUES),
            "b": draw(VALUES),
            "t": draw(st.booleans()),
            "n": draw(st.integers(-1, 3)),
            "xs": draw(st.lists(VALUES, max_size=3)),
            "role": draw(st.sampled_from(["user", "system", "assistant"])),
        }
        for _ in range(4)
    ]
