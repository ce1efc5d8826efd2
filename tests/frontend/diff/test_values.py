"""Values in a rendered diff: text from inputs is marked, and unchanged lines of a fragment are folded."""

from frontend.diff.part_diffs import compare_parts, split_at_values
from frontend.diff.text import Fold, Line


def span(start, end, expression, kind="input"):
    return {"start": start, "end": end, "expression": expression, "kind": kind, "line": 4, "column": 1}


def part(content, *spans):
    return {"name": "a", "role": "user", "content": content, "token_count": 1, "spans": spans}


def test_an_edited_line_keeps_its_changes_and_its_values():
    old, new = part("Help Ann.", span(5, 8, "name")), part("Help Bob now.", span(5, 8, "name"))
    (diff,) = compare_parts([old], [new])
    removed, added = (list(split_at_values(line)) for line in diff.lines if isinstance(line, Line))
    assert [text for text, _, value in removed if value] == ["Ann"]
    assert [text for text, _, value in added if value] == ["Bob"]
    assert "".join(text for text, _, _ in added) == "Help Bob now."
    assert any(changed for _, changed, _ in added)


def test_a_value_of_several_lines_is_marked_on_each():
    (diff,) = compare_parts([part("")], [part("To: a\nb!", span(4, 7, "lines"))])
    marks = [
        [(value.start, value.end, value.is_first) for value in line.values]
        for line in diff.lines
        if isinstance(line, Line)
    ]
    assert marks == [[(4, 5, True)], [(0, 1, False)]]


def test_unchanged_lines_of_a_fragment_are_folded_behind_its_name():
    policy = span(0, 7, "fragment('support/policy@3')", "fragment")
    (diff,) = compare_parts([part("one\ntwo\nOld", policy)], [part("one\ntwo\nNew", policy)])
    fold = diff.lines[0]
    assert isinstance(fold, Fold)
    assert fold.reference == "support/policy@3"
    assert [line.text for line in fold.lines] == ["one", "two"]
    assert all(isinstance(line, Line) for line in diff.lines[1:])
