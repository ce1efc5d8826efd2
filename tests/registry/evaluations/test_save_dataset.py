"""Saving a dataset: versions, formats, rows that don't fit."""

import json

import pytest
from django.db import DatabaseError, transaction

from promptuary import evaluation
from registry.core.errors import Invalid, NotAllowed, NotFound, PreconditionRequired, Stale
from registry.evaluations import datasets
from registry.evaluations.dataset_models import DatasetVersion
from registry.journal.models import Event

NAME = "support/questions"
ROWS = '{"id": "a", "inputs": {"question": "Who?"}, "expected": "Ada"}\n{"id": "b", "inputs": {"question": "Where?"}}\n'


def test_a_first_save_makes_version_1(author):
    saved = datasets.save_dataset(actor=author, name=NAME, text=ROWS, message="Begin")
    assert (saved.created, saved.version.number, saved.version.count) == (True, 1, 2)
    assert saved.version.rows()[0].expected == {"answer": "Ada"}


def test_the_digest_is_the_one_that_the_package_gives(author):
    saved = datasets.save_dataset(actor=author, name=NAME, text=ROWS)
    assert saved.version.digest == evaluation.Dataset("x", saved.version.rows()).digest


def test_the_same_rows_in_another_form_make_no_version(author):
    first = datasets.save_dataset(actor=author, name=NAME, text=ROWS).version
    csv = "id,question,expected\na,Who?,Ada\n"
    dataset = datasets.save_dataset(actor=author, name=NAME, text=csv, form="csv", base=first.digest)
    again = datasets.save_dataset(
        actor=author,
        name=NAME,
        form="yml",
        base=dataset.version.digest,
        text="- {id: a, inputs: {question: Who?}, expected: Ada}\n",
    )
    assert (dataset.created, again.created, again.version.number) == (True, False, 2)


def test_the_event_carries_the_digest_and_no_row(author):
    version = datasets.save_dataset(actor=author, name=NAME, text=ROWS, message="Begin").version
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert body == {
        "dataset": NAME,
        "number": 1,
        "digest": version.digest,
        "count": 2,
        "base": None,
        "message": "Begin",
    }


def test_a_dataset_may_have_the_name_of_a_template(author, save):
    save(name=NAME)
    assert datasets.save_dataset(actor=author, name=NAME, text=ROWS).created


def test_a_second_save_says_what_it_was_made_from(author):
    datasets.save_dataset(actor=author, name=NAME, text=ROWS)
    with pytest.raises(PreconditionRequired):
        datasets.save_dataset(actor=author, name=NAME, text=ROWS.replace("Ada", "Eva"))


def test_a_save_from_an_older_version_is_refused(author):
    first = datasets.save_dataset(actor=author, name=NAME, text=ROWS).version
    datasets.save_dataset(actor=author, name=NAME, text=ROWS.replace("Ada", "Eva"), base=first.digest)
    with pytest.raises(Stale):
        datasets.save_dataset(actor=author, name=NAME, text=ROWS.replace("Ada", "Ida"), base=first.digest)


def test_rows_are_checked_against_a_template_by_row_and_path(author, save):
    save(name="support/reply")
    rows = '{"inputs": {"question": "x"}}\n{"id": "bad", "inputs": {"question": 3}}\n{"inputs": {}}\n'
    with pytest.raises(Invalid) as caught:
        datasets.save_dataset(actor=author, name=NAME, text=rows, template="support/reply")
    assert list(caught.value.fields) == ["row 2 (bad).inputs.question", "row 3.inputs.question"]
    assert "missing" in caught.value.fields["row 3.inputs.question"]


@pytest.mark.parametrize(
    ("text", "form", "field"),
    [
        ("", "jsonl", "text"),
        ("{", "jsonl", "text"),
        ('{"inputs": {"n": NaN}}', "jsonl", "text"),
        ("a\0b", "csv", "text"),
        ("[]", "yml", "text"),
        ("x", "xlsx", "form"),
        ('{"inputs": {}, "id": "a"}\n{"inputs": {}, "id": "a"}\n', "jsonl", "row 2.id"),
        ("x" * (8 * 1024 * 1024 + 1), "jsonl", None),
    ],
)
def test_something_that_is_not_a_dataset_is_refused_by_field(author, text, form, field):
    with pytest.raises(Exception, match=r".") as caught:
        datasets.save_dataset(actor=author, name=NAME, text=text, form=form)
    assert field in getattr(caught.value, "fields", {None: ""})


def test_a_reader_saves_nothing(reader):
    with pytest.raises(NotAllowed, match="author"):
        datasets.save_dataset(actor=reader, name=NAME, text=ROWS)


def test_an_outsider_finds_no_namespace(outsider, support):
    with pytest.raises(NotFound):
        datasets.save_dataset(actor=outsider, name=NAME, text=ROWS)


def test_rows_that_were_saved_can_not_be_changed(author):
    datasets.save_dataset(actor=author, name=NAME, text=ROWS)
    with pytest.raises(DatabaseError, match="for ever"), transaction.atomic():
        DatasetVersion.objects.update(text="")
