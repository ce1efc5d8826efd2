"""A diff in two columns, and the reader's draft as one of its sides."""

from hypothesis import given
from hypothesis import strategies as st

from frontend.diff.side_by_side import FoldedRows, Row, pair_lines
from frontend.diff.text import Line, build_folded_diff, compare_lines, shorten_diff
from registry.templates import drafts
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html

PAGE = f"/t/{REPLY}/-/diff"
TEXTS = st.lists(st.sampled_from(["", "one", "two", "a b c d", "a b c e", "x y"]), max_size=9).map("\n".join)


def _texts(rows):
    return [(row.old.text if row.old else None, row.new.text if row.new else None) for row in rows]


def test_an_edited_line_is_next_to_what_it_was():
    rows = pair_lines(compare_lines("keep\nUse only the policy.\n", "keep\nnew\nUse the policy.\n"))
    assert _texts(rows) == [("keep", "keep"), (None, "new"), ("Use only the policy.", "Use the policy.")]


def test_other_replaced_lines_are_next_to_each_other_and_the_rest_is_empty():
    assert _texts(pair_lines(compare_lines("a\nb\n", "c\n"))) == [("a", "c"), ("b", None)]


@given(old=TEXTS, new=TEXTS)
def test_each_column_is_its_text(old, new):
    rows = [row for row in pair_lines(compare_lines(old, new)) if isinstance(row, Row)]
    assert [row.old.text for row in rows if row.old] == old.splitlines()
    assert [row.new.text for row in rows if row.new] == new.splitlines()


def test_unchanged_runs_stay_folded():
    text = "\n".join(map(str, range(30)))
    rows = pair_lines(shorten_diff(build_folded_diff(text, text + "\nend")[0]))
    assert isinstance(rows[0], FoldedRows)
    assert rows[-1] == Row(None, Line("added", None, 31, "end"))


def test_the_page_shows_two_columns(reply, browser):
    page = read_html(browser("reader").get(f"{PAGE}?from=1&to=2&layout=columns"))
    assert 'aria-label="Source, side by side"' in page
    assert 'aria-current="true">Side by side</a>' in page


def test_a_draft_is_compared_with_any_version(reply, browser):
    author = reply.actor("author")
    text = OTHER.replace("Quote", "Cite")
    drafts.save_draft(actor=author, namespace="support", path="refunds/reply", document=text, base=2)
    client = browser("author")
    page = read_html(client.get(f"{PAGE}?from=1&to=draft"))
    assert "v1 to your draft: 1 line added, 1 removed" in page
    assert "<ins>Cite</ins>" in page
    assert "your draft to v2:" in read_html(client.get(f"{PAGE}?from=draft"))
    assert '<input type="radio" name="to" value="draft">' in read_html(client.get(f"/t/{REPLY}/-/versions"))


def test_a_draft_that_does_not_parse_is_compared_too(reply, browser):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document="---\n{", base=2)
    assert browser("author").get(f"{PAGE}?from=draft&to=1&layout=columns").status_code == 200


def test_nobody_sees_the_draft_of_another(reply, browser):
    drafts.save_draft(actor=reply.actor("author"), namespace="support", path="refunds/reply", document=DOCUMENT, base=2)
    answer = browser("reviewer").get(f"{PAGE}?to=draft")
    assert answer.status_code == 404
    assert f"You have no draft of {REPLY}." in read_html(answer)
