"""A rendered prompt formatted for reading, and the comparison of two of them."""

import pytest

from frontend.diff import part_diffs, rendered
from frontend.diff.rendered import Piece


def part(name, content, role="user", tokens=3, spans=()):
    return {"name": name, "role": role, "content": content, "token_count": tokens, "spans": list(spans)}


def span(start, end, expression="question", kind="input"):
    return {"start": start, "end": end, "expression": expression, "line": 4, "column": 5, "kind": kind}


def test_a_role_is_shown_once_for_neighbours():
    messages = rendered.build_messages([part("a", "x", "system"), part("b", "y"), part("c", "z")])
    assert [message.role for message in messages] == ["system", "user", ""]


def test_values_are_cut_out_of_the_text_by_code_points():
    pieces = rendered.split_at_spans("Hi 👩‍🚀 there", [span(3, 6)])
    assert [(piece.text, piece.kind) for piece in pieces] == [("Hi ", "text"), ("👩‍🚀", "input"), (" there", "text")]


def test_a_span_inside_another_is_left_to_the_outer_one():
    pieces = rendered.split_at_spans("abcdef", [span(1, 5, kind="fragment"), span(2, 3)])
    assert [(piece.text, piece.kind) for piece in pieces] == [("a", "text"), ("bcde", "fragment"), ("f", "text")]


def test_a_long_value_is_folded_and_nothing_of_it_is_lost():
    value = "word " * 200
    (piece,) = rendered.split_at_spans(value, [span(0, len(value))])
    assert piece.text + piece.more == value
    assert len(piece.text) <= rendered.OPEN_CHARACTERS


def test_a_long_value_without_spaces_is_folded_too():
    (piece,) = rendered.split_at_spans("x" * 900, [span(0, 900)])
    assert (len(piece.text), len(piece.more)) == (rendered.OPEN_CHARACTERS, 900 - rendered.OPEN_CHARACTERS)


def test_content_of_several_kinds_is_shown_as_its_json():
    assert part_diffs.read_text({"content": [{"type": "text"}]}) == '[\n  {\n    "type": "text"\n  }\n]'


def test_text_without_values_is_one_piece():
    assert rendered.split_at_spans("plain", []) == [Piece("plain")]


def states(old, new):
    return [(diff.name, diff.state, diff.moved) for diff in part_diffs.compare_parts(old, new)]


def test_parts_are_distinguished_as_same_changed_added_and_removed():
    old = [part("a", "one"), part("b", "two"), part("c", "three")]
    new = [part("a", "one"), part("b", "two more"), part("d", "four")]
    assert states(old, new) == [("a", "same", ""), ("b", "changed", ""), ("c", "removed", ""), ("d", "added", "")]


def test_a_part_that_moved_says_from_where_to_where():
    old = [part(name, name) for name in "abcd"]
    new = [part(name, name) for name in "acdb"]
    assert [moved for _, _, moved in states(old, new)] == ["", "", "", "moved from place 2 to 4"]


def test_parts_of_one_name_are_matched_in_their_order():
    old = [part("turn", "hello"), part("turn", "bye")]
    new = [part("turn", "hello"), part("turn", "good bye")]
    assert [state for _, state, _ in states(old, new)] == ["same", "changed"]


def test_a_changed_role_is_a_change():
    (diff,) = part_diffs.compare_parts([part("a", "x", "user")], [part("a", "x", "system")])
    assert (diff.state, diff.role) == ("changed", "user to system")


@pytest.mark.parametrize(("old", "new", "change"), [(3, 5, 2), (None, 4, 4), (7, 2, -5)])
def test_tokens_are_set_against_each_other(old, new, change):
    before = [part("a", "x", tokens=old)] if old else []
    (diff,) = part_diffs.compare_parts(before, [part("a", "y", tokens=new)])
    assert diff.change == change


def test_a_fragment_is_named_by_its_reference():
    assert Piece("x", "fragment", expression='fragment("support/policy@3")').reference == "support/policy@3"
    assert Piece("x", "fragment", expression="something else").reference == "something else"
