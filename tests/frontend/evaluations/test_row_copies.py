"""Copying ticked rows to another dataset: new columns are named first, and each refusal changes nothing."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from registry.evaluations import dataset_archive, datasets
from registry.evaluations.dataset_models import DatasetVersion
from tests.support.finished_runs import GOLD, save_rows

ADDRESS = "/d/copy-rows"
TARGET = "support/others"
KEPT = {"id": "kept", "inputs": {"question": "Where?"}, "expected": {"answer": "Here"}}
ROW = {"id": "new", "inputs": {"question": "When?"}, "expected": {"answer": "Now"}, "tags": ["late"]}


@pytest.fixture
def gold(reply):
    return save_rows(reply)


@pytest.fixture
def target(reply):
    return datasets.save_dataset(actor=reply.actor("author"), name=TARGET, text=json.dumps(KEPT) + "\n").dataset


def send(browser, *rows, role="author", **more):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    fields = {"form": "jsonl", "dataset": TARGET, "source": GOLD, **more}
    return browser(role).post(
        ADDRESS,
        {**fields, "file": SimpleUploadedFile("rows.jsonl", text.encode())},
        headers={"Accept": "application/json"},
    )


def test_rows_come_below_those_of_the_other_dataset_with_expectations_and_tags(browser, target):
    answer = send(browser, ROW, KEPT)
    assert answer.json() == {
        "url": f"/d/{TARGET}?version=2",
        "dataset": TARGET,
        "number": 2,
        "added": 1,
        "warnings": [],
    }
    version = DatasetVersion.objects.get(dataset=target, number=2)
    assert [row.to_dict() for row in version.rows()] == [KEPT, ROW]
    assert version.message == f"Copy 2 rows of {GOLD}"
    again = send(browser, ROW)
    assert (again.json()["number"], again.json()["added"]) == (2, 0)


def test_a_dataset_of_another_namespace_is_not_named_in_the_message(browser, target):
    send(browser, ROW, source="secret/cases")
    assert DatasetVersion.objects.get(dataset=target, number=2).message == "Copy 1 row"


def test_new_columns_are_named_before_anything_is_saved(browser, target):
    row = {"inputs": {"question": "Who?", "tone": "warm"}, "expected": {"decision": "refuse"}}
    assert send(browser, row).json() == {"newColumns": ["tone", "expected decision"]}
    assert DatasetVersion.objects.filter(dataset=target).count() == 1
    assert send(browser, row, accepts_columns="yes").json()["number"] == 2


@pytest.mark.parametrize(
    ("rows", "more", "status", "field"),
    [
        ([ROW], {"dataset": ""}, 422, "dataset"),
        ([ROW], {"dataset": GOLD}, 422, "dataset"),
        ([{**KEPT, "expected": {"answer": "There"}}], {}, 422, "rows.0.id"),
        ([], {}, 422, "file"),
        ([{"expected": {"answer": "x"}}], {}, 422, "text"),
        ([ROW, ROW], {}, 422, "row 2.id"),
    ],
)
def test_rows_that_cannot_be_copied_are_named_and_nothing_is_saved(browser, gold, target, rows, more, status, field):
    before = DatasetVersion.objects.count()
    answer = send(browser, *rows, **more)
    assert answer.status_code == status
    assert field in answer.json()["fields"]
    assert DatasetVersion.objects.count() == before


def test_readers_and_outsiders_copy_nothing_and_absent_datasets_are_shown(browser, target):
    assert send(browser, ROW, role="reader").status_code == 403
    assert send(browser, ROW, role="outsider").status_code == 404
    absent = send(browser, ROW, dataset="support/absent")
    assert absent.status_code == 404
    assert "support/absent" in absent.json()["detail"]
    assert DatasetVersion.objects.filter(dataset=target).count() == 1


def test_an_archived_dataset_takes_none(browser, reply, target):
    dataset_archive.archive_dataset(actor=reply.actor("admin"), name=TARGET, reason="Unused")
    answer = send(browser, ROW)
    assert (answer.status_code, "archived" in answer.json()["detail"]) == (409, True)


def test_the_editor_names_the_datasets_that_rows_can_be_copied_to(browser, reply, gold, target):
    targets = 'id="copy-targets" type="application/json">'
    page = browser("author").get(f"/d/{GOLD}/-/edit").content.decode()
    assert f'{targets}["{TARGET}"]' in page
    assert f"{targets}[]" in browser("reader").get(f"/d/{GOLD}/-/edit").content.decode()
    dataset_archive.archive_dataset(actor=reply.actor("admin"), name=TARGET, reason="Unused")
    assert f"{targets}[]" in browser("author").get(f"/d/{GOLD}/-/edit").content.decode()
