"""Plain texts and Markdown with various placeholders."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.pieces import Message, prove_parts, write_parts_body
from promptuary.renderer.interop.reading import read_templates
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

LETTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), min_size=1, max_size=80)
WEIRD = st.lists(
    st.sampled_from(["{", "}", "{{", "}}", "{%", "%}", "{#", "\\n", "<|space|>", " ", "\n", "x", "'", "- name: a"])
)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("Dear {name}, {{x}} is a brace.\n", "Dear ‹name›, {x} is a brace.\n"),
        ("Return {a} as {{ name }}.", "Return {a} as ‹name›."),
        ("\\frac{a}{b} = {{ name }}", "\\frac{a}{b} = ‹name›"),
        ("Dear {{name}} and {{ name }}.", "Dear ‹name› and ‹name›."),
        ("Dear $name, pay $$5 to ${name}.", "Dear ‹name›, pay $5 to ‹name›."),
        ("Dear <<name>>.", "Dear ‹name›."),
        ("Rate !<INPUT 0>! from 1 to 10.", "Rate ‹input_0› from 1 to 10."),
        ('{"a": 1} for {name} {', '{"a": 1} for ‹name› {'),
        ("No placeholder, only {\n  json: [1]\n}.", "No placeholder, only {\n  json: [1]\n}."),
        ("{% if name %}Dear {{ name }}{% endif %}", "Dear ‹name›"),
        ("{{#if name}}Dear {{name}}{{/if}}", "Dear ‹name›"),
        ("Dear {{$name}}", "Dear ‹name›"),
        ("Dear [[name]].", "Dear ‹name›."),
        ('{"a": {"x": {{name}}}}', '{"a": {"x": ‹name›}}'),
        ('{"x": {{ name }}} {x}', '{"x": ‹name›} {x}'),
        ("{name!r} is {name}", "'‹name›' is ‹name›"),
        ('Write {{"a": 1}} for {name!r}', "Write {\"a\": 1} for '‹name›'"),
        ('{"a": 1} for {name!r}', "{\"a\": 1} for '‹name›'"),
        ("<doc>{$name}</doc>", "<doc>‹name›</doc>"),
        ("{$name} costs $5, not {x.y}", "‹name› costs $5, not {x.y}"),
        ("Dear #{name}.", "Dear ‹name›."),
        ("Dear ${user.name}.", "Dear ‹user›."),
        ("Dear {{first-name}}.", "Dear ‹first›."),
        ("Dear %(name)s, 100%% sure.", "Dear ‹name›, 100% sure."),
        ("Solve \\frac{a}{b} and x_{i} for {name}.", "Solve \\frac{a}{b} and x_{i} for ‹name›."),
        ("Solve \\frac{a}{b} = \\sqrt[3]{c}.", "Solve \\frac{a}{b} = \\sqrt[3]{c}."),
        ("Solve $x^2 + y$ or $x$ for $name.", "Solve $x^2 + y$ or $x$ for ‹name›."),
        ("```sh\necho $name\n```\nExplain $HOME to $name.", "```sh\necho $name\n```\nExplain $HOME to ‹name›."),
        ("Line\\n{name}", "Line\\n‹name›"),
        ("Dear <name>, [NAME]", "Dear <name>, [NAME]"),
    ],
)
def test_each_syntax_is_recognised_and_filled(text, rendered):
    template = read_one("letter.txt", text)
    assert template.name == "letter"
    assert (
        render_text(template, name="‹name›", input_0="‹input_0›", user={"name": "‹user›"}, first_name="‹first›")
        == rendered
    )


@pytest.mark.parametrize(
    ("text", "expected_text", "rendered"),
    [
        ("Hi {{ name }},\nyour {order}.", "line 2: `{order}` stays text", "Hi Ann,\nyour {order}."),
        ("Hi {{ first name }}, {{ name }}.", "line 1: `{{ first name }}` stays text", "Hi {{ first name }}, Ann."),
        ("Due {day:%d.%m.}, {name!r}.", "line 1: `{day:%d.%m.}` stays text", "Due {day:%d.%m.}, 'Ann'."),
        ("Use {{ to open and }}.", "line 1: `{{ to open and }}` stays text", "Use {{ to open and }}."),
        ("{{name}} and {{ name }}, not {x}.", "line 1: `{x}` stays text", "Ann and Ann, not {x}."),
        ("Hi %(name)s,\nyou owe %s.", "line 2: `%s` stays text", "Hi Ann,\nyou owe %s."),
        ("{{name}}\n<%= name %>.", "line 2: `<%= name %>` stays text", "Ann\n<%= name %>."),
        ("${items.length} {{name}}", "line 1: `${items.length}` stays text", "${items.length} Ann"),
        ("${USER:-nobody} {{name}}", "line 1: `${USER:-nobody}` stays text", "${USER:-nobody} Ann"),
        ("<% if x %>y<% end %>", "line 1: `<% if x %>` stays text", "<% if x %>y<% end %>"),
    ],
)
def test_braces_that_fill_nothing_in_are_named_with_their_line(text, expected_text, rendered):
    template = read_one("a.txt", text)
    assert expected_text in list_differences(template)
    assert render_text(template, name="Ann") == rendered


@pytest.mark.parametrize(("syntax", "text"), [("tag", "Dear <name>."), ("capitals", "Dear [NAME].")])
def test_an_ambiguous_notation_is_read_if_chosen(syntax, text):
    assert render_text(read_one("pasted", text)) == text
    assert render_text(read_one("pasted", text, syntax), name="Ann", NAME="Ann") == "Dear Ann."


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("Dear {name}.", "`{name}` is read as an input"),
        ("Dear $name and $other, pay $$5.", "`$name` and 1 more are read as inputs"),
        ("Dear $name, pay $$5.", "a doubled `$` is a single one"),
        ("Dear {{ name }}.", ""),
        ("Dear %s.", "`%s` stays text"),
    ],
)
def test_differences_of_a_guessed_syntax_are_listed(text, expected_text):
    template = read_one("pasted", text)
    assert expected_text in list_differences(template)
    assert expected_text or not template.differences


PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r{}$%<[!\ufeff"), min_size=1)


@given(PLAIN.filter(str.strip))
def test_a_text_without_variables_renders_to_itself(text):
    template = read_one("pasted.txt", text, "text")
    assert render_text(template) == text
    assert template.differences == ()


@pytest.mark.parametrize("text", ["{{ name }} alone", '{"a": 1, "b": {}}', "a set {1, 2} and {x | x > 0}", "no brace"])
def test_other_braces_are_not_worth_a_word(text):
    assert "stays text" not in list_differences(read_one("a.txt", text))


def test_a_path_of_str_format_stays_one():
    assert render_text(read_one("a.txt", "{a.b} {c[d]} {e[0]}"), a={"b": 1}, c={"d": 2}, e=[3]) == "1 2 3"


def test_a_number_format_is_kept():
    template = read_one("a.txt", "cost {x:.2f}", "str.format")
    assert render_text(template, x=2) == "cost 2.00"


@pytest.mark.parametrize("spec", [".2f", ",.2f", ".1%", ",", "d", "08.3f", ".3g", "03d"])
@pytest.mark.parametrize("others", ["", '; reply as {"a": 1}'])
@given(number=st.integers(-(10**6), 10**6))
def test_a_number_format_that_is_pasted_prints_as_python_does(spec, others, number):
    template = read_one("a.txt", f"cost {{x:{spec}}} for {{y}}{others}")
    assert render_text(template, x=number, y="Ann") == f"cost {number:{spec}} for Ann{others}"


@pytest.mark.parametrize(
    "text",
    [
        '{{"a": 1}}\nprint(f"It is {area:.2f} of {shape}")\n',
        "Reply as {'a': 1}.\nlog(rf'{x} and {y}')\n",
        "An object {a:1}, a set {b:c}, and \\frac{x}{y:d}.",
    ],
)
def test_fields_in_strings_of_code_and_in_formulas_stay_text(text):
    template = read_one("a.txt", "{name}: " + text)
    assert render_text(template, name="Ann") == "Ann: " + text


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("Sum up: %{text}", "Sum up: Ann"),
        ("For #{name} and #{@user.name}.", "For Ann and Bo."),
        ("Sum up #{text}.", "Sum up Ann."),
        ("Ticket #{name}", "Ticket #Ann"),
        ("See #{number}.", "See #7."),
        ("color: #{hex}", "color: #7"),
        ("#{name}, {text}", "#Ann, Ann"),
        ("100%{name}", "100%Ann"),
    ],
)
def test_placeholders_of_ruby_go_with_their_sign_unless_it_may_be_text(text, rendered):
    assert (
        render_text(read_one("a.txt", text), name="Ann", text="Ann", user={"name": "Bo"}, number=7, hex=7) == rendered
    )


@pytest.mark.parametrize("text", ["{x:*^10}", "{x!r:d}", "{x:{y}}", "{x"])
def test_features_that_only_str_format_has_are_refused(text):
    with pytest.raises(LossError):
        read_one("a.txt", text, "str.format")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((field, value) for field in ("{x!r}", "{x!a}", "{x!s}") for value in ("it's", "é\n", ["a", 1], {"k": None})),
        *((field, 'a "b"') for field in ("{x!r:>12}", "{x:<12}", "{x:^12}")),
    ],
)
def test_a_conversion_or_a_width_prints_what_python_prints(field, value):
    assert render_text(read_one("a.txt", field, "str.format"), x=value) == field.format(x=value)


def test_a_name_that_jinja_takes_is_another_input_and_named():
    template = read_one("a.txt", "Look {in} {class}")
    assert "`{in}` is the input `in_value`" in list_differences(template)
    assert render_text(template, in_value="here", **{"class": "1"}) == "Look here 1"


def test_the_name_of_a_value_that_every_template_has_is_given_another_name():
    template = read_one("a.txt", "Use at most {token_limit} words.")
    assert "`{token_limit}` is the input `token_limit_value`" in list_differences(template)
    assert render_text(template, token_limit_value="9") == "Use at most 9 words."


def test_text_above_the_comment_marker_is_left_out_and_named():
    text = "Variables: !<INPUT 0>!\n<commentblockmarker>###</commentblockmarker>\nHi !<INPUT 0>!\n"
    template = read_one("a.txt", text)
    assert render_text(template, input_0="Ann") == "Hi Ann"
    assert "above the comment marker" in list_differences(template)


def test_markdown_keeps_its_text_and_names_the_front_matter_it_leaves_out():
    template = read_one(
        "judge.md", "---\nname: Strict judge\ndescription: Judges\ncolor: red\n---\n# Judge\n\n{answer}\n"
    )
    assert template.name == "strict-judge"
    assert "description: Judges" in template.document
    assert "color" in list_differences(template)
    assert render_text(template, answer="42") == "# Judge\n\n42\n"


def test_line_ends_of_windows_are_line_feeds():
    assert render_text(read_one("a.txt", "one\r\ntwo\r\n")) == "one\ntwo\n"


@given(LETTERS | WEIRD.map("".join))
def test_a_text_without_placeholders_renders_to_itself(text):
    if not text.strip():
        return
    assert render_text(read_one("a.txt", text, "none")) == text


@given(LETTERS | WEIRD.map("".join))
def test_a_message_renders_to_itself(text):
    if not text.strip():
        return
    messages = [Message("user", (text,))]
    document = f"---\nformat: parts\n---\n{write_parts_body(messages)}"
    prove_parts(document, messages)


@given(st.lists(st.sampled_from(["{x}", "{y}", "{{", "}}", " ", "\n", "a", "{%", "#"]), min_size=1).map("".join))
def test_str_format_and_the_import_give_the_same(text):
    try:
        expected = text.format(x="‹x›", y="‹y›")
    except ValueError:
        with pytest.raises(LossError):
            read_one("a.txt", text + "!", "str.format")
        return
    except LookupError:  # a field of another name
        return
    if expected.strip():
        assert render_text(read_one("a.txt", text, "str.format"), x="‹x›", y="‹y›") == expected


@given(st.lists(st.sampled_from(["$x", "${y}", "$$", " ", "{", "}", "a\n", "{{x}}"]), min_size=1).map("".join))
def test_string_templates_and_the_import_give_the_same(text):
    values = {name: f"‹{name}›" for name in ("x", "y", "xa", "ya")}
    try:
        expected = string.Template(text).substitute(values)
    except ValueError:
        return
    if expected.strip():
        assert render_text(read_one("a.txt", text, "dollar"), **values) == expected


@pytest.mark.parametrize("content", [b"", b"  \n", b"\xff\xfe", b"a\x00b", b"x" * 2_000_001])
def test_something_that_is_not_text_is_refused(content):
    with pytest.raises(LossError):
        read_templates("a.txt", content)


def test_the_line_end_that_jinja_drops_is_reported():
    template = read_one("a.j2", "{% for x in xs -%}\n  {{ x }}\n{% endfor %}{% raw %}{{ x }}{% endraw %}\n")
    assert render_text(template, xs=["1", "2"]) == "1\n2\n{{ x }}"
    assert "the last line end" in list_differences(template)


def test_a_jinja_file_with_another_one_in_it_is_refused_with_the_line():
    with pytest.raises(LossError, match=r"line 2: `include 'a.j2'`"):
        read_one("a.j2", "Hi\n{% include 'a.j2' %}")


def test_methods_and_filters_of_its_program_become_keys_and_inputs():
    template = read_one("a.j2", "{% for t in tools %}{{ t.describe() }};{% endfor %}{{ history | colang }}")
    assert render_text(template, tools=[{"describe": "a"}], history_colang="h") == "a;h"
    assert "`t.describe()` is the key `describe`" in list_differences(template)
    assert "`history | colang` is the input `history_colang`" in list_differences(template)


def test_whitespace_options_are_those_of_the_chosen_format():
    text = "{% if x %}\n  a\n  {% endif %}\nb\n"
    assert render_text(read_one("a.j2", text, "jinja-trimmed"), x=True) == "  a\nb"
    assert render_text(read_one("a.j2", text, "jinja"), x=True) == "\n  a\n  \nb"
    assert render_messages(read_one("a.txt", "x"))[0][0] == "user"


def test_a_text_that_looks_like_json_and_is_none_says_where_it_ends_to_be_it():
    (template,) = read_templates("pasted", b'[{"role": "system",\n "content": "Be kind"')
    assert "it is read as plain text: this isn't valid JSON: Expecting ',' delimiter, column 22" in [
        difference.message for difference in template.differences
    ]
    assert template.differences[0].line == 2


@pytest.mark.parametrize("text", ["[1] a note on [2] things", "{name}: hello", '{"role": "user"} as an example'])
def test_other_texts_with_braces_get_no_hint_about_json(text):
    (template,) = read_templates("pasted.txt", text.encode(), "text")
    assert not [difference for difference in template.differences if "JSON" in difference.message]


def test_rows_of_a_dataset_are_named_as_such():
    rows = b'{"input": [{"role": "user", "content": "Is it late?"}], "ideal": "yes"}\n' * 2
    with pytest.raises(LossError, match="import it as a dataset"):
        read_templates("rows.jsonl", rows)


@pytest.mark.parametrize(
    ("text", "data", "rendered"),
    [
        ("${name} in ${language.toUpperCase()}.", {"language_touppercase": "DE"}, "Ann in DE."),
        ('${name}${tone ? `: ${tone}` : "}"}.', {"tone_tone": "!"}, "Ann!."),
        (
            "${name} of ${items.length}\nand ${user?.mail ||\n'none'}.",
            {"items_length": 2, "user_mail_none": "x"},
            "Ann of 2\nand x.",
        ),
        ("${name}: ${docs[0].text}", {"docs_0_text": "a"}, "Ann: a"),
        (
            "${name} keeps ${USER:-nobody}, ${a%b} and ${open(",
            {},
            "Ann keeps ${USER:-nobody}, ${a%b} and ${open(",
        ),
        ("${name}\n```js\nf(`${a.b()}`)\n```", {}, "Ann\n```js\nf(`${a.b()}`)\n```"),
    ],
)
def test_an_expression_of_a_template_literal_is_an_input_beside_names(text, data, rendered):
    template = read_one("a.txt", text)
    assert render_text(template, name="Ann", **data) == rendered
    assert all(f"`{name}`: give its text" in list_differences(template) for name in data)


@pytest.mark.parametrize("opened", ["${f(", "${f({}"])
def test_many_open_expressions_are_read_fast(opened):
    assert render_text(read_one("a.txt", "${name} " + opened * 20_000), name="Ann").startswith(f"Ann {opened}")
