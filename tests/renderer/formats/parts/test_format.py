"""Format parts: fields of a part, their checks, whitespace and sections."""

import pytest

from promptuary import renderer


def parts(text, **data):
    return renderer.load(text).render(data, tokenizer=str.split).parts


def fault(text, **data):
    with pytest.raises(renderer.RenderError) as caught:
        parts(text, **data)
    return caught.value.code, caught.value.line, caught.value.column


def test_the_defaults_are_role_user_and_priority_zero():
    (part,) = parts("- name: a\n  content: b\n")
    assert (part.name, part.role, part.content, part.truncation_priority) == ("a", "user", "b", 0)


def test_parts_follow_loops_and_conditions():
    text = (
        "{% for t in turns %}{% if t.show %}\n- name: {{ loop.index }}\n  role: {{ t.role }}\n"
        "  content: {{ t.text }}\n{% endif %}{% endfor %}"
    )
    turns = [{"show": i != 1, "role": "user", "text": f"t{i}"} for i in range(3)]
    assert [(part.name, part.content) for part in parts(text, turns=turns)] == [("1", "t0"), ("3", "t2")]


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        ("plain  ", "plain"),
        ('" quoted "', "quoted"),
        ("|\n    a\n      b\n\n    c\n\n", "a\n  b\n\nc"),
        ("|-\n    a\n", "a"),
        ("|+\n    a\n\n", "a"),
        (">\n    a\n    b\n\n    c\n", "a b\nc"),
        ("<|space|>a<|space|>", " a "),
        ("a\\nb\\rc", "a\nb\rc"),
        ('"a\\nb"', "a\nb"),
        ("yes", "yes"),
        ("012", "012"),
        ("1.10", "1.10"),
        ("true", "true"),
        ("", ""),
        ('""', ""),
        ("2024-01-01", "2024-01-01"),
        ("1:30", "1:30"),
        ("=", "="),
    ],
)
def test_content_reads_as_written(scalar, expected):
    assert parts(f"- name: a\n  content: {scalar}\n")[0].content == expected


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("x: 1", "PT301", 1, 1),
        ("just text", "PT301", 1, 1),
        ("- just text", "PT301", 1, 3),
        ("", "PT311", 1, 1),
        ("# only a comment\n", "PT311", 1, 1),
        ("[]", "PT311", 1, 1),
        ("- content: b", "PT302", 1, 3),
        ("- name:\n  content: b", "PT302", 1, 8),
        ("- name: [a]\n  content: b", "PT302", 1, 9),
        ("- name: a", "PT303", 1, 3),
        ("- name: a\n  content: b\n  rolle: user", "PT304", 3, 3),
        ("- name: a\n  content: b\n  tokens: [1]", "PT304", 3, 3),
        ("- name: a\n  content: b\n  role: wizard", "PT305", 3, 9),
        ("- name: a\n  content: b\n  role: null", "PT305", 3, 9),
        ("- name: a\n  content: b\n  role: 3", "PT305", 3, 9),
        ("- name: a\n  content: b\n  truncation_priority: '5'", "PT306", 3, 24),
        ("- name: a\n  content: b\n  truncation_priority: 1.5", "PT306", 3, 24),
        ("- name: a\n  content: b\n  truncation_priority: true", "PT306", 3, 24),
        ("- name: a\n  content: b\n  truncation_priority:", "PT306", 3, 23),
        ("- name: a\n  content: {a: b}", "PT307", 2, 12),
        ("- name: a\n  content: null", "PT307", 2, 12),
        ("- name: a\n  content: [b]", "PT307", 2, 13),
        ("- name: a\n  content: [{type: text}]", "PT307", 2, 13),
        ("- name: a\n  content: [{type: text, text: {a: b}}]", "PT307", 2, 13),
        ("- name: a\n  content: b\n  sections: []", "PT310", 3, 3),
        ("- name: a\n  sections: []", "PT310", 2, 13),
        ("- name: a\n  sections:\n    - content: b", "PT310", 3, 7),
        ("- name: a\n  sections:\n    - {name: s, content: b, role: user}", "PT304", 3, 29),
        ("- name: a\n  name: b\n  content: c", "PT102", 2, 3),
        ("- name: &x a\n  content: c", "PT103", 1, 9),
        ("- name: a\n  content: *x", "PT103", 2, 12),
        ("- name: !!str a\n  content: c", "PT103", 1, 9),
        ("- name: a\n  <<: {content: c}", "PT103", 2, 3),
        ("- name: a\n  content: b\n---\n- name: c\n  content: d", "PT103", 3, 1),
        ("- name: a\n  content: 'b", "PT101", 2, 12),
        ("- name: a\n  content: [b\n", "PT101", 2, 12),
        ("- name: a\n content: b", "PT101", 2, 2),
        ("- name: a\n  content: a: b", "PT101", 2, 13),
        ("- name: a\n  content: b\n  shrink: sideways", "PT312", 3, 11),
        ("- name: a\n  content: b\n  min_tokens: -1", "PT312", 3, 15),
    ],
)
def test_a_wrong_part_is_refused_at_its_place(text, code, line, column):
    assert fault(text) == (code, line, column)
    assert fault("---\nformat: parts\n---\n" + text)[1] == line + (3 if code != "PT311" else 0)


def test_an_error_behind_a_loop_is_placed_in_the_document_not_in_the_rendered_text():
    text = "{% for x in xs %}\n- name: a\n  content: {{ x }}\n{% endfor %}\n- name: b\n  rolle: c\n"
    assert fault(text, xs=["1\n2", "3", "4\n\n5"]) == ("PT304", 6, 3)


def test_an_error_in_one_turn_of_a_loop_points_into_the_loop():
    text = "{% for x in xs %}\n- name: a\n  {% if x %}rolle{% else %}role{% endif %}: user\n  content: c\n{% endfor %}"
    assert fault(text, xs=[False, True]) == ("PT304", 3, 13)


def test_duplicate_names_are_allowed():
    assert [part.name for part in parts("- name: a\n  content: b\n- name: a\n  content: c\n")] == ["a", "a"]


def test_sections_lose_blanks_at_their_ends_and_are_joined_by_nothing():
    text = (
        "- name: a\n  sections:\n    - name: one\n      content: ' x '\n    - name: two\n"
        "      content: |\n        {{ v }}\n"
    )
    assert parts(text, v=" y ")[0].content == "x y "


def test_expected_keys_must_be_given():
    text = "- name: a\n  expected_template_data_keys: [v]\n  content: b\n"
    assert parts(text, v=1)[0].content == "b"
    assert fault(text) == ("PT401", 1, 3)


def test_the_line_of_each_part_is_known():
    text = "# c\n- name: a\n  content: b\n{% for x in xs %}\n- name: c\n  content: d\n{% endfor %}\n"
    assert [part.line for part in parts(text, xs=[1, 2])] == [2, 5, 5]


def test_multimodal_content_keeps_its_literals_and_takes_values():
    text = (
        "- name: a\n  content:\n    - type: text\n      text: {{ v }}\n"
        "    - type: image_url\n      image_url: {url: '{{ url }}', detail: low, size: 12, hd: true}\n"
    )
    content = parts(text, v=" a: b ", url="https://x/y.png")[0].content
    assert content == [
        {"type": "text", "text": " a: b "},
        {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low", "size": 12, "hd": True}},
    ]


def test_escape_special_characters_is_taken_and_does_nothing():
    text = "- name: a\n  content: {{ escape_special_characters(v) }}\n"
    assert parts(text, v="a\nb\t")[0].content == "a\nb\t"


def test_the_token_limit_is_known_to_the_template():
    text = "- name: a\n  content: {{ token_limit }}\n"
    assert parts(text)[0].content == "-1"
    assert renderer.load(text).render({}, token_limit=9, tokenizer=str.split).parts[0].content == "9"


@pytest.mark.parametrize("width", [4, 6])
def test_indent_matches_the_block_around_it(width):
    text = f"- name: a\n  content: |\n    Say: {{{{ v | indent({width}) }}}}\n    end\n"
    assert parts(text, v="one\n  two\n\nthree")[0].content == (
        "Say: one\n  two\n\nthree\nend" if width == 4 else "Say: one\n    two\n\n  three\nend"
    )


def test_indent_elsewhere_indents():
    assert parts("- name: a\n  content: {{ v | indent(2) }}\n", v="one\ntwo")[0].content == "one\n  two"


def test_a_list_indented_or_in_flow_form_is_a_list():
    assert parts("  - name: a\n    content: b\n")[0].content == "b"
    assert parts("[{name: a, content: b}]")[0].content == "b"


@pytest.mark.parametrize("extra", ["\n", "\n\n# end\n", "\n...\n"])
def test_blank_lines_comments_and_end_marks_after_the_last_part_are_ignored(extra):
    assert parts("---\n- name: a\n  content: b" + extra)[0].content == "b"
