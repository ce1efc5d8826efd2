"""Rows of files and datasets as samples of a text."""

import json
from typing import Any

import pytest

from registry.core.errors import Invalid, NotFound, TooLarge
from registry.core.input_checks import SAMPLES_BYTES
from registry.evaluations import datasets
from registry.evaluations.sample_rows import MAX_ROWS, PAGE, list_targets, read_dataset_samples, read_file_samples

SCHEMAS: dict[str, dict[str, Any]] = {
    "question": {"type": "string"},
    "count": {"type": "integer"},
    "urgent": {"type": "boolean"},
    "customer": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "number"}}},
    "tags_used": {"type": "array", "items": {"type": "string"}},
}


def read(text, file="questions.csv", schemas=SCHEMAS, columns=None):
    return read_file_samples(text, file, schemas, columns)


def list_left_out(offered):
    return [name for name, target in offered.columns.items() if not target]


def values_of(offered):
    return {sample.name: sample.values for sample in offered.samples}


def test_cells_of_csv_are_read_in_the_kinds_of_the_inputs():
    text = (
        "id,Question,count,urgent,customer.name,Customer.age,tags_used\n"
        'gift,"May I, too?",3,Yes,Ada,41.5,"[""a"",""b""]"\n'
        "late,Where?,,no,,,\n"
    )
    offered = read("\ufeff" + text)
    assert values_of(offered) == {
        "gift": {
            "question": "May I, too?",
            "count": 3,
            "urgent": True,
            "customer": {"name": "Ada", "age": 41.5},
            "tags_used": ["a", "b"],
        },
        "late": {"question": "Where?", "urgent": False},
    }
    assert (list_left_out(offered), offered.total) == ([], 2)


def test_a_cell_that_does_not_fit_stays_text():
    assert values_of(read("question,count\nWhy?,many\n")) == {"questions 1": {"question": "Why?", "count": "many"}}


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_semicolons_and_tabs_separate_cells_too(delimiter):
    text = f"name{delimiter}question\r\nerste{delimiter}Wo ist es?\r\n"
    assert values_of(read(text)) == {"erste": {"question": "Wo ist es?"}}


def test_columns_that_are_not_inputs_are_named_and_left_out():
    offered = read("question,tone,expected,lang\nWhy?,warm,yes,en\n")
    assert values_of(offered) == {"questions 1": {"question": "Why?"}}
    assert list_left_out(offered) == ["tone", "lang", "expected.answer"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("q.jsonl", '{"question": "Why?", "id": "a"}\n\n{"inputs": {"question": "How?"}, "id": "b", "tags": ["x"]}\n'),
        ("q.json", '[{"question": "Why?", "id": "a"}, {"inputs": {"question": "How?"}, "id": "b"}]'),
        ("q.json", '{"samples": [{"question": "Why?", "name": "a"}, {"question": "How?", "name": "b"}]}'),
        ("q.json", '{"a": {"question": "Why?"}, "b": {"question": "How?"}}'),
        ("q.YAML", "a: {question: Why?}\nb: {question: How?}\n"),
    ],
)
def test_the_other_forms_give_the_same_samples(file, text):
    assert values_of(read(text, file)) == {"a": {"question": "Why?"}, "b": {"question": "How?"}}


def test_an_input_called_id_gets_its_column():
    schemas = {"id": {"type": "string"}, "name": {"type": "string"}}
    assert values_of(read("id,name\nx-1,Ada\n", schemas=schemas)) == {"x-1": {"id": "x-1", "name": "Ada"}}
    assert values_of(read('{"id": "x-1", "name": "Ada"}', "q.json", schemas)) == {"x-1": {"id": "x-1", "name": "Ada"}}


def test_names_are_one_printable_line():
    lines = [
        {"id": "17", "question": "a"},
        {"id": " two\n lines\u200b ", "question": "b"},
        {"id": "x" * 90, "question": "c"},
    ]
    offered = read("\n".join(map(json.dumps, lines)), "q.jsonl")
    assert [sample.name for sample in offered.samples] == ["17", "two lines", "x" * 60]


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("q.xlsx", "a", "ends in .csv"),
        ("question", "question\nWhy?", "ends in .csv"),
        ("q.csv", "", "columns"),
        ("q.csv", "question\n", "no row"),
        ("q.csv", 'question\n"Why?\n', "line"),
        ("q.csv", "question,count\nWhy?\n", "line 2"),
        ("q.jsonl", '{"question": "Why?"}\n{"question": \n', "Line 2"),
        ("q.json", "[1]", "mapping"),
        ("q.json", "nope", "JSON"),
        ("q.json", "[]", "no row"),
        ("q.csv", "question\n" + "Why?\n" * (MAX_ROWS + 1), f"{MAX_ROWS + 1} rows"),
    ],
)
def test_an_unreadable_file_is_refused_with_the_reason(file, text, sentence):
    with pytest.raises(Invalid) as caught:
        read(text, file)
    assert sentence in str(caught.value) + " ".join(caught.value.fields.values())


def test_columns_become_what_was_chosen_for_them():
    text = "ref,Frage,how many,who,expected\nr-1,Warum?,3,Ada,so\n"
    assert set(read(text).columns.values()) == {""}
    columns = {
        "ref": "id",
        "Frage": "inputs.question",
        "how many": "inputs.count",
        "who": "inputs.customer.name",
        "expected.answer": "inputs.tags_used",
        "gone": "inputs.urgent",
    }
    offered = read(text, columns=columns)
    assert values_of(offered) == {
        "r-1": {"question": "Warum?", "count": 3, "customer": {"name": "Ada"}, "tags_used": "so"}
    }
    assert "gone" not in offered.columns


def test_a_column_of_a_fitting_name_can_be_left_out_and_names_no_sample():
    offered = read("id,question,count\na,Why?,3\n", columns={"id": "", "count": ""})
    assert values_of(offered) == {"questions 1": {"question": "Why?"}}
    assert list_left_out(offered) == ["id", "count"]


def test_of_two_columns_for_one_input_the_first_counts():
    offered = read("question,Question\nWhy?,How?\n")
    assert values_of(offered) == {"questions 1": {"question": "Why?"}}
    assert offered.columns == {"question": "inputs.question", "Question": ""}


def test_tags_fill_an_input_of_that_name():
    assert values_of(read("question,tags\nWhy?,a\n", schemas={**SCHEMAS, "tags": {"type": "string"}})) == {
        "questions 1": {"question": "Why?", "tags": "a"}
    }


@pytest.mark.parametrize("target", ["inputs.none", "inputs.question.x", "question", "inputs."])
def test_a_column_can_not_become_what_is_not_an_input(target):
    with pytest.raises(Invalid) as caught:
        read("Frage\nWarum?\n", columns={"Frage": target})
    assert "not an input of the text" in caught.value.fields["columns"]


def test_columns_can_become_inputs_and_the_values_in_groups():
    schemas: dict[str, Any] = {
        "a": {"type": "string"},
        "b": {"type": "object", "properties": {"c": {}, "d": {"type": "object"}}},
    }
    nested = {"type": "object", "properties": {"e": {"type": "object", "properties": {"f": {}}}}}
    assert list_targets({**schemas, "n": nested}) == [
        "inputs.a",
        "inputs.b",
        "inputs.b.c",
        "inputs.b.d",
        "inputs.n",
        "inputs.n.e.f",
    ]


def test_a_value_in_a_group_may_have_a_schema_that_allows_anything():
    schemas: dict[str, Any] = {"customer": {"type": "object", "properties": {"name": True, "age": {"type": "integer"}}}}
    assert list_targets(schemas) == ["inputs.customer", "inputs.customer.name", "inputs.customer.age"]
    offered = read("customer.name,customer.age\nAda,36\n", schemas=schemas)
    assert offered.samples[0].values == {"customer": {"name": "Ada", "age": 36}}


def test_a_text_without_inputs_takes_no_rows():
    with pytest.raises(Invalid, match="uses no inputs"):
        read("question\nWhy?\n", schemas={})


def test_a_file_over_the_size_of_samples_is_refused():
    with pytest.raises(TooLarge):
        read("question\n" + "x" * SAMPLES_BYTES)


def test_rows_of_a_dataset_are_offered_page_by_page(author):
    rows = [{"id": f"r{number}", "inputs": {"question": "?", "tone": "warm"}} for number in range(PAGE + 5)]
    datasets.save_dataset(actor=author, name="support/gold", text="\n".join(map(json.dumps, rows)))
    first = read_dataset_samples(author, "support", "support/gold", SCHEMAS)
    assert (len(first.samples), first.total, list_left_out(first)) == (PAGE, PAGE + 5, ["tone"])
    next_page = read_dataset_samples(author, "support", "support/gold", SCHEMAS, PAGE)
    assert [sample.name for sample in next_page.samples] == [f"r{number}" for number in range(PAGE, PAGE + 5)]
    assert next_page.samples[0].values == {"question": "?"}
    assert read_dataset_samples(author, "support", "support/gold", SCHEMAS, 999).samples == ()
    chosen = {"tone": "inputs.question", "question": ""}
    turned = read_dataset_samples(author, "support", "support/gold", SCHEMAS, PAGE, chosen)
    assert turned.samples[0].values == {"question": "warm"}


def test_a_dataset_of_another_namespace_or_of_nobody_is_not_found(author, outsider):
    datasets.save_dataset(actor=author, name="support/gold", text='{"inputs": {"question": "?"}}')
    for actor, namespace, name in [
        (author, "demo", "support/gold"),
        (author, "support", "support/none"),
        (outsider, "support", "support/gold"),
    ]:
        with pytest.raises(NotFound):
            read_dataset_samples(actor, namespace, name, SCHEMAS)
