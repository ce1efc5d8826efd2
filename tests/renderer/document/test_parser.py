"""Parsing a document's text: front matter found, checked and located."""

import pytest

from promptuary import renderer
from promptuary.renderer.document import parser


def problems_of(text):
    return [(problem.code, problem.line, problem.column) for problem in parser.inspect_document(text)[1]]


def test_front_matter_ends_at_the_second_line_of_dashes():
    document = parser.parse_document("---\nformat: text\n---\nHello\n")
    assert (document.format, document.body, document.body_line) == ("text", "Hello\n", 4)


def test_a_document_without_front_matter_is_all_body():
    document = parser.parse_document("- name: a\n  content: b\n")
    assert (document.front, document.body_line, document.inputs) == ({}, 1, None)


def test_a_list_between_dashes_is_not_front_matter():
    text = "---\n- name: a\n  content: b\n---\n"
    assert parser.parse_document(text).body == text


def test_a_lone_line_of_dashes_belongs_to_the_body():
    assert parser.parse_document("---\n- name: a\n  content: b\n").body_line == 1


def test_empty_front_matter_is_front_matter():
    assert parser.parse_document("---\n---\nx").body == "x"


def test_dashes_inside_an_indented_text_do_not_end_front_matter():
    document = parser.parse_document("---\ndescription: |\n  a\n  ---\n  b\n---\nbody")
    assert document.description == "a\n---\nb\n"
    assert document.body_line == 7


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_newlines_read_as_lf_and_stay_in_the_stored_text(newline):
    text = newline.join(["---", "format: text", "---", "a", "b", ""])
    document = parser.parse_document(text)
    assert (document.body, document.body_line, document.text) == ("a\nb\n", 4, text)


def test_an_unknown_key_is_named_with_its_place_and_the_likely_one():
    problem = parser.inspect_document("---\ntoolz: []\n---\n")[1][0]
    assert (problem.code, problem.line, problem.column) == ("PT104", 2, 1)
    assert "did you mean `tools`" in problem.message
    assert problem.fix.edits[0].text == "tools"


def test_every_wrong_value_of_the_front_matter_is_reported_together():
    text = "---\ntoken_limit: 0\nreserve: many\ntags: x\nformat: parts\n---\n"
    assert problems_of(text) == [("PT105", 2, 14), ("PT105", 3, 10), ("PT105", 4, 7)]


@pytest.mark.parametrize("value", ["true", "1.5", "'5'", "-1", "1e3"])
def test_a_limit_must_be_a_whole_number(value):
    assert problems_of(f"---\ntoken_limit: {value}\n---\n") == [("PT105", 2, 14)]


def test_an_unknown_format_is_named():
    with pytest.raises(renderer.DocumentError, match="did you mean `parts`") as caught:
        parser.parse_document("---\nformat: partz\n---\n")
    assert (caught.value.code, caught.value.line, caught.value.column) == ("PT108", 2, 9)


@pytest.mark.parametrize(
    ("front", "code"),
    [
        ("a: &x 1", "PT103"),
        ("description: *x", "PT103"),
        ("description: !!str x", "PT103"),
        ("settings: {<<: {a: 1}}", "PT103"),
        ("description: a\ndescription: b", "PT102"),
        ("settings: {a: [1}", "PT101"),
        ("settings: {a: " + "[" * 30 + "]" * 30 + "}", "PT106"),
        ("settings: {a: .inf}", "PT105"),
        ("inputs: {a: text}", "PT406"),
    ],
)
def test_front_matter_refuses(front, code):
    assert problems_of(f"---\n{front}\n---\n")[0][0] == code


def test_the_line_of_broken_front_matter_counts_from_the_document():
    assert problems_of("---\ndescription: x\nsettings: {a: [1}\n---\n")[0][1] == 3


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_bytes_that_are_not_text_are_refused(text):
    assert problems_of(text) == [("PT107", 1, 2)]


def test_a_lone_carriage_return_ends_a_line_before_what_is_not_text():
    assert problems_of("one\rtwo\r\nthree\0") == [("PT107", 3, 6)]


def test_a_sign_that_is_not_text_is_named_with_its_part():
    _, (problem,) = parser.inspect_document("- name: rules\n  content: a\n- name: user 1\n  content: b\0\n- name: c\n")
    assert (problem.line, problem.message) == (4, "the document has a NUL character in the part user 1")


def test_a_document_larger_than_256_kib_is_refused():
    assert problems_of("x" * (256 * 1024 + 1)) == [("PT106", 1, 1)]


def test_places_of_values_are_kept_by_path():
    document = parser.parse_document("---\ninputs:\n  tone: {type: string,\n    enum: [a, b]}\n---\n")
    assert document.place("inputs", "tone", "enum").line == 4
    assert document.place("inputs", "tone", "enum", 7).line == 4
    assert document.place("settings").line == 1


def test_a_byte_order_mark_is_not_part_of_the_text():
    assert parser.parse_document("\ufeff---\nformat: text\n---\nx").body == "x"


def test_plain_scalars_have_the_types_of_yaml_1_2():
    front = "---\nsettings: {a: yes, b: 012, c: 1_000, d: 0x1f, e: 1:30, f: 2024-01-01, g: ~, h: 1.10, i: True}\n---\n"
    assert parser.parse_document(front).settings == {
        "a": "yes",
        "b": 12,
        "c": "1_000",
        "d": 31,
        "e": "1:30",
        "f": "2024-01-01",
        "g": None,
        "h": 1.1,
        "i": True,
    }
