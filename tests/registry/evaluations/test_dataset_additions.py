"""Rows added to an existing dataset: at the end, once, and each refusal."""

import json

import pytest

from promptuary.evaluation import Row
from registry.core.errors import Invalid, NotAllowed, NotFound, Stale
from registry.evaluations import datasets
from registry.evaluations.dataset_additions import add_dataset_rows, list_new_columns
from registry.evaluations.dataset_models import DatasetVersion

DATASET = "support/questions"
FIRST = {"id": "first", "inputs": {"question": "Where?"}, "expected": {"answer": "Here"}}
CALL = {"id": "reply-8213", "inputs": {"question": "When?"}}


@pytest.fixture
def questions(author):
    return datasets.save_dataset(actor=author, name=DATASET, text=json.dumps(FIRST) + "\n").version


def add(actor, *rows, **more):
    return add_dataset_rows(actor=actor, name=DATASET, rows=rows, **more)


def test_rows_are_added_below_the_others(author, questions):
    saved = add(author, CALL, {"inputs": {"question": "Who?"}, "expected": "We"}, message="From a call")
    assert (saved.created, saved.version.number, saved.version.message) == (True, 2, "From a call")
    assert [row.id for row in saved.version.rows()] == ["first", "reply-8213", ""]
    assert saved.version.rows()[2].expected == {"answer": "We"}
    assert saved.version.base == questions


def test_a_row_that_is_sent_again_is_there_once(author, questions):
    add(author, CALL)
    again = add(author, CALL, FIRST)
    assert (again.created, again.version.number) == (False, 2)
    more = add(author, CALL, {**CALL, "id": "reply-8214"})
    assert [row.id for row in more.version.rows()] == ["first", "reply-8213", "reply-8214"]


@pytest.mark.parametrize(
    ("rows", "field"),
    [
        ([], "rows"),
        ([CALL] * 101, "rows"),
        ([CALL, {**FIRST, "expected": "There"}], "rows.1.id"),
        ([{"inputs": {"question": "x"}, "reply": "y"}], "text"),
        ([{"expected": "y"}], "rows.0.inputs"),
        ([CALL, {"inputs": ["x"]}], "rows.1.inputs"),
        ([CALL, CALL], "row 3.id"),
        ([{"inputs": {"question": float("nan")}}], "text"),
    ],
)
def test_rows_that_cannot_be_added_are_named_and_nothing_is_saved(author, questions, rows, field):
    with pytest.raises(Invalid) as caught:
        add(author, *rows)
    assert field in caught.value.fields
    assert DatasetVersion.objects.count() == 1


def test_more_rows_than_a_call_adds_are_added_where_they_are_copied(author, questions):
    rows = [{"inputs": {"question": f"{number}?"}} for number in range(101)]
    assert add(author, *rows, limit=101).version.count == 102


def test_columns_that_the_dataset_lacks_are_named(author, reader, outsider, questions):
    rows = [Row({"question": "x", "tone": "warm"}, {"answer": "y"}), Row({"days": 1, "tone": "cold"}, {"decision": 1})]
    assert list_new_columns(author, DATASET, rows) == ["tone", "days", "expected decision"]
    assert list_new_columns(author, DATASET, [Row({"question": "x"})]) == []
    with pytest.raises(NotAllowed):
        list_new_columns(reader, DATASET, rows)
    with pytest.raises(NotFound):
        list_new_columns(outsider, DATASET, rows)


def test_rows_that_were_there_need_not_fit_the_template_that_is_named(author, questions, save):
    template = save().template.name
    datasets.save_dataset(actor=author, name="support/odd", text=json.dumps({"inputs": {"other": "x"}}) + "\n")
    saved = add_dataset_rows(actor=author, name="support/odd", rows=[CALL], template=template)
    assert [list(row.inputs) for row in saved.version.rows()] == [["other"], ["question"]]
    with pytest.raises(Invalid) as caught:
        add_dataset_rows(actor=author, name="support/odd", rows=[{"inputs": {"other": "y"}}], template=template)
    assert list(caught.value.fields) == ["row 3.inputs.question"]


def test_rows_must_fit_the_template_that_is_named(author, questions, save):
    template = save().template.name
    with pytest.raises(Invalid) as caught:
        add(author, {"inputs": {"query": "x"}}, template=template)
    assert any(place.startswith("row 2") for place in caught.value.fields)


def test_readers_add_none_and_outsiders_find_no_dataset(reader, outsider, author, questions):
    with pytest.raises(NotAllowed):
        add(reader, CALL)
    with pytest.raises(NotFound):
        add(outsider, CALL)
    with pytest.raises(NotFound):
        add_dataset_rows(actor=author, name="support/none", rows=[CALL])


def test_a_save_of_somebody_else_meanwhile_is_built_upon(author, questions, monkeypatch):
    original = datasets.save_dataset
    calls: list[int] = []

    def interrupted(**values):
        if not calls:
            calls.append(1)
            original(**{**values, "text": json.dumps(FIRST) + "\n" + json.dumps({"id": "other", "inputs": {}}) + "\n"})
        return original(**values)

    monkeypatch.setattr(datasets, "save_dataset", interrupted)
    saved = add(author, CALL)
    assert [row.id for row in saved.version.rows()] == ["first", "other", "reply-8213"]


def test_after_several_tries_it_says_so(author, questions, monkeypatch):
    def stale(**_values):
        raise Stale("Somebody saved it.")

    monkeypatch.setattr(datasets, "save_dataset", stale)
    with pytest.raises(Stale):
        add(author, CALL)
