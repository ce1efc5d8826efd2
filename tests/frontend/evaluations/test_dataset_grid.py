"""The server's data for the grid of a dataset: the rows, the matching inputs, and responses to a save."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from registry.evaluations.dataset_models import Dataset
from tests.frontend.conftest import DOCUMENT, REPLY, read_html
from tests.support.finished_runs import GOLD, dataset_rows, save_rows

PAGE = f"/d/{GOLD}"
JSON = {"headers": {"Accept": "application/json"}}


@pytest.fixture
def gold(reply):
    return save_rows(reply, message="First cases")


def sent(text: str, base: str, **more: str) -> dict[str, object]:
    return {"form": "jsonl", "base": base, "file": SimpleUploadedFile("rows.jsonl", text.encode()), **more}


def declared(page) -> list[dict[str, object]]:
    text = page.content.decode().partition('id="declared-inputs" type="application/json">')[2]
    inputs: list[dict[str, object]] = json.loads(text.partition("</script>")[0])
    return inputs


def test_the_rows_of_a_version_are_json_lines(browser, reply, gold):
    save_rows(reply, dataset_rows(7), gold.digest)
    answer = browser("reader").get(f"{PAGE}/-/rows.jsonl", {"version": 1})
    assert answer.content.decode() == gold.text
    assert "gold-v1.jsonl" in answer.headers["Content-Disposition"]
    assert len(browser("reader").get(f"{PAGE}/-/rows.jsonl").content.splitlines()) == 7


def test_the_rows_of_a_version_are_a_csv_file_for_spreadsheets(browser, reply, gold):
    rows = [
        {"id": "one", "inputs": {"name": 'Müller, "A"', "n": 3}, "expected": {"answer": "yes\nno"}, "tags": ["x", "y"]},
        {"id": "two", "inputs": {"name": "=1+1", "id": "7"}, "expected": {"tone": None}},
    ]
    save_rows(reply, "\n".join(map(json.dumps, rows)), gold.digest)
    answer = browser("reader").get(f"{PAGE}/-/rows.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "gold-v2.csv" in answer.headers["Content-Disposition"]
    assert answer.content.decode("utf-8-sig").split("\n", 1) == [
        "id,n,name,inputs.id,expected,expected.tone,tags",
        'one,3,"Müller, ""A""",,"yes\nno",,"x,y"\ntwo,,\'=1+1,7,,null,\n',
    ]


def test_a_form_that_rows_do_not_have_is_named(browser, gold):
    answer = browser("reader").get(f"{PAGE}/-/rows.xlsx")
    assert answer.status_code == 422
    assert "one of jsonl, csv" in answer.content.decode()


def test_the_rows_of_others_are_not_found(browser, gold):
    assert browser("outsider").get(f"{PAGE}/-/rows.jsonl").status_code == 404
    assert browser("reader").get(f"{PAGE}/-/rows.jsonl", {"version": 9}).status_code == 404


def test_a_new_dataset_has_columns_for_the_inputs_of_its_template(browser, reply):
    names = [column["name"] for column in declared(browser("author").get("/d/new", {"for": REPLY}))]
    assert "question" in names
    assert declared(browser("author").get("/d/new", {"for": "support/absent"})) == []
    assert declared(browser("author").get("/d/new")) == []


def test_lists_and_groups_are_declared_with_their_schemas(browser, desk):
    lists = "  shop: {type: string, default: the shop}\n  excerpts: {type: array, items: {type: string}, default: []}\n"
    desk.save(DOCUMENT.replace("  shop: {type: string, default: the shop}\n", lists))
    columns = {column["name"]: column for column in declared(browser("author").get("/d/new", {"for": REPLY}))}
    assert columns["excerpts"]["schema"] == {"type": "array", "items": {"type": "string"}, "default": []}
    assert "schema" not in columns["question"]


def test_saved_rows_are_answered_with_the_page_to_go_to(browser, gold):
    answer = browser("author").post(f"{PAGE}/-/edit", sent(dataset_rows(8), gold.digest), **JSON)
    assert answer.json() == {"url": PAGE}
    assert Dataset.objects.get().latest.count == 8


def test_a_version_saved_meanwhile_is_reported_and_nothing_is_overwritten(browser, reply, gold):
    newer = save_rows(reply, dataset_rows(7), gold.digest)
    answer = browser("author").post(f"{PAGE}/-/edit", sent(dataset_rows(8), gold.digest), **JSON)
    assert answer.status_code == 412
    assert answer.json()["latest"] == 2
    assert answer.json()["diffUrl"] == f"{PAGE}/-/diff?from=1&to=2"
    assert Dataset.objects.get().latest == newer


def test_faults_are_answered_by_row_and_input(browser, gold):
    rows = '{"id": "one", "inputs": {"other": 1}}'
    answer = browser("author").post(f"{PAGE}/-/edit", sent(rows, gold.digest, template=REPLY), **JSON)
    assert answer.status_code == 422
    assert any(place.startswith("row 1 (one).inputs") for place in answer.json()["fields"])


def test_a_form_that_is_not_filled_in_is_answered_by_field(browser, reply):
    form = {"namespace": "elsewhere", "path": "gold", "form": "jsonl", "text": dataset_rows()}
    answer = browser("author").post("/d/new", form, **JSON)
    assert answer.status_code == 422
    assert "namespace" in answer.json()["fields"]


def test_readers_get_a_refusal_in_json(browser, gold):
    answer = browser("reader").post(f"{PAGE}/-/edit", sent(dataset_rows(8), gold.digest), **JSON)
    assert answer.status_code == 403
    assert answer.json()["detail"]


def test_the_text_stays_for_browsers_without_scripts(browser, gold):
    page = read_html(browser("author").get(f"{PAGE}/-/edit"))
    assert "data-dataset-grid hidden" in page
    assert 'name="text"' in page
