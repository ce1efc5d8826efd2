"""Datasets in every format, their digest, and unreadable rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.evaluation import DatasetError, datasets
from promptuary.renderer.digest import encode_canonical_json


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_the_same_rows_have_the_same_digest_in_every_form(tmp_path):
    files = [
        write(tmp_path / "a.jsonl", '{"inputs": {"q": "one"}, "expected": {"answer": "1"}, "id": "x"}\n'),
        write(tmp_path / "a.yml", "- id: x\n  inputs: {q: one}\n  expected: {answer: '1'}\n"),
        write(tmp_path / "a.csv", "id,q,expected\nx,one,1\n"),
    ]
    assert len({datasets.read(file).digest for file in files}) == 1


def test_tags_are_the_same_in_every_form_and_absent_without_any(tmp_path):
    files = [
        write(tmp_path / "a.jsonl", '{"inputs": {"q": "one"}, "tags": ["late", " in  May", "late", ""]}\n'),
        write(tmp_path / "a.yml", "- inputs: {q: one}\n  tags: [late, in May]\n"),
        write(tmp_path / "a.csv", 'q,tags\none,"late, in May"\n'),
    ]
    rows = {datasets.read(file).rows[0].tags for file in files}
    assert rows == {("late", "in May")}
    (row,) = datasets.parse('{"inputs": {}, "tags": []}', "jsonl").rows
    assert "tags" not in row.to_dict()
    assert datasets.Row.from_dict(datasets.read(files[0]).rows[0].to_dict()).tags == ("late", "in May")


@pytest.mark.parametrize("tags", ['"late"', "[1]", '["a,b"]', f'["{"x" * 41}"]', str([f"t{n}" for n in range(21)])])
def test_tags_of_another_form_are_refused_with_the_line(tags):
    with pytest.raises(DatasetError, match=r"line 1: .*tag"):
        datasets.parse(f'{{"inputs": {{}}, "tags": {tags}}}'.replace("'", '"'), "jsonl")


def test_samples_are_a_dataset_without_expectations(tmp_path):
    dataset = datasets.read(write(tmp_path / "s.yml", "short: {q: one}\nlong: {q: two}\n"))
    assert [row.id for row in dataset.rows] == ["short", "long"]
    assert dataset.expected_outputs == []


def test_a_csv_cell_keeps_its_commas_quotes_and_newlines(tmp_path):
    dataset = datasets.read(write(tmp_path / "c.csv", 'q,expected.answer\n"a, ""b""\nc\u2028d",x\n'))
    assert dataset.inputs == [{"q": 'a, "b"\nc\u2028d'}]


def test_a_line_separator_inside_a_json_line_splits_nothing(tmp_path):
    dataset = datasets.read(write(tmp_path / "u.jsonl", '{"inputs": {"q": "a\u2028b"}}\n'))
    assert dataset.inputs == [{"q": "a\u2028b"}]


def test_a_beir_folder_gives_queries_with_their_relevant_documents(tmp_path):
    write(tmp_path / "queries.jsonl", '{"_id": "q1", "text": "boats"}\n')
    (tmp_path / "qrels").mkdir()
    write(tmp_path / "qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n")
    row = datasets.read(tmp_path).rows[0]
    assert (row.inputs, row.expected) == ({"query": "boats"}, {"documents": [{"id": "d1", "score": 2.0}]})


@pytest.mark.parametrize(
    ("name", "text", "expected_text"),
    [
        ("a.jsonl", '{"inputs": {}}\n{"input": {}}\n', "line 2"),
        ("a.jsonl", "{\n", "line 1 is not JSON"),
        ("a.yml", "- inputs: {}\n- inputs: {}\n  expect: 1\n", "row 2.*expect"),
        ("a.yml", "a: &x {}\n", "a.yml"),
        ("a.csv", "q,q\n1,2\n", "each once"),
        ("a.csv", "q,expected\n1\n", "line 2"),
        ("a.xlsx", "", "csv, .jsonl or .yml"),
    ],
)
def test_a_row_that_can_not_be_read_is_named(tmp_path, name, text, expected_text):
    with pytest.raises(DatasetError, match=expected_text):
        datasets.read(write(tmp_path / name, text))


def test_a_file_that_is_not_utf8_is_refused_with_the_place(tmp_path):
    (tmp_path / "l.csv").write_bytes(b"q\n\xff\n")
    with pytest.raises(DatasetError, match="byte 2"):
        datasets.read(tmp_path / "l.csv")


def test_a_text_is_read_as_its_file_would_be(tmp_path):
    text = "id,q,expected\nx,one,1\n"
    assert datasets.parse("\ufeff" + text, "csv") == datasets.Dataset(
        "dataset", datasets.read(write(tmp_path / "a.csv", text)).rows
    )


def test_a_text_of_no_form_is_refused():
    with pytest.raises(DatasetError, match="csv, jsonl, yml"):
        datasets.parse("", "xlsx")


def test_a_value_that_json_can_not_say_exactly_is_named_by_its_row():
    with pytest.raises(DatasetError, match="row 2"):
        datasets.parse('{"inputs": {}}\n{"inputs": {"n": NaN}}\n', "jsonl")


_TEXTS = st.text(max_size=5)
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), _TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(_TEXTS, inner, max_size=2)),
    max_leaves=4,
)
_CONTENTS = st.tuples(
    st.dictionaries(_TEXTS, _VALUES, max_size=3),
    st.one_of(st.none(), st.dictionaries(_TEXTS, _VALUES, max_size=2)),
)
_NAMES = st.tuples(_TEXTS, st.lists(_TEXTS, max_size=2).map(tuple))


def digest_rows(contents, names):
    pairs = zip(contents, names, strict=True)
    return datasets.digest_contents(
        datasets.Row(inputs, expected, name, tags) for (inputs, expected), (name, tags) in pairs
    )


@given(st.data(), st.lists(_CONTENTS, min_size=1, max_size=4))
def test_names_and_tags_leave_the_digest_of_the_contents_as_it_is(data, contents):
    names = st.lists(_NAMES, min_size=len(contents), max_size=len(contents))
    assert digest_rows(contents, data.draw(names)) == digest_rows(contents, data.draw(names))


@given(st.lists(_CONTENTS, max_size=4), st.lists(_CONTENTS, max_size=4))
def test_other_inputs_or_expectations_or_another_order_have_another_digest(one, other):
    are_same = encode_canonical_json([list(pair) for pair in one]) == encode_canonical_json(
        [list(pair) for pair in other]
    )
    names = [("", ())] * 4
    assert (digest_rows(one, names[: len(one)]) == digest_rows(other, names[: len(other)])) == are_same


@given(st.data(), st.lists(_CONTENTS, min_size=1, max_size=4))
def test_a_change_of_one_value_changes_the_digest_of_the_contents(data, contents):
    index = data.draw(st.integers(0, len(contents) - 1))
    inputs, expected = contents[index]
    changed = data.draw(st.sampled_from([({**inputs, "more": 1}, expected), (inputs, {**(expected or {}), "more": 1})]))
    others = [*contents[:index], changed, *contents[index + 1 :]]
    names = [("", ())] * len(contents)
    assert digest_rows(contents, names) != digest_rows(others, names)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_cells_without_a_comma_in_the_first_line_are_separated_as_that_line_says(delimiter):
    text = f"id{delimiter}q\na{delimiter}one, two\n"
    assert datasets.parse(text, "csv").rows == (datasets.Row({"q": "one, two"}, None, "a"),)
    assert datasets.parse("q\none; two\n", "csv").rows == (datasets.Row({"q": "one; two"}),)
