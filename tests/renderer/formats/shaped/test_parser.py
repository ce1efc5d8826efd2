"""The parser of shaped documents: what it reads, where it stops, and its declared errors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptuary.renderer.formats.shaped.parser import (
    Call,
    Field,
    Items,
    Literal,
    Name,
    SyntaxFault,
    Text,
    parse_shaped,
    write_expressions,
)
from tests.support.examples import example_count


def texts(body: str) -> list[str]:
    return [piece.text for piece in parse_shaped(body) if isinstance(piece, Text)]


def node(expression: str):
    (field,) = parse_shaped("{" + expression + "}")
    assert isinstance(field, Field)
    return field.node


def fault(body: str) -> SyntaxFault:
    with pytest.raises(SyntaxFault) as caught:
        parse_shaped(body)
    return caught.value


def test_text_without_braces_is_one_piece():
    assert parse_shaped("just text") == [Text("just text", 0, 9)]


def test_an_empty_body_has_no_pieces():
    assert parse_shaped("") == []


def test_doubled_braces_are_braces():
    assert texts('{{"a": {{}}}}') == ['{"a": {}}']


def test_a_field_may_stand_inside_doubled_braces():
    assert [type(piece) for piece in parse_shaped("{{{name}}}")] == [Text, Field, Text]


@pytest.mark.parametrize(
    ("written", "meant"),
    [(r"a\nb", "a\nb"), (r"a\tb", "a\tb"), (r"a\rb", "a\rb"), (r"a\\nb", r"a\nb"), (r"\d", r"\d"), ("end\\", "end\\")],
)
def test_a_backslash_in_the_text_means_what_it_means_in_haystack(written, meant):
    assert texts(written) == [meant]


def test_a_field_has_its_position():
    field = parse_shaped("ab {query}")[1]
    assert (field.start, field.end) == (3, 10)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a'", "a"),
        ('"a"', "a"),
        (r"'\n'", "\n"),
        ("'real\nbreak'", "real\nbreak"),
        (r"'it\'s'", "it's"),
        (r"'\x41\u00e9\U0001f4a7\101'", "Aé💧A"),
        (r"'\N{BULLET}'", "•"),
        (r"'\d'", r"\d"),
        ("'a' 'b' \"c\"", "abc"),
        ("'}'", "}"),
        ("'{query}'", "{query}"),
        ("3", 3),
        ("-2", -2),
        ("+2", 2),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("0", 0),
        ("True", True),
        ("False", False),
        ("None", None),
    ],
)
def test_a_literal_is_read_as_python_reads_it(expression, value):
    found = node(expression)
    assert isinstance(found, Literal)
    assert found.value == value
    assert type(found.value) is type(value)


def test_calls_nest():
    call = node("join(to_strings(documents, '$content'), ', ')")
    assert isinstance(call, Call)
    assert [type(argument) for argument in call.arguments] == [Call, Literal]


def test_a_list_may_hold_anything_and_end_in_a_comma():
    found = node("[1, 'a', query, [True],]")
    assert isinstance(found, Items)
    assert len(found.items) == 4


def test_space_is_free_inside_a_field():
    assert write_expressions(node(" join( documents ,\n ' ' ) ")) == "join(documents, ' ')"


def test_names_may_be_of_any_script():
    assert node("問題") == Name("問題", 1, 3)


@pytest.mark.parametrize(
    "expression", ["join(documents, '\\n', None, {'[': '(', ']': ')'})", "[1, 2.5, True]", "{'a': query}", "f()"]
)
def test_a_parsed_body_is_written_unchanged(expression):
    assert write_expressions(node(" " + expression)) == expression


@pytest.mark.parametrize(
    ("body", "at", "words"),
    [
        ("{", 0, "never closed"),
        ("a}", 1, "closes nothing"),
        ("{}", 0, "nothing between"),
        ("{a.b}", 2, "shown whole"),
        ("{a[0]}", 2, "shown whole"),
        ("{a!r}", 2, "Python format"),
        ("{a:>5}", 2, "Python format"),
        ("{a b}", 3, "expected `}`"),
        ("{'a}", 1, "quote is never closed"),
        ("{f(a}", 4, "expected `,` or `)`"),
        ("{f(a,,b)}", 5, "expected a name"),
        ("{[1}", 3, "expected `,` or `]`"),
        ("{f({'a'})}", 7, "expected `:`"),
        ("{f(", 2, "never closed with `)`"),
        ("{007}", 1, "does not start with 0"),
        ("{1e999}", 1, "too large"),
        ("{-}", 1, "must be followed by a number"),
        ("{r'a'}", 1, "before a quote"),
        (r"{'\xZZ'}", 2, "not followed by a character's code"),
        (r"{'\ud800'}", 2, "no such character"),
        (r"{'\N{NO SUCH}'}", 2, "no character named"),
        ("{'\\N{\udcff}'}", 2, "no character named"),
        ("{a + b}", 3, "cannot be added up"),
        ("{f(x=1, 2)}", 8, "by position"),
        ("{lambda: 0}", 7, "Python format"),
        ("{().__class__}", 1, "expected a name"),
        ("{9**9}", 2, "expected `}`"),
    ],
)
def test_an_invalid_body_is_refused_at_its_position(body, at, words):
    found = fault(body)
    assert found.start == at
    assert words in found.message


def test_deep_nesting_is_refused_before_pythons_stack_is():
    assert "nested deeper" in fault("{" + "[" * 5000).message


def test_a_number_of_many_digits_is_refused():
    assert "at most" in fault("{" + "9" * 5000 + "}").message


def test_a_lone_brace_offers_to_be_doubled():
    assert fault("a}").cure == ("Write `}}`", "}}")


tokens = st.sampled_from(
    ["{", "}", "{{", "}}", "(", ")", "[", "]", ",", ":", "'", '"', "\\", "\\n", "\\x", "\\N{", "=", "+", "-", ".", "$",
     "join", "documents", "True", "eval", "__import__", "lambda", "1", "9e9", " ", "\n", "\x00", "é", "💧"]
)  # fmt: skip


@settings(max_examples=example_count(10, torture=100_000))
@given(st.one_of(st.text(max_size=60), st.lists(tokens, max_size=30).map("".join)))
def test_any_text_is_read_or_refused_with_a_place_in_it(body):
    refused = None
    try:
        pieces = parse_shaped(body)
    except SyntaxFault as found:
        refused = found
    if refused is None:
        assert [piece.start for piece in pieces] == [0, *(piece.end for piece in pieces[:-1])][: len(pieces)]
    else:
        assert 0 <= refused.start <= min(refused.end, len(body))


@given(st.text(max_size=40))
def test_a_string_literal_brings_back_any_text(value):
    written = repr(value)
    if not any(0xD800 <= ord(sign) <= 0xDFFF or sign == "\x00" for sign in value):
        assert node(written).value == value
